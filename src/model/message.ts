import { isObject, type Json, type JsonObject } from './json.ts'

/**
 * One message of a conversation, as hooks see it in pre_llm_call. An assistant's may ask for tools; each of their results
 * is a message of its own that bears the call's id. `system`: what the gate or a hook said to the agent.
 */
export interface Message {
  readonly role: 'user' | 'assistant' | 'tool' | 'system'
  readonly content: string
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly input: JsonObject }[]
  readonly tool_call_id?: string
}

const roles: readonly Json[] = ['user', 'assistant', 'tool', 'system'] satisfies readonly Message['role'][]

const isCall = (value: Json): boolean => isObject(value) && typeof value['id'] === 'string' && typeof value['name'] === 'string' && isObject(value['input'])

/** True for what a hook or a file gave and is a message. */
export const isMessage = (value: unknown): value is Message => {
  if (!isObject(value) || typeof value['content'] !== 'string' || !roles.includes(value['role'] ?? null)) return false
  const { tool_calls = [], tool_call_id = '' } = value
  return typeof tool_call_id === 'string' && Array.isArray(tool_calls) && tool_calls.every(isCall)
}

export const asJson = (message: Message): JsonObject => {
  const { tool_calls, ...rest } = message
  return { ...rest, ...(tool_calls === undefined ? {} : { tool_calls: tool_calls.map((call) => ({ ...call })) }) }
}

/** What the person said last; empty where nobody said anything. */
export const lastUserMessage = (messages: readonly Message[]): string =>
  messages.findLast(({ role }) => role === 'user')?.content ?? ''
