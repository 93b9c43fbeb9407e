import { quote, split } from 'shlex'
import type { ToolCallUpdate } from '@agentclientprotocol/sdk'
import { isObject, type Json, type JsonObject } from '../../../model/base/json.ts'

/** A tool call in our words. Calls of equal names and inputs are one thing, however the agent came to ask for them. */
export interface ReportedCall {
  readonly name: string
  readonly input: JsonObject
}

/** A title is the agent's words for the same input, and changes while the call goes on. */
export const keyOf = ({ name, input }: ReportedCall): string => {
  const { title, ...rest } = input
  const said = Object.keys(rest).length === 0 ? { title: title ?? null } : rest
  return JSON.stringify([name, Object.entries(said).toSorted(([a], [b]) => (a < b ? -1 : 1))])
}

/** Any value as JSON: what came over the wire is that already. */
const jsonOf = (value: unknown): Json =>
  value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json)

const shell = /^(?:\/usr)?(?:\/bin\/)?(?:ba)?sh$/

/** What a shell is to read where these words only start one, as in `bash -lc 'ls'`. */
const inShell = ([program = '', flag, script, ...more]: readonly string[]): string | undefined =>
  shell.test(program) && (flag === '-c' || flag === '-lc') && more.length === 0 ? script : undefined

const joined = (words: readonly string[]): string => words.map(quote).join(' ')

/** The words of a line that a program put together; what a shell would read differently has none. */
const wordsOf = (line: string): readonly string[] => {
  try {
    const words = split(line)
    return joined(words) === line ? words : []
  } catch {
    // Quotes that are not closed.
    return []
  }
}

/** A command line as a shell reads it. Without arguments it is one already. */
export const commandLine = (command: string, args: readonly string[] = []): string =>
  inShell(args.length === 0 ? wordsOf(command) : [command, ...args]) ??
  (args.length === 0 ? command : joined([command, ...args]))

const commandIn = (input: JsonObject): string | undefined => {
  const command = input['command'] ?? input['cmd']
  if (typeof command === 'string') return commandLine(command)
  if (!Array.isArray(command) || !command.every((word): word is string => typeof word === 'string'))
    return undefined
  return commandLine(command[0] ?? '', command.slice(1))
}

const pathIn = (input: JsonObject): string | undefined =>
  ['path', 'filePath', 'file_path'].map((name) => input[name]).find((value) => typeof value === 'string')

/**
 * What a permission request or an update is about. Several files are several calls, each judged on its own. An agent
 * that sends no input for a command has the command as its title, as Gemini CLI does.
 */
export const callsOf = ({
  kind,
  name,
  title,
  content,
  locations,
  rawInput,
}: Omit<ToolCallUpdate, 'toolCallId'>): readonly ReportedCall[] => {
  const given = jsonOf(rawInput)
  const input = isObject(given) ? given : {}
  const command = commandIn(input) ?? (kind === 'execute' ? (title ?? '') : undefined)
  if (command !== undefined && (kind === 'execute' || kind === 'other' || (kind ?? undefined) === undefined))
    return [{ name: 'bash', input: { command } }]
  const diffs = (content ?? []).flatMap((item) => (item.type === 'diff' ? [item] : []))
  if (diffs.length > 0)
    return diffs.map(({ path, newText }) => ({ name: 'write_file', input: { path, content: newText } }))
  const paths = (locations ?? []).map(({ path }) => path)
  const path = paths[0] ?? pathIn(input)
  if (kind === 'edit' && path !== undefined && paths.length <= 1 && typeof input['content'] === 'string')
    return [{ name: 'write_file', input: { path, content: input['content'] } }]
  // A search has the folder as its place, and says more in its input.
  const isFile =
    Object.keys(input).length === 0 || (pathIn(input) !== undefined && input['pattern'] === undefined)
  if (kind === 'read' && isFile && path !== undefined && paths.length <= 1)
    return [{ name: 'read_file', input: { path } }]
  return [
    {
      name: name ?? kind ?? 'other',
      input: {
        ...input,
        ...((title ?? undefined) === undefined ? {} : { title: title ?? '' }),
        ...(paths.length === 0 ? {} : { paths }),
      },
    },
  ]
}
