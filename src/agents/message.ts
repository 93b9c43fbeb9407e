import { isObject, type Json, type JsonObject } from '../model/json.ts'
import type { Message } from './mind.ts'

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
