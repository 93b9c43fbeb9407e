import type { Answer } from '../model/hooks/answer.ts'
import type { Dialect, ForeignDialect, HandlerOutput, NativeEvent } from '../model/hooks/dialect.ts'
import type { ArmedHook, Entry } from '../model/hooks/entry.ts'
import { contractOf, type EventName } from '../model/events/event.ts'
import type { Json } from '../model/base/json.ts'
import { syntheticPayload, type Payload } from '../model/events/payload.ts'
import { agentHooks } from './agent-hooks/agent-hooks.ts'
import { brokenBy } from './reading/broken.ts'
import { claudeCode } from './claude-code/claude-code.ts'
import { codexHooks, factoryHooks, kimiCliHooks, kimiHooks } from './claude-code/alike.ts'
import { copilot } from './copilot/copilot.ts'
import { cursorHooks } from './cursor/hooks.ts'
import { dockerAgent } from './docker-agent/docker-agent.ts'
import { geminiHooks } from './gemini/hooks.ts'
import { decodeNative } from './native/native.ts'
import { answerIn } from './reading/output.ts'
import { hear } from './reading/refusal.ts'
import { breathe } from '../model/base/breathe.ts'
import { shellProof, shellProofInTurns } from '../model/base/shell-json.ts'
import { toNative } from './tools.ts'

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
}

/** A system's event by its own name. */
export const nativeEvent = (dialect: ForeignDialect, name: string): NativeEvent | undefined =>
  DIALECTS[dialect].events.find((event) => event.name === name)

interface Speaking {
  readonly dialect: Dialect
  readonly native: NativeEvent
}

const speakingOf = ({ dialect }: Pick<Entry, 'dialect'>): Speaking | undefined => {
  if (dialect === undefined) return undefined
  const native = nativeEvent(dialect.name, dialect.event)
  // An approval outlives the table that it was made under.
  if (native === undefined)
    throw new Error(`${dialect.name} has no event ${dialect.event} any more; revoke the hook`)
  return { dialect: DIALECTS[dialect.name], native }
}

/** Our event for a name that is ours or the system's own, and what that system calls it. */
export const eventIn = (
  dialect: ForeignDialect,
  name: string,
): { readonly event: EventName; readonly native: string } | undefined => {
  const native = nativeEvent(dialect, name) ?? DIALECTS[dialect].events.find(({ event }) => event === name)
  return native?.event === undefined ? undefined : { event: native.event, native: native.name }
}

/** Where several of a system's events share one of ours, a word that belongs to none of them passes by none: a report may be odd on purpose. */
const isStrange = (dialect: ForeignDialect, { event }: NativeEvent, field: string, value: Json): boolean => {
  const shares = DIALECTS[dialect].events.flatMap((native) =>
    native.event === event ? [native.where?.[field] ?? []] : [],
  )
  return new Set(shares.map(String)).size > 1 && !shares.flat().includes(value)
}

/** False where the foreign system would not have fired its event. A field that is not there says nothing against it. */
const isFired = (dialect: ForeignDialect, native: NativeEvent, payload: Payload): boolean =>
  Object.entries(native.where ?? {}).every(([field, values]) => {
    const value = payload[field]
    return value === undefined || values.includes(value) || isStrange(dialect, native, field, value)
  })

/** The payload as the hook's own system names its tool; undefined where that system's event would not have fired. */
export const viewFor = (entry: Entry, payload: Payload): Payload | undefined => {
  const { dialect } = entry
  if (dialect === undefined) return payload
  const native = nativeEvent(dialect.name, dialect.event)
  if (native !== undefined && !isFired(dialect.name, native, payload)) return undefined
  const { matches, values = {} } = native ?? {}
  const value = matches === undefined ? undefined : payload[matches]
  const theirs = typeof value === 'string' && Object.hasOwn(values, value) ? values[value] : undefined
  if (matches !== undefined && theirs !== undefined) return { ...payload, [matches]: theirs }
  const { tool_name: name, tool_input: input } = payload
  if (typeof name !== 'string') return payload
  const tool = toNative(dialect.name, { name, input: input ?? {} })
  return { ...payload, tool_name: tool.name, tool_input: tool.input }
}

const stdinText = (entry: ArmedHook['entry'], payload: Payload): string => {
  const speaking = speakingOf(entry)
  const stdin: Json = speaking === undefined ? payload : speaking.dialect.encode(speaking.native, payload)
  return speaking?.dialect.isSpaced === true
    ? JSON.stringify(stdin, undefined, 1).replaceAll(/\n */g, ' ')
    : JSON.stringify(stdin)
}

/**
 * The payload as a hook's own system puts it, as JSON. A large one is given later, since the thread looks at everything
 * else before. What a program gets survives an `echo` of its shell; a server or a model reads it with no shell between.
 */
export const stdinFor = ({ entry }: ArmedHook, payload: Payload): string | Promise<string> => {
  const isProgram = entry.type === 'command' || entry.type === 'process'
  const pause = breathe(payload)
  if (pause === undefined)
    return isProgram ? shellProof(stdinText(entry, payload)) : stdinText(entry, payload)
  return pause.then(() => {
    const text = stdinText(entry, payload)
    return isProgram ? shellProofInTurns(text) : text
  })
}

export const envFor = (hook: ArmedHook, payload: Payload): Readonly<Record<string, string>> =>
  speakingOf(hook.entry)?.dialect.env(payload, hook) ?? {}

/** The variables that an entry's own system gives its hooks, by name. */
export const variablesOf = (entry: Entry): readonly string[] => {
  const speaking = speakingOf(entry)
  if (speaking === undefined) return []
  const sample = syntheticPayload(entry.event, '/', new Date(0))
  const root = entry.root === undefined ? {} : { root: '/' }
  return Object.keys(speaking.dialect.env(sample, { hookDir: '/', workspace: '/', ...root }))
}

/** Reads what a hook left behind in its own system's words, and a refusal in any other's where it can refuse. */
const readingOf = (entry: Entry, payload: Payload): ((output: HandlerOutput) => Answer) => {
  const { event } = payload
  // What is hookgate's own answers in our language, whoever's file proposed it.
  const speaking = entry.type === 'builtin' ? undefined : speakingOf(entry)
  if (speaking === undefined) {
    const decode = (left: HandlerOutput): Answer => decodeNative(event, left)
    return (output) => hear({ event, system: 'hookgate', decode }, output)
  }
  const { dialect, native } = speaking
  const decode = (left: HandlerOutput): Answer => dialect.decode(native, payload, left)
  if (native.isGate !== true) return decode
  return (output) => hear({ event, system: dialect.name, decode }, output)
}

const asyncWords = ['async', 'asyncTimeout']
/** Its name, or an escape that can stand for a letter of it. */
const mayBeAsync = /async|\\u/

/**
 * The output without a first line `{"async": true}`, with which Claude Code lets a hook run on in the background. Where
 * something can be refused its step waited for it, so what follows is its answer; elsewhere it is a log.
 */
const withoutAsync = (event: EventName, output: HandlerOutput): HandlerOutput => {
  const stdout = output.stdout.trimStart()
  const end = stdout.indexOf('\n')
  const line = end === -1 ? stdout : stdout.slice(0, end)
  // Any other answer is read once, by its own system.
  const json = mayBeAsync.test(line) ? answerIn(line) : undefined
  if (json?.['async'] !== true || !Object.keys(json).every((name) => asyncWords.includes(name))) return output
  return { ...output, stdout: contractOf(event).gate.length === 0 || end === -1 ? '' : stdout.slice(end + 1) }
}

/** What a hook answered. Where its shell failed instead, only a refusal or a question that it printed counts. */
export const decodeFor = ({ entry }: ArmedHook, payload: Payload, printed: HandlerOutput): Answer => {
  const read = readingOf(entry, payload)
  const output = withoutAsync(payload.event, printed)
  const fault = brokenBy(output)
  if (fault === undefined) return read(output)
  const said = read({ ...output, exitCode: 0, stderr: '' })
  if (said.kind === 'block' || said.kind === 'ask') return { ...said, notes: [...said.notes, fault.detail] }
  return { kind: 'fault', fault, notes: [] }
}
