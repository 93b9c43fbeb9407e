import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { isObject, type Json, type JsonObject } from '../model/base/json.ts'

/** What stands before that is not looked at: then it does not count as seen. */
const maxTailBytes = 1024 * 1024

const tailOf = (path: string): string => {
  // A pipe by that name must not hold the call up.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, maxTailBytes))
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, size - bytes.length))
  } finally {
    closeSync(fd)
  }
}

const messageIn = (line: string): JsonObject | undefined => {
  try {
    const entry = JSON.parse(line) as Json
    return isObject(entry) && isObject(entry['message']) ? entry['message'] : undefined
  } catch {
    return undefined
  }
}

const callsIn = ({ content }: JsonObject): readonly JsonObject[] =>
  Array.isArray(content) ? content.filter(isObject).filter(({ type }) => type === 'tool_use') : []

/** Whether the model made this call and no other beside it, by what the client wrote down: each message on one line or several. */
const isAlone = (path: string, call: string): boolean => {
  try {
    const messages = tailOf(path)
      .split('\n')
      .map(messageIn)
      .filter((message) => message !== undefined)
    const own = messages.findLast((message) => callsIn(message).some(({ id }) => id === call))
    const all = messages.filter(({ id }) => own !== undefined && id === own['id']).flatMap(callsIn)
    return all.length === 1
  } catch {
    return false
  }
}

/**
 * Whether Claude Code takes `defer` here: it ends, and makes the same call again when it is resumed. Anywhere else it
 * goes on as if no hook had answered, and may run the call (2.1.329: with a person at its terminal, and for more than
 * one call in one message). So whatever is not seen to be right counts as wrong. Without a transcript there is no resume.
 */
export const canPark = (
  env: Readonly<Record<string, string | undefined>>,
  payload: Json | undefined,
): boolean => {
  // The first is inherited, even by one with a person; the second each sets itself.
  if (env['CLAUDE_CODE_ENTRYPOINT'] !== 'sdk-cli' || env['CLAUDE_CODE_SESSION_ATTENDED'] !== '0') return false
  if (!isObject(payload) || payload['hook_event_name'] !== 'PreToolUse' || payload['agent_id'] !== undefined)
    return false
  const { transcript_path: path, tool_use_id: call } = payload
  return typeof path === 'string' && typeof call === 'string' && isAlone(path, call)
}
