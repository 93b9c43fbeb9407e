import { syntheticPayload } from '../shared/events/synthetic.ts'
import type { Answer } from '../core/model/hooks/answer.ts'
import type { ForeignDialect, HandlerOutput } from '../core/model/hooks/dialect.ts'
import { hasVeto, type Dialect, type NativeEvent } from '../shared/hooks/dialect.ts'
import type { ArmedHook, Entry } from '../core/model/hooks/entry.ts'
import { contractOf, type EventName } from '../core/model/events/event.ts'
import type { Json } from '../core/model/base/json.ts'
import type { Payload } from '../core/model/events/payload.ts'
import { agentHooks } from './agent-hooks/agent-hooks.ts'
import { brokenBy } from './reading/broken.ts'
import { claudeCode } from './claude-code/claude-code.ts'
import { factoryHooks } from './claude-code/alike.ts'
import { codexHooks } from './codex/codex.ts'
import { copilot } from './copilot/copilot.ts'
import { cursorHooks } from './cursor/cursor.ts'
import { dockerAgent } from './docker-agent/docker-agent.ts'
import { geminiHooks } from './gemini/gemini.ts'
import { kimiCliHooks, kimiHooks } from './kimi/kimi.ts'
import { decodeNative } from './native/native.ts'
import { answerIn } from './reading/output.ts'
import { decodeWithRefusals } from './reading/refusal.ts'
import { responsibleAi } from './responsibleai/responsibleai.ts'
import { yieldIfLarge } from '../core/model/base/yield-if-large.ts'
import { memoizeEach } from '../core/model/base/memoize.ts'
import { shellProof, shellProofInTurns } from '../shared/base/shell.ts'
import { callFor } from './calls.ts'

export const DIALECTS: Readonly<Record<ForeignDialect, Dialect>> = {
  'claude-code': claudeCode,
  'docker-agent': dockerAgent,
  'agent-hooks': agentHooks,
  copilot,
  codex: codexHooks,
  gemini: geminiHooks,
  cursor: cursorHooks,
  kimi: kimiHooks,
  'kimi-cli': kimiCliHooks,
  factory: factoryHooks,
  'responsibleai-agent-hooks': responsibleAi,
}

/** Finds a system's event by the system's name for it. */
export const nativeEvent = (dialect: ForeignDialect, name: string): NativeEvent | undefined =>
  DIALECTS[dialect].events.find((event) => event.name === name)

interface DialectEvent {
  readonly dialect: Dialect
  readonly native: NativeEvent
}

const dialectEventOf = ({ dialect }: Pick<Entry, 'dialect'>): DialectEvent | undefined => {
  if (dialect === undefined) return undefined
  const native = nativeEvent(dialect.name, dialect.event)
  // An approval can be older than the present table of events.
  if (native === undefined)
    throw new Error(`${dialect.name} no longer has the event ${dialect.event}. Revoke the hook.`)
  return { dialect: DIALECTS[dialect.name], native }
}

/** Finds an event by our name or the system's name. Returns both names. */
export const eventIn = (
  dialect: ForeignDialect,
  name: string,
): { readonly event: EventName; readonly native: string } | undefined => {
  const native = nativeEvent(dialect, name) ?? DIALECTS[dialect].events.find(({ event }) => event === name)
  return native?.event === undefined ? undefined : { event: native.event, native: native.name }
}

/**
 * Returns whether a value belongs to none of the system's events that divide one of ours among them. Such a
 * value must not bypass all of them, because a report may be odd on purpose.
 */
const isStrange = (dialect: ForeignDialect, { event }: NativeEvent, field: string, value: Json): boolean => {
  const shares = DIALECTS[dialect].events.flatMap((native) =>
    native.event === event ? [native.where?.[field]] : [],
  )
  // Where one event takes every value, nothing bypasses it.
  return new Set(shares.map(String)).size > 1 && shares.every((values) => values?.includes(value) === false)
}

/**
 * Returns false if the foreign system would not have fired its event. A missing field does not prevent it.
 */
const isFired = (dialect: ForeignDialect, native: NativeEvent, payload: Payload): boolean =>
  Object.entries(native.where ?? {}).every(([field, values]) => {
    const value = payload[field]
    return value === undefined || values.includes(value) || isStrange(dialect, native, field, value)
  })

/**
 * Returns the payload with the tool call as the hook's own system tells it; undefined if that system would
 * not have fired its event.
 */
export const viewFor = (entry: Entry, payload: Payload): Payload | undefined => {
  const { dialect } = entry
  if (dialect === undefined) return payload
  const native = nativeEvent(dialect.name, dialect.event)
  if (native !== undefined && !isFired(dialect.name, native, payload)) return undefined
  const { matches, values = {} } = native ?? {}
  const value = matches === undefined ? undefined : payload[matches]
  const theirs = typeof value === 'string' && Object.hasOwn(values, value) ? values[value] : undefined
  if (matches !== undefined && theirs !== undefined) return { ...payload, [matches]: theirs }
  return { ...payload, ...callFor(dialect.name, payload) }
}

const stdinText = (entry: ArmedHook['entry'], payload: Payload): string => {
  const foreign = dialectEventOf(entry)
  const stdin: Json = foreign === undefined ? payload : foreign.dialect.encode(foreign.native, payload)
  return foreign?.dialect.isSpaced === true
    ? JSON.stringify(stdin, undefined, 1).replaceAll(/\n */g, ' ')
    : JSON.stringify(stdin)
}

/** All programs of ours that are asked about one payload get one text. */
const programText = memoizeEach((payload: Payload) => shellProof(JSON.stringify(payload)))

/**
 * The payload as a hook's own system puts it, as JSON. A large one is given later, since the thread looks at
 * everything else before. What a program gets survives an `echo` of its shell; a server or a model reads it
 * with no shell between. A command gets a whole line with its line break, because without one the `read` of a
 * shell fails.
 */
export const stdinFor = ({ entry }: ArmedHook, payload: Payload): string | Promise<string> => {
  const isProgram = entry.type === 'command' || entry.type === 'process'
  const end = entry.type === 'command' ? '\n' : ''
  const pause = yieldIfLarge(payload)
  if (pause === undefined) {
    if (!isProgram) return stdinText(entry, payload)
    const isOurs = entry.dialect === undefined
    return `${isOurs ? programText(payload) : shellProof(stdinText(entry, payload))}${end}`
  }
  return pause.then(async () => {
    const text = stdinText(entry, payload)
    return `${isProgram ? await shellProofInTurns(text) : text}${end}`
  })
}

export const envFor = (hook: ArmedHook, payload: Payload): Readonly<Record<string, string>> =>
  dialectEventOf(hook.entry)?.dialect.env(payload, hook) ?? {}

/** Returns whether a failure of the hook may refuse a step: where its own system lets a hook refuse. */
export const mayRefuse = ({ dialect }: Pick<Entry, 'dialect'>): boolean => {
  const native = dialect === undefined ? undefined : nativeEvent(dialect.name, dialect.event)
  return native === undefined || hasVeto(native)
}

/** True for a hook whose own system asks it beside all others before a step, and not in its turn. */
export const isSideBySide = ({ entry }: Pick<ArmedHook, 'entry'>): boolean =>
  dialectEventOf(entry)?.native.isSideBySide === true

/** True for an async hook whose own system passes refused events to it, too, since it is often an audit. */
export const hearsRefusals = ({ entry }: Pick<ArmedHook, 'entry'>): boolean =>
  dialectEventOf(entry)?.dialect.hearsRefusals === true

/** Returns the names of the variables that an entry's own system gives its hooks. */
export const variablesOf = (entry: Entry): readonly string[] => {
  const foreign = dialectEventOf(entry)
  if (foreign === undefined) return []
  const sample = syntheticPayload(entry.event, '/', new Date(0))
  const root = entry.root === undefined ? {} : { root: '/' }
  return Object.keys(foreign.dialect.env(sample, { hookDir: '/', workspace: '/', ...root }))
}

/**
 * Makes the function that reads a hook's output: in the words of its own system, and where the hook can
 * refuse, also refusals in the words of any other system.
 */
const readingOf = (entry: Entry, payload: Payload): ((output: HandlerOutput) => Answer) => {
  const { event } = payload
  // A builtin answers in hookgate's own words, whoever's file proposed it.
  const foreign = entry.type === 'builtin' ? undefined : dialectEventOf(entry)
  if (foreign === undefined) {
    const decode = (printed: HandlerOutput): Answer => decodeNative(event, printed)
    return (output) => decodeWithRefusals({ event, system: 'hookgate', decode }, output)
  }
  const { dialect, native } = foreign
  const decode = (printed: HandlerOutput): Answer => dialect.decode(native, payload, printed)
  if (native.isGate !== true) return decode
  return (output) => {
    const own = dialect.asksByDeny === true ? decode(output) : undefined
    return own?.kind === 'ask' ? own : decodeWithRefusals({ event, system: dialect.name, decode }, output)
  }
}

const asyncWords = ['async', 'asyncTimeout']
/** The name, or an escape sequence that can be a letter of it. */
const mayBeAsync = /async|\\u/

/**
 * Removes a first line `{"async": true}`, with which a Claude Code hook asks to continue in the background.
 * At an event with a gate the step waited for the hook, so the rest is its answer; at other events the rest
 * is a log.
 */
const withoutAsync = (event: EventName, output: HandlerOutput): HandlerOutput => {
  const stdout = output.stdout.trimStart()
  const end = stdout.indexOf('\n')
  const line = end === -1 ? stdout : stdout.slice(0, end)
  // The parse is skipped if the line cannot hold the word, because the hook's own system parses any other
  // answer.
  const json = mayBeAsync.test(line) ? answerIn(line) : undefined
  if (json?.['async'] !== true || !Object.keys(json).every((name) => asyncWords.includes(name))) return output
  const rest = contractOf(event).gate.length === 0 || end === -1 ? '' : stdout.slice(end + 1)
  return { ...output, stdout: rest, json: undefined }
}

/** At exit 2 the words on stdout are the reason if there are none on stderr. An answer is not such words. */
const withReason = (output: HandlerOutput): HandlerOutput => {
  const { exitCode, stdout, stderr, isTruncated } = output
  const isUnsaid = exitCode === 2 && stderr.trim() === '' && !isTruncated && !/^[ \t]*\{/m.test(stdout)
  return isUnsaid ? { ...output, stderr: stdout } : output
}

/**
 * Returns a hook's answer. If its shell or interpreter failed, only a refusal or question that it printed
 * counts.
 */
export const decodeFor = ({ entry }: ArmedHook, payload: Payload, printed: HandlerOutput): Answer => {
  const read = readingOf(entry, payload)
  const output = withReason(withoutAsync(payload.event, printed))
  const fault = brokenBy(output)
  if (fault === undefined) return read(output)
  const answer = read({ ...output, exitCode: 0, stderr: '' })
  if (answer.kind === 'block' || answer.kind === 'ask')
    return { ...answer, notes: [...answer.notes, fault.detail] }
  return { kind: 'fault', fault, notes: [] }
}
