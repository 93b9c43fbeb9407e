import { FOREIGN_DIALECTS, type ForeignDialect } from '../../../core/model/hooks/dialect.ts'
import { hasVeto, type Dialect, type NativeEvent } from '../../../shared/hooks/dialect.ts'
import { contractOf } from '../../../core/model/events/event.ts'
import { HANDLER_TYPES, type Entry, type Matcher, type OnError } from '../../../core/model/hooks/entry.ts'
import type { ProposedHook } from '../../../shared/gate/catalogue.ts'
import { nearest } from '../../../shared/base/nearest.ts'
import { isObject, type Json, type JsonObject } from '../../../core/model/base/json.ts'
import { got, type Problem } from '../../../core/model/gate/problem.ts'
import { conditionRemark } from '../../../handlers/condition/condition.ts'
import { judgeFlaw } from '../../entry/entry-check.ts'
import { compilePattern } from '../../../core/model/base/pattern.ts'
import { isSystem } from '../systems.ts'
import { takeOptions, type HookOptions } from '../options.ts'
import { boundsFlaw, trimmed } from './foreign-bounds.ts'
import { correctFix, type Source } from '../source.ts'

/**
 * One hook as another system's file describes it, before the gate's bounds apply. An absent field means that
 * system's default. The matcher is for that system's names, and when its `pattern` has no field, the event's
 * `matches` is filled in.
 */
export interface ForeignHook
  extends
    Pick<Entry, 'command' | 'origin'>,
    Partial<Omit<Entry, 'event' | 'dialect' | 'command' | 'origin'>> {
  readonly dialect: ForeignDialect
  /** The event name as the file spells it. */
  readonly event: string
  /** Its line in the file, for a problem. */
  readonly line?: number
  readonly remarks?: Remarks
}

/** Sentences for the person. What is no text is left out. */
export type Remarks = readonly (string | false | undefined)[]

/** The files that a reader of another system may read, and the facts about those systems. */
export interface ForeignPorts {
  /** Reads one file, relative to the workspace or absolute, in bounded size. */
  read(file: string): { readonly text: string } | { readonly why: string }
  /** Lists the sorted names in a folder, in bounded number. Names of folders end with a slash. */
  list(folder: string): { readonly names: readonly string[] } | { readonly why: string }
  /** True when the file's mode has an executable bit. */
  isExecutable(file: string): boolean
  readonly dialects: Readonly<Record<ForeignDialect, Pick<Dialect, 'events' | 'timeoutMs' | 'shell'>>>
}

/** Reads one source: a file or folder, relative to the workspace or absolute. Never throws. */
export type ReadForeign = (place: string, ports: ForeignPorts) => Source

/** Finds a system's event by the system's name for it. */
export const nativeIn = (
  { dialects }: Pick<ForeignPorts, 'dialects'>,
  dialect: ForeignDialect,
  name: string,
): NativeEvent | undefined => dialects[dialect].events.find((native) => native.name === name)

/**
 * A matcher of plain characters is a list of whole names, to which their other names are added. Undefined: it
 * is a pattern.
 */
export const namesIn = (
  matcher: string,
  others: Readonly<Record<string, readonly string[]>>,
): readonly string[] | undefined => {
  if (!/^[A-Za-z0-9_\- ,|]+$/.test(matcher)) return undefined
  const names = matcher
    .split(/[|,]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return [
    ...new Set(names.flatMap((name) => [name, ...((Object.hasOwn(others, name) && others[name]) || [])])),
  ]
}

/** A pattern that matches one of these as a whole. */
export const whole = (parts: readonly string[]): string => `^(?:${parts.join('|')})$`

/** A pattern that is searched in the tool's name where the event's matcher is about tools. */
export const searched = (native: NativeEvent | undefined, pattern: string | undefined): Matcher | undefined =>
  pattern === undefined ? undefined : native?.matches === 'tool_name' ? { tool: pattern } : { pattern }

type Stated = Pick<ForeignHook, 'event' | 'command' | 'origin' | 'line'>

/** A hook that cannot be read, listed with what is wrong with it. */
export const invalid = (
  { event, command, origin, line }: Stated,
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
export const unmapped = (hook: Stated, why: string): ProposedHook =>
  invalid(
    hook,
    'source.unmapped',
    `Expected a hook that hookgate can run, but ${why}.`,
    'Remove it, or write it again in config/shell_hooks.yaml.',
  )

/** The default timeout of a hook that is a prompt. Every other kind gets the dialect's default. */
export const promptTimeoutMs = 30_000

/** The target of a hook, or the reason why it cannot run here. */
export type Subject =
  | Pick<ForeignHook, 'type' | 'command' | 'args' | 'shell' | 'headers' | 'model' | 'timeoutMs' | 'remarks'>
  | { readonly why: string }

/** What the options of a hook say. */
type Said = Omit<ForeignHook, 'event' | 'origin' | 'line'> | { readonly why: string }

/** How the hooks of one system stand in its files. */
export interface HookForm {
  /** The options of which the first one that is text stands for the hook in lists. */
  readonly shown: readonly string[]
  /** What is expected in place of a value that is no hook. */
  readonly expected: string
}

export type HookPlace = Omit<Stated, 'command'>

/** Reads one hook by its options. */
export const readHook = (
  raw: Json,
  place: HookPlace,
  { shown, expected }: HookForm,
  read: (options: HookOptions, command: string) => Said,
): ForeignHook | ProposedHook => {
  const fields = isObject(raw) ? raw : {}
  const command = shown.map((key) => fields[key]).find((value) => typeof value === 'string') ?? '(no command)'
  const stated = { ...place, command }
  if (!isObject(raw)) return invalid(stated, 'source.shape', `Expected ${expected}, got ${got(raw)}.`)
  const options = takeOptions(raw)
  const said = read(options, command)
  const flaw = options.flaw()
  if (flaw !== undefined) return invalid(stated, 'source.option', flaw)
  return 'why' in said
    ? unmapped(stated, said.why)
    : { ...stated, ...said, remarks: [...(said.remarks ?? []), ...options.unknownRemarks()] }
}

/** A hook of a file that is not read yet. Who counts too many hooks reads none of them. */
export type UnreadHook = () => ForeignHook | ProposedHook

/** The hooks of a file that has one flat list of them for each event. */
export const listedHooks = (
  hooks: JsonObject,
  file: string,
  read: (event: string, raw: Json, index: number) => ForeignHook | ProposedHook,
): readonly UnreadHook[] =>
  Object.entries(hooks).flatMap(([event, list]): readonly UnreadHook[] =>
    Array.isArray(list)
      ? list.map((raw: Json, index) => () => read(event, raw, index))
      : [
          () =>
            invalid(
              { event, command: file, origin: file },
              'source.hooks',
              `Expected "hooks.${event.slice(0, 60)}" to be a list of hooks, got ${got(list)}.`,
            ),
        ],
  )

/** The reason why a hook cannot run in a folder that only a person's own environment names. */
export const folderFlaw = (cwd: string | undefined, within: string): { readonly why: string } | undefined =>
  cwd !== undefined && /^~|\$/.test(cwd)
    ? {
        why: `its folder ${got(cwd)} depends on a person's home or environment. Write it relative to the ${within}`,
      }
    : undefined

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
const meantWords = (name: string, dialect: ForeignDialect, ports: Pick<ForeignPorts, 'dialects'>): string => {
  const other = FOREIGN_DIALECTS.filter(isSystem).find((one) => nativeIn(ports, one, name) !== undefined)
  if (other !== undefined) return `; ${other} has it, and its files belong under "${other}"`
  const meant = nearest(
    name.slice(0, 60),
    ports.dialects[dialect].events.map((native) => native.name),
  )
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`
}

/**
 * Makes an entry from a foreign hook, with that system's defaults and the gate's bounds. Remarks name the
 * differences. A hook that could not be read stays as it is.
 */
export const proposeForeign = (
  foreign: ForeignHook | ProposedHook,
  ports: Pick<ForeignPorts, 'dialects'>,
): ProposedHook => {
  if ('kind' in foreign) return foreign
  const { dialect, type = 'command' } = foreign
  const { hook, remarks: trims } = trimmed(type, foreign)
  const native = nativeIn(ports, dialect, hook.event)
  if (native?.event === undefined) {
    const why =
      native === undefined
        ? `${dialect} has no event ${got(hook.event)}${meantWords(hook.event, dialect, ports)}`
        : `${hook.event} cannot be mapped: ${native.note ?? 'hookgate has no such event'}`
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
  const bounds = ports.dialects[dialect].timeoutMs
  const asked = hook.timeoutMs === undefined || !(hook.timeoutMs > 0) ? bounds.default : hook.timeoutMs
  const timeoutMs = Math.min(Math.max(asked, bounds.min), bounds.max)
  const isGate = contractOf(native.event).gate.includes('block')
  const canClose = isGate && hasVeto(native)
  const asksFor: OnError = hook.onError ?? (native.failsClosed === true ? 'block' : 'warn')
  const onError = asksFor === 'block' && isGate && !canClose ? 'warn' : asksFor
  const remarks = [
    native.note !== undefined && `${native.name}: ${native.note}.`,
    ...(hook.remarks ?? []),
    ...trims,
    remark,
    hook.condition !== undefined && conditionRemark(hook.condition),
    timeoutMs !== asked &&
      `Its timeout of ${seconds(asked)} is outside ${seconds(bounds.min)} to ${seconds(bounds.max)}, so it gets ${seconds(timeoutMs)}.`,
    asksFor === 'block' && !canClose && `A fault of this hook cannot block ${native.name}, so it goes on.`,
  ].filter((one) => typeof one === 'string')
  const { event: _event, line: _line, remarks: _remarks, ...facts } = hook
  const entry: Entry = {
    ...facts,
    event: native.event,
    type,
    args: hook.args ?? [],
    dialect: { name: dialect, event: native.name },
    matcher,
    timeoutMs,
    onError,
    priority: hook.priority ?? 100,
    isAsync: hook.isAsync ?? false,
    env: hook.env ?? {},
    files: hook.files ?? [],
  }
  return { kind: 'entry', entry, ...(remarks.length === 0 ? {} : { remarks }) }
}
