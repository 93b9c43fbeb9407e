import { quote } from 'shlex'
import type { ToolCallUpdate } from '@agentclientprotocol/sdk'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'

/** A tool call in our words. Calls of equal names and inputs are one thing, however the agent came to ask for them. */
export interface Call {
  readonly name: string
  readonly input: JsonObject
}

export const keyOf = ({ name, input }: Call): string => JSON.stringify([name, Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1))])

/** Any value as JSON: what came over the wire is that already. */
const jsonOf = (value: unknown): Json => (value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json))

/** A command line as a shell reads it. Without arguments it is one already. */
export const commandLine = (command: string, args: readonly string[] = []): string => (args.length === 0 ? command : [command, ...args].map(quote).join(' '))

const commandIn = (input: JsonObject): string | undefined => {
  const command = input['command'] ?? input['cmd']
  if (typeof command === 'string') return command
  return Array.isArray(command) && command.every((word): word is string => typeof word === 'string') ? command.map(quote).join(' ') : undefined
}

/**
 * What a permission request or an update is about. Several files are several calls, each judged on its own. An agent
 * that sends no input for a command has the command as its title, as Gemini CLI does.
 */
export const callsOf = ({ kind, name, title, content, locations, rawInput }: Omit<ToolCallUpdate, 'toolCallId'>): readonly Call[] => {
  const given = jsonOf(rawInput)
  const input = isObject(given) ? given : {}
  const command = commandIn(input) ?? (kind === 'execute' ? (title ?? '') : undefined)
  if (command !== undefined && (kind === 'execute' || kind === 'other' || (kind ?? undefined) === undefined)) return [{ name: 'bash', input: { command } }]
  const diffs = (content ?? []).flatMap((item) => (item.type === 'diff' ? [item] : []))
  if (diffs.length > 0) return diffs.map(({ path, newText }) => ({ name: 'write_file', input: { path, content: newText } }))
  const paths = (locations ?? []).map(({ path }) => path)
  const [path] = paths
  if (kind === 'read' && path !== undefined && paths.length === 1) return [{ name: 'read_file', input: { path } }]
  return [{ name: name ?? kind ?? 'other', input: { ...input, ...((title ?? undefined) === undefined ? {} : { title: title ?? '' }), ...(paths.length === 0 ? {} : { paths }) } }]
}
