import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import type { Speaker } from './speaker.ts'

/**
 * One message of a conversation, as hooks see it in pre_llm_call. A message of the assistant may call tools.
 * Each result is a message with the call's id. `system`: a text of the gate or of a hook for the agent.
 */
export interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'tool' | 'system'
  readonly content: string
  /** The sender of a person's message in a group. */
  readonly speaker?: Speaker
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly input: JsonObject }[]
  readonly tool_call_id?: string
}

const roles: readonly Json[] = [
  'user',
  'assistant',
  'tool',
  'system',
] satisfies readonly ModelMessage['role'][]

const isCall = (value: Json): boolean =>
  isObject(value) &&
  typeof value['id'] === 'string' &&
  typeof value['name'] === 'string' &&
  isObject(value['input'])

/**
 * True when a value from a hook or a file is a message. Its speaker is checked where it is shown: an invalid
 * one counts as nobody.
 */
export const isMessage = (value: unknown): value is ModelMessage => {
  if (!isObject(value) || typeof value['content'] !== 'string' || !roles.includes(value['role'] ?? null))
    return false
  const { tool_calls = [], tool_call_id = '' } = value
  return typeof tool_call_id === 'string' && Array.isArray(tool_calls) && tool_calls.every(isCall)
}

export const asJson = (message: ModelMessage): JsonObject => {
  const { tool_calls, speaker, ...rest } = message
  return {
    ...rest,
    ...(speaker === undefined ? {} : { speaker: { ...speaker } }),
    ...(tool_calls === undefined ? {} : { tool_calls: tool_calls.map((call) => ({ ...call })) }),
  }
}

/** True for a conversation in a group, where the senders are named. */
export const isOfGroup = (messages: readonly ModelMessage[]): boolean =>
  messages.some(({ speaker }) => speaker !== undefined)

/** The person's last message. Empty when there is none. */
export const lastUserMessage = (messages: readonly ModelMessage[]): string =>
  messages.findLast(({ role }) => role === 'user')?.content ?? ''
