import { join } from 'node:path'
import type { Json, JsonObject } from '../../core/model/base/json.ts'
import { quoted } from '../../shared/base/shell.ts'
import { inputOf, objectOf, textOf, timeOf, type SessionFormat } from './session.ts'

/** The names under which Codex has run lines of shell. Its hooks hear of all of them as Bash. */
const shells: readonly Json[] = ['exec_command', 'shell', 'shell_command', 'local_shell', 'container.exec']

/** The line of shell, which is a text or the words of a program. */
const lineOf = (command: Json | undefined): string => {
  if (!Array.isArray(command)) return textOf(command)
  const words = command.map(textOf)
  const [shell = '', flag = '', line] = words
  return line !== undefined && words.length === 3 && /(?:^|\/)\w*sh$/.test(shell) && /^-\w*c$/.test(flag)
    ? line
    : words.map(quoted).join(' ')
}

const callIn = (item: JsonObject): { readonly tool: string; readonly input: JsonObject } | undefined => {
  const { type, name, namespace, action, input } = item
  if (type === 'local_shell_call') return { tool: 'local_shell', input: objectOf(action) }
  if (type === 'custom_tool_call') return { tool: textOf(name), input: { command: textOf(input) } }
  if (type !== 'function_call') return undefined
  const isMcp = textOf(namespace).startsWith('mcp__')
  return {
    tool: isMcp ? `${textOf(namespace)}__${textOf(name)}` : textOf(name),
    input: inputOf(item['arguments']),
  }
}

/** `sessions/<year>/<month>/<day>/rollout-….jsonl`. It packs what is old. */
export const codex: SessionFormat = {
  seen: '0.169.0',
  places: ({ home, env }) =>
    ['sessions', 'archived_sessions'].map((folder) =>
      join(env['CODEX_HOME'] || join(home, '.codex'), folder),
    ),
  isSession: (path) => /(?:^|\/)rollout-[^/]*\.jsonl(?:\.zst)?$/.test(path),
  marks: ['"session_meta"', '"turn_context"', '"function_call"', '"custom_tool_call"', '"local_shell_call"'],
  open: () => {
    let cwd = ''
    let session = ''
    return (record) => {
      const { type, payload, timestamp } = record
      if (type === 'session_meta') session = textOf(objectOf(payload)['session_id'])
      if (type === 'session_meta' || type === 'turn_context') cwd = textOf(objectOf(payload)['cwd']) || cwd
      // Until 2025 the items stood there without anything around them.
      const item = type === 'response_item' ? objectOf(payload) : record
      const call = callIn(item)
      if (call === undefined) return []
      const { tool, input } = call
      const isShell = shells.includes(tool)
      return [
        {
          id: textOf(item['call_id']),
          session,
          atMs: timeOf(timestamp),
          cwd: textOf(input['workdir']) || textOf(input['working_directory']) || cwd,
          tool: isShell ? 'Bash' : tool,
          input: isShell ? { command: lineOf(input['cmd'] ?? input['command']) } : input,
        },
      ]
    }
  },
}
