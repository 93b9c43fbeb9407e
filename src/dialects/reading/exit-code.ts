import type { Client, NativeReport, ToolRan } from '../../shared/gate/client.ts'
import type { Json } from '../../core/model/base/json.ts'
import { valueAt } from '../table.ts'

/**
 * The forms in which clients report an exit code. They match only at the start or the end of a text, because
 * the middle holds the command's own output.
 */
const tails: readonly RegExp[] = [
  /<shellId: [^\n>]{1,80} completed with exit code (-?\d{1,9})>$/,
  // The form of Gemini CLI.
  /(?:^|\n)Exit Code: (-?\d{1,9})(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]{0,400}){0,3}(?:\n<\/untrusted_context>)?$/,
]
/** The form of Claude Code, for failures only. */
const head = /^Exit code (-?\d{1,9})(?:\n|$)/
const maxTail = 1000

const exitCodeIn = (text: string): number | undefined => {
  const tail = text.slice(-maxTail).trimEnd()
  const found = [head.exec(text.slice(0, maxTail)), ...tails.map((ending) => ending.exec(tail))].find(
    (match) => match !== null,
  )
  return found?.[1] === undefined ? undefined : Number(found[1])
}

/** OpenCode reports the exit code as a number. */
const openCodeExitCode = (stdin: Json): number | undefined => {
  const exit = valueAt(stdin, 'output.metadata.exit')
  return typeof exit === 'number' ? exit : undefined
}

/** Returns a reported tool call as evidence of what ran. */
export const ranToolOf = (
  { hidesFailures }: Pick<Client, 'hidesFailures'>,
  { event, fields }: NativeReport,
  stdin: Json,
): ToolRan => {
  const { tool_name: name, tool_result: result, tool_error, error } = fields
  const output = result ?? error ?? ''
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  const exitCode = name === 'bash' ? (openCodeExitCode(stdin) ?? exitCodeIn(text)) : undefined
  const isError = event === 'on_tool_error' || tool_error === true || (exitCode ?? 0) !== 0
  return {
    name: typeof name === 'string' ? name : '',
    text,
    isError,
    exitCode: exitCode ?? (isError ? 1 : name === 'bash' && hidesFailures === true ? null : 0),
  }
}
