import type { ForeignDialect, NativeEvent } from '../../model/dialect.ts'
import { contractOf } from '../../model/event.ts'
import { HANDLER_TYPES, type Entry, type HandlerType, type Matcher, type OnError, type Shell } from '../../model/entry.ts'
import { nearest } from '../../model/nearest.ts'
import { got, type Problem } from '../../model/problem.ts'
import { compilePattern } from '../pattern.ts'
import type { Proposed, Source } from './source.ts'

/** What a reader of other systems' files may look at, and what it knows of those systems. */
export interface ForeignPorts {
  /** One file, relative to the workspace or absolute; bounded. */
  read(file: string): { readonly text: string } | { readonly why: string }
  /** The names in a folder, sorted, folders with a slash at their end; bounded. */
  list(folder: string): { readonly names: readonly string[] } | { readonly why: string }
  /** A file's mode has an executable bit. */
  isExecutable(file: string): boolean
  readonly events: Readonly<Record<ForeignDialect, readonly NativeEvent[]>>
  readonly timeouts: Readonly<Record<ForeignDialect, { readonly default: number; readonly min: number; readonly max: number }>>
}

/** Reads one source: a file or folder, relative to the workspace or absolute. Never throws. */
export type ReadForeign = (place: string, ports: ForeignPorts) => Source

/** One hook as another system's file says it, before our bounds. Absent: that system's default. */
export interface ForeignHook {
  readonly dialect: ForeignDialect
  /** As the file spells it. */
  readonly event: string
  readonly type?: HandlerType
  readonly command: string
  readonly args?: readonly string[]
  readonly shell?: Shell
  /** In our form, to be tried on that system's names. `matches` of the event is filled in where `pattern` has no field. */
  readonly matcher?: Matcher
  readonly timeoutMs?: number
  readonly onError?: OnError
  readonly priority?: number
  readonly isAsync?: boolean
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly files?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly model?: string
  readonly origin: string
  readonly description?: string
  readonly name?: string
  /** Where in the file it stands, for a problem. */
  readonly line?: number
  readonly remarks?: readonly string[]
}

const invalid = ({ event, command, origin, line }: ForeignHook, code: string, message: string, fix: string): Proposed => {
  const problem: Problem = { code, message, fix, file: origin, ...(line === undefined ? {} : { line }) }
  return { kind: 'invalid', event: event.slice(0, 300), command: command.slice(0, 300), problem }
}

/** The hook cannot be brought over, and why: it is listed, never dropped. */
export const unmapped = (hook: ForeignHook, why: string): Proposed =>
  invalid(hook, 'source.unmapped', `Expected a hook that hookgate can run, but ${why}.`, 'Remove it, or write it anew in config/shell_hooks.yaml.')

const seconds = (ms: number): string => `${ms / 1000} s`

/** What its matcher is tried on; a matcher that its event does not take is dropped aloud, as its system ignores it. */
const matcherFor = ({ matcher }: ForeignHook, native: NativeEvent): { readonly matcher?: Matcher; readonly remark?: string } => {
  if (matcher === undefined) return {}
  if (native.matches === undefined && matcher.field === undefined) return { remark: `${native.name} takes no matcher; it is asked each time.` }
  if (native.matches === 'tool_name' || native.matches === undefined || matcher.pattern === undefined || matcher.field !== undefined) return { matcher }
  return { matcher: { ...matcher, field: native.matches } }
}

/** Our entry for a foreign hook, with that system's defaults and our bounds; what differs is said. */
export const proposeForeign = (hook: ForeignHook, { events, timeouts }: ForeignPorts): Proposed => {
  const { dialect, type = 'command' } = hook
  const native = events[dialect].find(({ name }) => name === hook.event)
  if (native?.event === undefined) {
    const meant = native === undefined ? nearest(hook.event.slice(0, 60), events[dialect].map(({ name }) => name)) : undefined
    const why = native === undefined ? `${dialect} has no event ${got(hook.event)}${meant === undefined ? '' : ` (did you mean "${meant}"?)`}` : `${hook.event} cannot be mapped: ${native.note ?? 'hookgate has no such moment'}`
    return unmapped(hook, why)
  }
  if (!HANDLER_TYPES.includes(type)) return unmapped(hook, `its type ${got(type)} is unknown`)
  const { matcher, remark } = matcherFor(hook, native)
  for (const pattern of [matcher?.tool, matcher?.pattern]) {
    const compiled = pattern === undefined ? undefined : compilePattern(pattern)
    if (compiled !== undefined && 'wrong' in compiled) return invalid(hook, 'entry.matcher', `Expected its matcher to be a regular expression, but ${got(pattern)} is none: ${compiled.wrong}.`, 'Mend the matcher.')
  }
  const bounds = timeouts[dialect]
  const asked = hook.timeoutMs === undefined || !(hook.timeoutMs > 0) ? bounds.default : hook.timeoutMs
  const timeoutMs = Math.min(Math.max(asked, bounds.min), bounds.max)
  const canClose = contractOf(native.event).gate.includes('block')
  const onError: OnError = hook.onError ?? (native.failsClosed === true ? 'block' : 'warn')
  const remarks = [
    ...(hook.remarks ?? []),
    ...(remark === undefined ? [] : [remark]),
    ...(timeoutMs === asked ? [] : [`Its timeout of ${seconds(asked)} is outside ${seconds(bounds.min)} to ${seconds(bounds.max)}; it gets ${seconds(timeoutMs)}.`]),
    ...(onError === 'block' && !canClose ? [`${native.name} cannot be blocked here, so a fault of it cannot fail closed.`] : []),
  ]
  const entry: Entry = {
    event: native.event, type, command: hook.command, args: hook.args ?? [],
    ...(hook.shell === undefined ? {} : { shell: hook.shell }),
    dialect: { name: dialect, event: native.name },
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs, onError, priority: hook.priority ?? 100, isAsync: hook.isAsync ?? false,
    ...(hook.cwd === undefined ? {} : { cwd: hook.cwd }),
    env: hook.env ?? {}, files: hook.files ?? [],
    ...(hook.headers === undefined ? {} : { headers: hook.headers }),
    ...(hook.model === undefined ? {} : { model: hook.model }),
    origin: hook.origin,
    ...(hook.description === undefined ? {} : { description: hook.description }),
    ...(hook.name === undefined ? {} : { name: hook.name }),
  }
  return { kind: 'entry', entry, ...(remarks.length === 0 ? {} : { remarks }) }
}
