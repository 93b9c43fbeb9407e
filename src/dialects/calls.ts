import { posix } from 'node:path'
import { isObject, type Json, type JsonObject } from '../core/model/base/json.ts'
import type { Payload } from '../core/model/events/payload.ts'
import { inputOf, patchOf, type FileChange } from './codex/patch.ts'
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

/** Returns a call that names a file, with the file's absolute path; undefined for any other call. */
const fileCallOf = ({ tool_name: tool, tool_input: input, cwd }: Payload): FileChange | undefined =>
  typeof tool === 'string' && isObject(input) && typeof input['path'] === 'string'
    ? { tool, input, path: fullPath(input['path'], cwd), cwd }
    : undefined

/** Returns the fields `tool_name` and `tool_input`. Without a tool there is none of them. */
export const callFor = (speaker: ToolNaming, payload: Payload): JsonObject => {
  const { tool_name: name, tool_input: input = {} } = payload
  if (typeof name !== 'string') return {}
  const file = fileCallOf(payload)
  const native = nativeOf(speaker, name)
  if (file !== undefined && native?.isPatch === true)
    return { tool_name: native.name, tool_input: patchOf(file) }
  const full = file !== undefined && native?.isPathFull === true ? { ...file.input, path: file.path } : input
  const call = toNative(speaker, { name, input: full })
  return { tool_name: call.name, tool_input: call.input }
}

/**
 * Returns rewritten arguments under our names. The path or the patch that the hook was told is that of the
 * call. A new patch that cannot be carried over is returned as it is, which is a fault of the rewrite.
 */
export const rewriteFrom = (speaker: ToolNaming, payload: Payload, input: JsonObject): Json => {
  const { tool_name: name, tool_input: current } = payload
  if (typeof name !== 'string') return input
  const file = fileCallOf(payload)
  const native = nativeOf(speaker, name)
  if (file !== undefined && native?.isPatch === true) {
    const { command, ...rest } = input
    if (command === undefined) return rest
    if (command === patchOf(file)['command']) return { ...file.input, ...rest }
    const ours = typeof command === 'string' ? inputOf(file, command) : undefined
    return ours === undefined ? command : { ...rest, ...ours }
  }
  const ours = inputFromNative(speaker, name, input, current)
  return file !== undefined && native?.isPathFull === true && ours['path'] === file.path
    ? { ...ours, path: file.input['path'] ?? null }
    : ours
}
