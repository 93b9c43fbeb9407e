import type { NativeReport, ToolRan } from '../model/client.ts'
import { isObject, type Json } from '../model/json.ts'

/** Where each client's own words about the end of a command stand: never in the middle, where the command's output is. */
const endings: readonly RegExp[] = [
  // Copilot, as the last line.
  /<shellId: [^\n>]{1,80} completed with exit code (-?\d{1,9})>\s*$/,
  // Claude Code, as the first line of a failure.
  /^Exit code (-?\d{1,9})(?:\n|$)/,
]

const saidIn = (text: string): number | undefined => {
  const found = endings.map((ending) => ending.exec(text)?.[1]).find((code) => code !== undefined)
  return found === undefined ? undefined : Number(found)
}

const exitCodeIn = (text: string, stdin: Json): number | undefined => {
  const output = isObject(stdin) ? stdin['output'] : undefined
  const metadata = isObject(output) ? output['metadata'] : undefined
  const exit = isObject(metadata) ? metadata['exit'] : undefined
  return typeof exit === 'number' ? exit : saidIn(text)
}

/** A reported tool as evidence of what ran. */
export const ranIn = ({ event, fields }: NativeReport, stdin: Json): ToolRan => {
  const { tool_name: name, tool_result: result, tool_error, error } = fields
  const said = result ?? error ?? ''
  const text = typeof said === 'string' ? said : JSON.stringify(said)
  const exitCode = name === 'bash' ? exitCodeIn(text, stdin) : undefined
  const isError = event === 'on_tool_error' || tool_error === true || (exitCode ?? 0) !== 0
  return { name: typeof name === 'string' ? name : '', text, isError, exitCode: exitCode ?? (isError ? 1 : 0) }
}
