import { posix } from 'node:path'
import { isObject, type Json, type JsonObject } from '../model/base/json.ts'
import type { Payload } from '../model/events/payload.ts'
import { inputFromNative, nativeOf, toNative, type ToolNaming } from './tools.ts'

/** The tool call of a payload, as a hook of another system is told it, and the rewrite that it answers. */

/**
 * Returns a path as the agent's tools resolve it. Links are not followed, because the gate opens no file of
 * an agent. A path in a home folder stays, because some agents mean the home of their user by it.
 */
const fullPath = (path: string, cwd: string): string => {
  const plain = posix.normalize(path)
  return plain.startsWith('~/') || !posix.isAbsolute(cwd) ? path : posix.resolve(cwd, plain)
}

/** Returns the absolute path of the call's file; undefined where the system does not ask for one. */
const pathOf = (
  speaker: ToolNaming,
  { tool_name: name, tool_input: input, cwd }: Payload,
): string | undefined =>
  typeof name === 'string' &&
  nativeOf(speaker, name)?.isPathFull === true &&
  isObject(input) &&
  typeof input['path'] === 'string'
    ? fullPath(input['path'], cwd)
    : undefined

/** Returns the fields `tool_name` and `tool_input`. Without a tool there is none of them. */
export const callFor = (speaker: ToolNaming, payload: Payload): JsonObject => {
  const { tool_name: name, tool_input: input = {} } = payload
  if (typeof name !== 'string') return {}
  const path = pathOf(speaker, payload)
  const call = toNative(speaker, {
    name,
    input: path === undefined || !isObject(input) ? input : { ...input, path },
  })
  return { tool_name: call.name, tool_input: call.input }
}

/** Returns rewritten arguments under our names. The path that the hook was told is the path of the call. */
export const rewriteFrom = (speaker: ToolNaming, payload: Payload, input: JsonObject): Json => {
  const { tool_name: name, tool_input: current } = payload
  if (typeof name !== 'string') return input
  const ours = inputFromNative(speaker, name, input, current)
  const isSame = ours['path'] !== undefined && ours['path'] === pathOf(speaker, payload)
  return isSame && isObject(current) ? { ...ours, path: current['path'] ?? null } : ours
}
