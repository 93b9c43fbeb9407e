import { FOREIGN_DIALECTS, type ForeignDialect, type Shell } from '../../../core/model/hooks/dialect.ts'
import { hasVeto, type Dialect, type NativeEvent } from '../../../shared/hooks/dialect.ts'
import { contractOf } from '../../../core/model/events/event.ts'
import { HANDLER_TYPES, type Entry, type Matcher, type OnError } from '../../../core/model/hooks/entry.ts'
import type { ProposedHook } from '../../../shared/gate/catalogue.ts'
import { nearest } from '../../../shared/base/nearest.ts'
import { got, type Problem } from '../../../core/model/gate/problem.ts'
import { conditionRemark } from '../../../handlers/condition/condition.ts'
import { judgeFlaw } from '../../entry/entry-check.ts'
import { compilePattern } from '../../../core/model/base/pattern.ts'
import { isSystem } from '../systems.ts'
import { boundsFlaw, trimmed } from './foreign-bounds.ts'
import type { ForeignHook } from './foreign-hook.ts'
import { correctFix, type Source } from '../source.ts'

/** The files that a reader of another system may read, and the facts about those systems. */
export interface ForeignPorts {
  /** Reads one file, relative to the workspace or absolute, in bounded size. */
  read(file: string): { readonly text: string } | { readonly why: string }
  /** Lists the sorted names in a folder, in bounded number. Names of folders end with a slash. */
  list(folder: string): { readonly names: readonly string[] } | { readonly why: string }
  /** True when the file's mode has an executable bit. */
  isExecutable(file: string): boolean
  readonly events: Readonly<Record<ForeignDialect, readonly NativeEvent[]>>
  readonly timeouts: Readonly<
    Record<ForeignDialect, { readonly default: number; readonly min: number; readonly max: number }>
  >
  readonly shells: Readonly<Record<ForeignDialect, Shell>>
}

type ReaderKnowledge = Pick<Dialect, 'events' | 'timeoutMs' | 'shell'>

/** The part of each system's dialect that readers need. */
export const knowledgeOf = (
  dialects: Readonly<Record<ForeignDialect, ReaderKnowledge>>,
): Pick<ForeignPorts, 'events' | 'timeouts' | 'shells'> => {
  const each = <T>(pick: (dialect: ReaderKnowledge) => T): Readonly<Record<ForeignDialect, T>> =>
    Object.fromEntries(FOREIGN_DIALECTS.map((name) => [name, pick(dialects[name])])) as Record<
      ForeignDialect,
      T
    >
  return {
    events: each(({ events }) => events),
    timeouts: each(({ timeoutMs }) => timeoutMs),
    shells: each(({ shell }) => shell),
  }
}

/** Reads one source: a file or folder, relative to the workspace or absolute. Never throws. */
export type ReadForeign = (place: string, ports: ForeignPorts) => Source

/** A hook that cannot be read, listed with what is wrong with it. */
export const invalid = (
  { event, command, origin, line }: Pick<ForeignHook, 'event' | 'command' | 'origin' | 'line'>,
  code: string,
  message: string,
  fix = correctFix,
): ProposedHook => {
  const problem: Problem = { code, message, fix, file: origin, line }
  return {
    kind: 'invalid',
    event: event.slice(0, 300),
    command: command.trim() === '' ? '(no command)' : command.slice(0, 300),
    problem,
  }
}

/** A hook that cannot run here, listed with the reason. Such hooks are never dropped. */
export const unmapped = (hook: Parameters<typeof invalid>[0], why: string): ProposedHook =>
  invalid(
    hook,
    'source.unmapped',
    `Expected a hook that hookgate can run, but ${why}.`,
    'Remove it, or write it again in config/shell_hooks.yaml.',
  )

const seconds = (ms: number): string => `${ms / 1000} s`

/**
 * Finds the field that the matcher is tried on. A system ignores the matcher of an event without one, so it
 * is dropped here with a remark.
 */
const matcherFor = (
  { matcher }: ForeignHook,
  native: NativeEvent,
): { readonly matcher?: Matcher; readonly remark?: string } => {
  if (matcher === undefined) return {}
  if (native.matches === undefined && matcher.field === undefined)
    return { remark: `${native.name} takes no matcher, so the hook is asked each time.` }
  if (
    native.matches === 'tool_name' ||
    native.matches === undefined ||
    matcher.pattern === undefined ||
    matcher.field !== undefined
  )
    return { matcher }
  return { matcher: { ...matcher, field: native.matches } }
}

/** What the author probably meant: the source of another system, or the nearest name. */
const meantWords = (name: string, dialect: ForeignDialect, events: ForeignPorts['events']): string => {
  const other = FOREIGN_DIALECTS.filter(isSystem).find((one) =>
    events[one].some((native) => native.name === name),
  )
  if (other !== undefined) return `; ${other} has it, and its files belong under "${other}"`
  const meant = nearest(
    name.slice(0, 60),
    events[dialect].map((native) => native.name),
  )
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`
}

/**
 * Makes an entry from a foreign hook, with that system's defaults and the gate's bounds. Remarks name the
 * differences.
 */
export const proposeForeign = (
  foreign: ForeignHook,
  { events, timeouts }: Pick<ForeignPorts, 'events' | 'timeouts'>,
): ProposedHook => {
  const { dialect, type = 'command' } = foreign
  const { hook, remarks: trims } = trimmed(type, foreign)
  const native = events[dialect].find(({ name }) => name === hook.event)
  if (native?.event === undefined) {
    const why =
      native === undefined
        ? `${dialect} has no event ${got(hook.event)}${meantWords(hook.event, dialect, events)}`
        : `${hook.event} cannot be mapped: ${native.note?.replace(/\.$/, '') ?? 'hookgate has no such event'}`
    return unmapped(hook, why)
  }
  if (!HANDLER_TYPES.includes(type)) return unmapped(hook, `its type ${got(type)} is unknown`)
  const misplaced = judgeFlaw(type, native.event)
  if (misplaced !== undefined) return unmapped(hook, misplaced.flaw)
  const flaw = boundsFlaw(type, hook)
  if (flaw !== undefined)
    return invalid(hook, 'source.bounds', `Expected a hook that hookgate can run, but ${flaw}.`)
  const { matcher, remark } = matcherFor(hook, native)
  for (const pattern of [matcher?.tool, matcher?.pattern]) {
    const compiled = pattern === undefined ? undefined : compilePattern(pattern)
    if (compiled !== undefined && 'wrong' in compiled)
      return invalid(
        hook,
        'entry.matcher',
        `Expected its matcher to be a regular expression, but ${got(pattern)} is not one: ${compiled.wrong}.`,
        'Correct the matcher.',
      )
  }
  if (hook.condition !== undefined && native.matches !== 'tool_name') {
    return unmapped(hook, `its "if" is about tools and ${native.name} is not, so ${dialect} never runs it`)
  }
  const bounds = timeouts[dialect]
  const asked = hook.timeoutMs === undefined || !(hook.timeoutMs > 0) ? bounds.default : hook.timeoutMs
  const timeoutMs = Math.min(Math.max(asked, bounds.min), bounds.max)
  const isGate = contractOf(native.event).gate.includes('block')
  const canClose = isGate && hasVeto(native)
  const asksFor: OnError = hook.onError ?? (native.failsClosed === true ? 'block' : 'warn')
  const onError = asksFor === 'block' && isGate && !canClose ? 'warn' : asksFor
  const remarks = [
    ...(native.note === undefined ? [] : [`${native.name}: ${native.note.replace(/\.$/, '')}.`]),
    ...(hook.remarks ?? []),
    ...trims,
    ...(remark === undefined ? [] : [remark]),
    ...(hook.condition === undefined
      ? []
      : [conditionRemark(hook.condition)].filter((one) => one !== undefined)),
    ...(timeoutMs === asked
      ? []
      : [
          `Its timeout of ${seconds(asked)} is outside ${seconds(bounds.min)} to ${seconds(bounds.max)}, so it gets ${seconds(timeoutMs)}.`,
        ]),
    ...(asksFor === 'block' && !canClose
      ? [`A fault of this hook cannot block ${native.name}, so it goes on.`]
      : []),
  ]
  const entry: Entry = {
    event: native.event,
    type,
    command: hook.command,
    args: hook.args ?? [],
    shell: hook.shell,
    dialect: { name: dialect, event: native.name },
    matcher,
    condition: hook.condition,
    timeoutMs,
    onError,
    priority: hook.priority ?? 100,
    isAsync: hook.isAsync ?? false,
    cwd: hook.cwd,
    env: hook.env ?? {},
    files: hook.files ?? [],
    root: hook.root,
    headers: hook.headers,
    model: hook.model,
    origin: hook.origin,
    description: hook.description,
    name: hook.name,
  }
  return { kind: 'entry', entry, ...(remarks.length === 0 ? {} : { remarks }) }
}
