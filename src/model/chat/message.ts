import { isObject, type Json, type JsonObject } from '../base/json.ts'
import type { Speaker } from './speaker.ts'

/**
 * One message of a conversation, as hooks see it in pre_llm_call. An assistant's may ask for tools; each of their results
 * is a message of its own that bears the call's id. `system`: what the gate or a hook said to the agent.
 */
export interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'tool' | 'system'
  readonly content: string
  /** Who sent it, where it is a person's and came from a group. */
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

/** True for what a hook or a file gave and is a message. Its speaker is looked at where it is shown: one that was spoilt is nobody. */
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

/** True for a conversation in which people are told apart: one of a group. */
export const isOfGroup = (messages: readonly ModelMessage[]): boolean =>
  messages.some(({ speaker }) => speaker !== undefined)

/** What the person said last; empty where nobody said anything. */
export const lastUserMessage = (messages: readonly ModelMessage[]): string =>
  messages.findLast(({ role }) => role === 'user')?.content ?? ''
