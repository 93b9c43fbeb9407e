import { quote, split } from 'shlex'
import type { ToolCallUpdate } from '@agentclientprotocol/sdk'
import { isObject, parseJson, type Json, type JsonObject } from '../../../core/model/base/json.ts'

/** A tool call in hookgate's terms. Calls with equal names and inputs count as the same call. */
export interface ReportedCall {
  readonly name: string
  readonly input: JsonObject
}

/**
 * The key of a call. A title is left out when there is other input, because the agent changes it during the
 * call.
 */
export const keyOf = ({ name, input }: ReportedCall): string => {
  const { title, ...rest } = input
  const identifying = Object.keys(rest).length === 0 ? { title: title ?? null } : rest
  return JSON.stringify([name, Object.entries(identifying).toSorted(([a], [b]) => (a < b ? -1 : 1))])
}

/** Converts a value that came over the wire to JSON. */
const jsonOf = (value: unknown): Json =>
  value === undefined ? null : (parseJson(JSON.stringify(value)) ?? null)

const shell = /^(?:\/usr)?(?:\/bin\/)?(?:ba)?sh$/

/** The script when the command only starts a shell for it, as in `bash -lc 'ls'`. */
const inShell = ([program = '', flag, script, ...more]: readonly string[]): string | undefined =>
  shell.test(program) && (flag === '-c' || flag === '-lc') && more.length === 0 ? script : undefined

const joined = (words: readonly string[]): string => words.map(quote).join(' ')

/** Splits a command line into words. Returns no words when a shell would read the line differently. */
const wordsOf = (line: string): readonly string[] => {
  try {
    const words = split(line)
    return joined(words) === line ? words : []
  } catch {
    // A quote is not closed.
    return []
  }
}

/** Makes a command line for a shell. Without arguments the command is already one. */
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
 * Returns the calls of a permission request or an update. Several files make several calls, and each is
 * judged on its own. When an agent sends no input for a command, as Gemini CLI does, the title is the
 * command.
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
  // A search has the folder as its location, and more in its input.
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
