import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isObject, type Json, type JsonObject } from '../core/model/base/json.ts'

/** Only the last part of the transcript is read. A call before it counts as not found. */
const maxTailBytes = 1024 * 1024

const tailOf = (path: string): string => {
  // A pipe at that path must not block the call.
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

/**
 * The number of calls in the message in which the model made this one. A client writes a message on one line
 * or on several. 0: the transcript does not show the call.
 */
const callsBeside = (path: string, call: string): number => {
  try {
    const messages = tailOf(path)
      .split('\n')
      .map(messageIn)
      .filter((message) => message !== undefined)
    const own = messages.findLast((message) => callsIn(message).some(({ id }) => id === call))
    return messages.filter(({ id }) => own !== undefined && id === own['id']).flatMap(callsIn).length
  } catch {
    return 0
  }
}

/** Claude Code was seen to write a call 6 to 21 ms after it started the hook for it. */
const writtenWithinMs = 100
const lookEveryMs = 10

/** True when the transcript shows this call, and no other in the same message. */
const isAlone = async (path: string, call: string): Promise<boolean> => {
  const from = performance.now()
  let calls = callsBeside(path, call)
  while (calls === 0 && performance.now() - from < writtenWithinMs) {
    await pause(lookEveryMs)
    calls = callsBeside(path, call)
  }
  return calls === 1
}

/**
 * True when Claude Code accepts `defer` here: it ends, and makes the same call again when it is resumed. In
 * other cases it continues as if no hook had answered, and may run the call (2.1.329: with a person at its
 * terminal, and for several calls in one message). So the answer is false unless every condition is seen to
 * hold. Without a transcript there is no resume.
 */
export const canPark = async (
  env: Readonly<Record<string, string | undefined>>,
  payload: Json | undefined,
): Promise<boolean> => {
  // Child processes inherit the first variable, even one with a person at its terminal. Every process sets
  // the second one itself.
  if (env['CLAUDE_CODE_ENTRYPOINT'] !== 'sdk-cli' || env['CLAUDE_CODE_SESSION_ATTENDED'] !== '0') return false
  if (!isObject(payload) || payload['hook_event_name'] !== 'PreToolUse' || payload['agent_id'] !== undefined)
    return false
  const { transcript_path: path, tool_use_id: call } = payload
  return typeof path === 'string' && typeof call === 'string' && (await isAlone(path, call))
}
