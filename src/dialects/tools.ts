import type { ForeignDialect } from '../model/dialect.ts'
import { isObject, type Json, type JsonObject } from '../model/json.ts'

/** How one system names a tool and its arguments. `to` and `from` are for what a table of names cannot say. */
interface NativeTool {
  readonly name: string
  /** Other names of the same tool in that system, of today or of its past. */
  readonly also?: readonly string[]
  /** Our argument's name → theirs, where they differ. */
  readonly keys?: Readonly<Record<string, string>>
  readonly to?: (input: JsonObject) => JsonObject
  readonly from?: (input: JsonObject) => JsonObject
}

interface ToolClass {
  /** Our agent's name for it. */
  readonly ours: string
  readonly kind: 'shell' | 'read' | 'write' | 'edit' | 'search' | 'fetch' | 'task' | 'person'
  readonly names: Readonly<Record<ForeignDialect, NativeTool>>
}

const without = (input: JsonObject, ...keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(input).filter(([key]) => !keys.includes(key)))

const has = (input: JsonObject, key: string): boolean => Object.hasOwn(input, key)

/** The table of tool classes. Names of other systems' own packages as of November 2026. */
export const TOOLS: readonly ToolClass[] = [
  {
    ours: 'bash', kind: 'shell',
    names: {
      'claude-code': { name: 'Bash' },
      // Its shell tool always names a folder.
      'docker-agent': { name: 'shell', keys: { command: 'cmd' }, to: (input) => ({ cwd: '.', ...input }), from: (input) => (input['cwd'] === '.' ? without(input, 'cwd') : input) },
      'agent-hooks': { name: 'Shell' },
      copilot: { name: 'bash' },
    },
  },
  {
    ours: 'read_file', kind: 'read',
    names: {
      'claude-code': { name: 'Read', keys: { path: 'file_path' } },
      'docker-agent': { name: 'read_file' },
      'agent-hooks': { name: 'ReadFile' },
      copilot: { name: 'view' },
    },
  },
  {
    ours: 'write_file', kind: 'write',
    names: {
      'claude-code': { name: 'Write', keys: { path: 'file_path' } },
      'docker-agent': { name: 'write_file' },
      'agent-hooks': { name: 'WriteFile' },
      copilot: { name: 'create', keys: { content: 'file_text' } },
    },
  },
  {
    ours: 'edit_file', kind: 'edit',
    names: {
      'claude-code': { name: 'Edit', keys: { path: 'file_path', old_text: 'old_string', new_text: 'new_string' } },
      'docker-agent': {
        name: 'edit_file',
        to: (input) => ({ ...without(input, 'old_text', 'new_text'), edits: [{ oldText: input['old_text'] ?? '', newText: input['new_text'] ?? '' }] }),
        from: (input) => unfold(input, 'edits', { oldText: 'old_text', newText: 'new_text' }),
      },
      'agent-hooks': {
        name: 'StrReplaceFile',
        to: (input) => ({ ...without(input, 'old_text', 'new_text'), edit: { old: input['old_text'] ?? '', new: input['new_text'] ?? '' } }),
        from: (input) => unfold(input, 'edit', { old: 'old_text', new: 'new_text' }),
      },
      copilot: { name: 'edit', keys: { old_text: 'old_str', new_text: 'new_str' } },
    },
  },
  {
    ours: 'subagent', kind: 'task',
    names: {
      'claude-code': { name: 'Task', also: ['Agent'], keys: { task: 'prompt' } },
      'docker-agent': { name: 'transfer_task' },
      'agent-hooks': { name: 'Task', keys: { task: 'prompt' } },
      copilot: { name: 'task', keys: { task: 'prompt' } },
    },
  },
  {
    ours: 'fetch', kind: 'fetch',
    names: {
      'claude-code': { name: 'WebFetch' },
      'docker-agent': { name: 'fetch' },
      'agent-hooks': { name: 'FetchURL' },
      copilot: { name: 'web_fetch' },
    },
  },
  {
    ours: 'grep', kind: 'search',
    names: {
      'claude-code': { name: 'Grep' },
      'docker-agent': { name: 'search_files_content' },
      'agent-hooks': { name: 'Grep' },
      copilot: { name: 'grep', also: ['rg'] },
    },
  },
  {
    ours: 'glob', kind: 'search',
    names: {
      'claude-code': { name: 'Glob' },
      'docker-agent': { name: 'search_files' },
      'agent-hooks': { name: 'Glob' },
      copilot: { name: 'glob' },
    },
  },
  {
    ours: 'ask_user', kind: 'person',
    names: {
      'claude-code': { name: 'AskUserQuestion' },
      'docker-agent': { name: 'user_prompt' },
      'agent-hooks': { name: 'AskUser' },
      copilot: { name: 'ask_user' },
    },
  },
]

/** One pair of texts out of where a system nests it; more than one pair has no place with us and stays as it is. */
const unfold = (input: JsonObject, key: string, names: Readonly<Record<string, string>>): JsonObject => {
  const nested = input[key]
  const [pair, ...more] = Array.isArray(nested) ? nested : [nested]
  if (!isObject(pair) || more.length > 0) return input
  return { ...without(input, key), ...Object.fromEntries(Object.entries(pair).map(([name, value]) => [names[name] ?? name, value])) }
}

const renamed = (input: JsonObject, names: Readonly<Record<string, string>>): JsonObject =>
  // A name that is taken keeps its own value: nothing may be hidden behind a translation.
  Object.fromEntries(Object.entries(input).map(([key, value]) => {
    const name = names[key]
    return [name === undefined || has(input, name) ? key : name, value]
  }))

const inverted = (names: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(names).map(([ours, theirs]) => [theirs, ours]))

/** `mcp__server__tool`, which is how we name them too, and `MCP:tool`. Others' forms cannot be told from plain names. */
const isMcp = (name: string): boolean => /^mcp__.|^mcp:.|^MCP:./.test(name)

const byOurs = new Map(TOOLS.map((tool) => [tool.ours, tool]))

export interface ToolCall {
  readonly name: string
  readonly input: Json
}

/** Our tool call as a system names it. A tool that it does not have keeps its name and arguments. */
export const toNative = (dialect: ForeignDialect, { name, input }: ToolCall): ToolCall => {
  const native = byOurs.get(name)?.names[dialect]
  if (native === undefined || isMcp(name)) return { name, input }
  if (!isObject(input)) return { name: native.name, input }
  const named = renamed(input, native.keys ?? {})
  return { name: native.name, input: native.to?.(named) ?? named }
}

/** A system's arguments of one of our tools, by our names: for a rewrite, which may hold only some of them. */
export const inputFromNative = (dialect: ForeignDialect, ours: string, input: JsonObject): JsonObject => {
  const native = byOurs.get(ours)?.names[dialect]
  if (native === undefined) return input
  return renamed(native.from?.(input) ?? input, inverted(native.keys ?? {}))
}

/** A system's tool call as we name it. */
export const fromNative = (dialect: ForeignDialect, { name, input }: ToolCall): ToolCall => {
  const tool = isMcp(name) ? undefined : TOOLS.find(({ names }) => names[dialect].name === name || names[dialect].also?.includes(name) === true)
  if (tool === undefined) return { name, input }
  return { name: tool.ours, input: isObject(input) ? inputFromNative(dialect, tool.ours, input) : input }
}
