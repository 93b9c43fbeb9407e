import type { Dialect } from '../../shared/hooks/dialect.ts'
import { isObject, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { callFor } from '../calls.ts'
import { nonNullFields } from '../reading/fields.ts'
import { resultText } from '../reading/output.ts'
import { encoderOf, written, type Rows } from '../table.ts'
import { isPascal, isVsCode, plainName, vsCodePrefix } from './names.ts'

export const resultType = ({ tool_error: isError }: Payload): string =>
  isError === true ? 'failure' : 'success'

export const resultOf = ({ tool_result: result }: Payload): string =>
  result === undefined ? '' : resultText(result)

const vsCodeEncoder = (rows: Rows): Dialect['encode'] =>
  encoderOf(
    'vs-code',
    rows,
    (name, { timestamp, cwd, session_id, tool_use_id, transcript_path = '' }) => {
      const event = name.slice(vsCodePrefix.length)
      return nonNullFields({
        timestamp,
        cwd,
        session_id,
        sessionId: session_id,
        hook_event_name: event,
        hookEventName: event,
        transcript_path,
        tool_use_id,
      })
    },
    nonNullFields,
  )

export const snake = (name: string): string =>
  name === 'response'
    ? 'last_assistant_message'
    : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns the same fields in snake_case, with Claude Code's tool names. */
const inSnake = (event: string, payload: Payload, fields: JsonObject): JsonObject => {
  const renamed = Object.fromEntries(Object.entries(fields).map(([key, value]) => [snake(key), value]))
  if (payload['tool_name'] === undefined) return renamed
  const { tool_args: _, ...others } = renamed
  const { tool_name: name = '', tool_input: claude = {} } = callFor('claude-code', payload)
  // VS Code uses these event names too, and has another name for the path.
  const path = isObject(claude) ? claude['file_path'] : undefined
  return {
    ...others,
    tool_name: name,
    tool_input: isObject(claude) && path !== undefined ? { ...claude, filePath: path } : claude,
    ...(event === 'postToolUse'
      ? { tool_result: { result_type: resultType(payload), text_result_for_llm: resultOf(payload) } }
      : {}),
  }
}

/** These events have the same fields under both names. */
const alwaysCamel = ['permissionRequest', 'notification']

/** Makes the encoder of all three forms of the events. */
export const encoderFor = (rows: Rows, vsCodeRows: Rows): Dialect['encode'] => {
  const encodeVsCode = vsCodeEncoder(vsCodeRows)
  return (native, payload) => {
    if (isVsCode(native)) return encodeVsCode(native, payload)
    const { session_id, cwd, timestamp } = payload
    const event = plainName(native)
    const fields = nonNullFields(written('copilot', { ...rows[event], isCall: undefined }, payload))
    if (isPascal(native) && !alwaysCamel.includes(event))
      return { hook_event_name: native.name, session_id, timestamp, cwd, ...inSnake(event, payload, fields) }
    const atMs = Date.parse(timestamp)
    return {
      ...(event === 'permissionRequest' ? { hookName: event } : {}),
      sessionId: session_id,
      timestamp: Number.isFinite(atMs) ? atMs : 0,
      cwd,
      ...fields,
    }
  }
}
