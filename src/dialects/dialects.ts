import type { Answer } from '../model/answer.ts'
import type { Dialect, ForeignDialect, HandlerOutput, NativeEvent } from '../model/dialect.ts'
import type { ArmedHook, Entry } from '../model/entry.ts'
import type { Json } from '../model/json.ts'
import type { Payload } from '../model/payload.ts'
import { agentHooks } from './agent-hooks.ts'
import { claudeCode } from './claude-code.ts'
import { copilot } from './copilot.ts'
import { dockerAgent } from './docker-agent.ts'
import { decodeNative } from './native.ts'
import { toNative } from './tools.ts'

export const DIALECTS: Readonly<Record<ForeignDialect, Dialect>> = {
  'claude-code': claudeCode,
  'docker-agent': dockerAgent,
  'agent-hooks': agentHooks,
  copilot,
}

/** A system's event by its own name. */
export const nativeEvent = (dialect: ForeignDialect, name: string): NativeEvent | undefined => DIALECTS[dialect].events.find((event) => event.name === name)

interface Speaking {
  readonly dialect: Dialect
  readonly native: NativeEvent
}

const speakingOf = ({ dialect }: Entry): Speaking | undefined => {
  if (dialect === undefined) return undefined
  const native = nativeEvent(dialect.name, dialect.event)
  // An approval outlives the table that it was made under.
  if (native === undefined) throw new Error(`${dialect.name} has no event ${dialect.event} any more; revoke the hook`)
  return { dialect: DIALECTS[dialect.name], native }
}

/** False where the foreign system would not have fired its event. A field that is not there says nothing against it. */
const isFired = ({ where = {} }: NativeEvent, payload: Payload): boolean =>
  Object.entries(where).every(([field, values]) => payload[field] === undefined || values.includes(payload[field]))

/** The payload as the hook's own system names its tool; undefined where that system's event would not have fired. */
export const viewFor = (entry: Entry, payload: Payload): Payload | undefined => {
  const { dialect } = entry
  if (dialect === undefined) return payload
  const native = nativeEvent(dialect.name, dialect.event)
  if (native !== undefined && !isFired(native, payload)) return undefined
  const { tool_name: name, tool_input: input } = payload
  if (typeof name !== 'string') return payload
  const tool = toNative(dialect.name, { name, input: input ?? {} })
  return { ...payload, tool_name: tool.name, tool_input: tool.input }
}

export const stdinFor = ({ entry }: ArmedHook, payload: Payload): string => {
  const speaking = speakingOf(entry)
  const stdin: Json = speaking === undefined ? payload : speaking.dialect.encode(speaking.native, payload)
  return JSON.stringify(stdin)
}

export const envFor = ({ entry, hookDir }: ArmedHook, payload: Payload): Readonly<Record<string, string>> =>
  speakingOf(entry)?.dialect.env(payload, hookDir) ?? {}

export const decodeFor = ({ entry }: ArmedHook, payload: Payload, output: HandlerOutput): Answer => {
  const speaking = speakingOf(entry)
  return speaking === undefined ? decodeNative(payload.event, output) : speaking.dialect.decode(speaking.native, payload, output)
}
