import type { ClientName } from '../shared/gate/client.ts'
import type { ForeignDialect } from '../core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../core/model/base/json.ts'
import { wordIn } from './reading/fields.ts'

/** Arguments of ours that the other system puts inside one argument: our name → the name inside it. */
interface Nest {
  readonly key: string
  readonly names: Readonly<Record<string, string>>
  /** Their argument is a list, and one item of it is one call of ours. */
  readonly isList?: true
}

/** The names of one tool and its arguments in one system. */
interface NativeTool {
  readonly name: string
  /** Other names of the same tool in that system, current or old. */
  readonly also?: readonly string[]
  /** Our argument's name → their name, where the two differ. */
  readonly keys?: Readonly<Record<string, string>>
  readonly nest?: Nest
  /** Arguments that calls there always have and ours need not have. */
  readonly fill?: JsonObject
  /** Its `path` is always absolute there. Ours may be relative to the folder of the call. */
  readonly isPathFull?: true
  /** Its only argument is the patch, and its name is `command`. */
  readonly isPatch?: true
}

/** A hook system or a client, each with its own names for tools. VS Code reads Copilot's files. */
export type ToolNaming = ForeignDialect | ClientName | 'vs-code'

interface ToolClass {
  /** Our agent's name of the tool. */
  readonly ours: string
  /**
   * The name of a similar tool of ours. Systems without a counterpart of this tool see it under that tool's
   * name.
   */
  readonly like?: string
  /** The tool's names by system. Absent: the system does not have the tool. */
  readonly names: Readonly<Partial<Record<ToolNaming, NativeTool>>>
}

const filePath = { keys: { path: 'file_path' }, isPathFull: true } as const
const fileEdit = {
  keys: { path: 'file_path', old_text: 'old_string', new_text: 'new_string' },
  isPathFull: true,
} as const

/** The table of tools. The names are those of the other systems' packages as of November 2026. */
export const TOOLS: readonly ToolClass[] = [
  {
    ours: 'bash',
    names: {
      'claude-code': { name: 'Bash' },
      'docker-agent': { name: 'shell', keys: { command: 'cmd' }, fill: { cwd: '.' } },
      'agent-hooks': { name: 'Shell' },
      factory: { name: 'Execute' },
      copilot: { name: 'bash', also: ['powershell'] },
      'vs-code': { name: 'run_in_terminal' },
      codex: { name: 'Bash', also: ['exec_command', 'shell'] },
      gemini: { name: 'run_shell_command' },
      kimi: { name: 'Bash' },
      cursor: { name: 'Shell' },
      opencode: { name: 'bash' },
    },
  },
  {
    // The tool types into a running shell. A guard of commands must see that too.
    ours: 'bash_input',
    like: 'bash',
    names: {
      copilot: { name: 'write_bash', keys: { command: 'input' } },
      codex: { name: 'write_stdin', keys: { command: 'chars' } },
    },
  },
  {
    ours: 'read_file',
    names: {
      'claude-code': { name: 'Read', ...filePath },
      'docker-agent': { name: 'read_file' },
      'agent-hooks': { name: 'ReadFile' },
      factory: { name: 'Read', ...filePath },
      copilot: { name: 'view' },
      'vs-code': { name: 'read_file', keys: { path: 'filePath' }, isPathFull: true },
      gemini: { name: 'read_file', ...filePath },
      kimi: { name: 'Read' },
      cursor: { name: 'Read', ...filePath },
      opencode: { name: 'read', keys: { path: 'filePath' } },
    },
  },
  {
    ours: 'write_file',
    like: 'edit_file',
    names: {
      'claude-code': { name: 'Write', ...filePath },
      'docker-agent': { name: 'write_file' },
      'agent-hooks': { name: 'WriteFile' },
      factory: { name: 'Create', ...filePath },
      copilot: { name: 'create', keys: { content: 'file_text' } },
      'vs-code': { name: 'create_file', keys: { path: 'filePath' }, isPathFull: true },
      gemini: { name: 'write_file', ...filePath },
      kimi: { name: 'Write' },
      cursor: { name: 'Write', ...filePath },
      opencode: { name: 'write', keys: { path: 'filePath' } },
    },
  },
  {
    ours: 'edit_file',
    like: 'write_file',
    names: {
      'claude-code': { name: 'Edit', ...fileEdit },
      'docker-agent': {
        name: 'edit_file',
        nest: { key: 'edits', names: { old_text: 'oldText', new_text: 'newText' }, isList: true },
      },
      'agent-hooks': {
        name: 'StrReplaceFile',
        nest: { key: 'edit', names: { old_text: 'old', new_text: 'new', replace_all: 'replace_all' } },
      },
      factory: {
        name: 'Edit',
        also: ['MultiEdit', 'ApplyPatch'],
        keys: { path: 'file_path', old_text: 'old_str', new_text: 'new_str' },
        isPathFull: true,
      },
      copilot: {
        name: 'edit',
        also: ['str_replace_editor'],
        keys: { old_text: 'old_str', new_text: 'new_str' },
      },
      'vs-code': {
        name: 'replace_string_in_file',
        keys: { path: 'filePath', old_text: 'oldString', new_text: 'newString' },
        isPathFull: true,
      },
      codex: { name: 'apply_patch', isPatch: true },
      gemini: { name: 'replace', ...fileEdit },
      kimi: { name: 'Edit', keys: { old_text: 'old_string', new_text: 'new_string' } },
      opencode: {
        name: 'edit',
        also: ['apply_patch', 'patch', 'multiedit'],
        keys: { path: 'filePath', old_text: 'oldString', new_text: 'newString' },
      },
    },
  },
  {
    ours: 'subagent',
    names: {
      'claude-code': { name: 'Agent', also: ['Task'], keys: { task: 'prompt' } },
      'docker-agent': { name: 'transfer_task' },
      'agent-hooks': { name: 'Task', also: ['Agent'], keys: { task: 'prompt' } },
      factory: { name: 'Task', keys: { task: 'prompt' } },
      copilot: { name: 'task', keys: { task: 'prompt' } },
      'vs-code': { name: 'runSubagent', keys: { task: 'prompt' } },
      gemini: { name: 'invoke_agent', keys: { task: 'prompt' } },
      kimi: { name: 'Agent', keys: { task: 'prompt' } },
      cursor: { name: 'Task', keys: { task: 'prompt' } },
      opencode: { name: 'task', keys: { task: 'prompt' } },
    },
  },
  {
    ours: 'fetch',
    names: {
      'claude-code': { name: 'WebFetch' },
      'docker-agent': { name: 'fetch' },
      'agent-hooks': { name: 'FetchURL' },
      factory: { name: 'FetchUrl' },
      copilot: { name: 'web_fetch' },
      'vs-code': { name: 'fetch_webpage' },
      gemini: { name: 'web_fetch' },
      kimi: { name: 'FetchURL' },
      opencode: { name: 'webfetch' },
    },
  },
  {
    ours: 'grep',
    names: {
      'claude-code': { name: 'Grep' },
      'docker-agent': { name: 'search_files_content' },
      'agent-hooks': { name: 'Grep' },
      factory: { name: 'Grep' },
      copilot: { name: 'grep', also: ['rg'] },
      'vs-code': { name: 'grep_search' },
      gemini: { name: 'grep_search', also: ['search_file_content'], keys: { path: 'dir_path' } },
      kimi: { name: 'Grep' },
      cursor: { name: 'Grep' },
      opencode: { name: 'grep' },
    },
  },
  {
    ours: 'glob',
    names: {
      'claude-code': { name: 'Glob' },
      'docker-agent': { name: 'search_files' },
      'agent-hooks': { name: 'Glob' },
      factory: { name: 'Glob' },
      copilot: { name: 'glob' },
      'vs-code': { name: 'file_search' },
      gemini: { name: 'glob', keys: { path: 'dir_path' } },
      kimi: { name: 'Glob' },
      opencode: { name: 'glob' },
    },
  },
  {
    ours: 'ask_user',
    names: {
      'claude-code': { name: 'AskUserQuestion' },
      'docker-agent': { name: 'user_prompt' },
      'agent-hooks': { name: 'AskUserQuestion', also: ['AskUser'] },
      factory: { name: 'AskUser' },
      copilot: { name: 'ask_user' },
      gemini: { name: 'ask_user' },
      kimi: { name: 'AskUserQuestion' },
      opencode: { name: 'question' },
    },
  },
]

const inverted = (names: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(names).map(([ours, theirs]) => [theirs, ours]))

const mapKeys = (input: JsonObject, nameOf: (key: string) => string): JsonObject =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [nameOf(key), value]))

/**
 * Exchanges our names and theirs, so nothing is lost and the same function translates back. The argument that
 * our tool uses gets the name that their hooks read. If a call has both names, their hooks must not see the
 * unused one instead.
 */
const swapped = (input: JsonObject, { keys = {} }: NativeTool): JsonObject => {
  const back = inverted(keys)
  return mapKeys(input, (key) => wordIn(keys, key) ?? wordIn(back, key) ?? key)
}

/** Returns the new name of an argument whose own name the nest takes. The nest has freed that name. */
const spare = ({ names }: Nest): string => Object.keys(names)[0] ?? ''

const folded = (input: JsonObject, { nest }: NativeTool): JsonObject => {
  if (nest === undefined) return input
  const isInner = ([key]: readonly [string, Json]): boolean => wordIn(nest.names, key) !== undefined
  const inner = Object.entries(input).filter(isInner)
  const outer = Object.entries(input).filter((one) => !isInner(one))
  if (inner.length === 0) return input
  const pair = mapKeys(Object.fromEntries(inner), (key) => wordIn(nest.names, key) ?? key)
  return {
    ...mapKeys(Object.fromEntries(outer), (key) => (key === nest.key ? spare(nest) : key)),
    [nest.key]: nest.isList ? [pair] : pair,
  }
}

/**
 * Moves nested arguments to the top level. A list of several pairs, or a pair with more fields than ours, has
 * no counterpart and stays unchanged.
 */
const unfolded = (input: JsonObject, { nest }: NativeTool): JsonObject => {
  if (nest === undefined || !Object.hasOwn(input, nest.key)) return input
  const { [nest.key]: value, ...outer } = input
  const [pair, ...more] = Array.isArray(value) ? value : [value]
  if (!isObject(pair) || more.length > 0) return input
  const back = inverted(nest.names)
  const isClear = Object.keys(outer).every(
    (key) => key === spare(nest) || wordIn(nest.names, key) === undefined,
  )
  const isKnown =
    Object.keys(pair).length > 0 && Object.keys(pair).every((key) => wordIn(back, key) !== undefined)
  if (!isClear || !isKnown) return input
  return {
    ...mapKeys(outer, (key) => (key === spare(nest) ? nest.key : key)),
    ...mapKeys(pair, (key) => wordIn(back, key) ?? key),
  }
}

const withoutFill = (input: JsonObject, { fill = {} }: NativeTool, current: Json): JsonObject => {
  const isOwn = (key: string): boolean => isObject(current) && Object.hasOwn(current, key)
  return Object.fromEntries(
    Object.entries(input).filter(
      ([key, value]) => !Object.hasOwn(fill, key) || fill[key] !== value || isOwn(key),
    ),
  )
}

/**
 * Returns whether a name has the form `mcp__server__tool`, which is ours too, or `MCP:tool`. The forms of
 * other systems look like plain names.
 */
const isMcp = (name: string): boolean => /^mcp__.|^mcp:.|^MCP:./.test(name)

const byOurs = new Map(TOOLS.map((tool) => [tool.ours, tool]))

export interface ToolCall {
  readonly name: string
  readonly input: Json
}

/** Kimi CLI, the predecessor of Kimi Code, used the tool names of the Agent Hooks specification. */
const nameIn = (tool: ToolClass | undefined, speaker: ToolNaming): NativeTool | undefined =>
  tool?.names[speaker === 'kimi-cli' ? 'agent-hooks' : speaker]

/** Returns a system's name of our tool, or of the similar tool. */
export const nativeOf = (speaker: ToolNaming, ours: string): NativeTool | undefined => {
  const tool = byOurs.get(ours)
  return nameIn(tool, speaker) ?? nameIn(byOurs.get(tool?.like ?? ''), speaker)
}

/**
 * Translates our tool call into a system's names. A tool that the system does not have keeps its name and
 * arguments.
 */
export const toNative = (dialect: ToolNaming, { name, input }: ToolCall): ToolCall => {
  const native = nativeOf(dialect, name)
  if (native === undefined) return { name, input }
  if (!isObject(input)) return { name: native.name, input }
  return { name: native.name, input: { ...native.fill, ...folded(swapped(input, native), native) } }
}

/**
 * Translates a system's arguments of one tool into our names. The input is a rewrite and may hold only some
 * arguments. `current` is the arguments of the call; values that only our translation added to them are not a
 * rewrite.
 */
export const inputFromNative = (
  dialect: ToolNaming,
  ours: string,
  input: JsonObject,
  current: Json = {},
): JsonObject => {
  const native = nativeOf(dialect, ours)
  return native === undefined ? input : swapped(unfolded(withoutFill(input, native, current), native), native)
}

/** Translates a system's tool call into our names. */
export const fromNative = (dialect: ToolNaming, { name, input }: ToolCall): ToolCall => {
  const tool = isMcp(name)
    ? undefined
    : TOOLS.find((one) => {
        const native = nameIn(one, dialect)
        return native?.name === name || native?.also?.includes(name) === true
      })
  if (tool === undefined) return { name, input }
  return {
    name: tool.ours,
    input: isObject(input) ? inputFromNative(dialect, tool.ours, input, input) : input,
  }
}
