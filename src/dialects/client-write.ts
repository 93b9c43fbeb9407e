import type { ClientName, Ruled } from '../model/gate/client.ts'
import { isObject, type JsonObject } from '../model/base/json.ts'
import { toNative, type ToolNaming } from './tools.ts'

/** What the writers of clients have in common. */

export const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0

export const joined = (...texts: readonly string[]): string =>
  texts.filter((text) => text !== '').join('\n\n')

/** A new result where a reason has to carry it: an empty one would be none. */
export const resultOf = (...texts: readonly string[]): string =>
  texts.join('').trim() === '' ? '(empty)' : joined(...texts)

/** Why it is refused. A question never goes out: no client can be trusted with one. */
export const whyOf = ({ verdict, reason }: Pick<Ruled, 'verdict' | 'reason'>): string => {
  const why =
    reason === undefined || reason.trim() === ''
      ? verdict === 'allow'
        ? 'a hook ended the turn'
        : 'blocked by hook'
      : reason
  return verdict === 'ask' ? `a person has to approve this first: ${why}` : why
}

/** Where a client cannot end a turn before a tool, the tool at least does not run. */
export const isRefused = ({ verdict, stopsTurn, payload: { event } }: Ruled): boolean =>
  verdict !== 'allow' || (stopsTurn === true && event === 'pre_tool_call')

/** All arguments of a call as it settled, by the client's own names: what is left out would be gone there. */
export const inputOf = (
  speaker: ToolNaming,
  { payload: { tool_name: name, tool_input: input } }: Ruled,
): JsonObject | undefined => {
  const native =
    typeof name === 'string' && isObject(input) ? toNative(speaker, { name, input }).input : undefined
  return isObject(native) ? native : undefined
}

const titles: Readonly<Record<ClientName, string>> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  copilot: 'GitHub Copilot',
  gemini: 'Gemini CLI',
  kimi: 'Kimi Code',
  'docker-agent': 'docker-agent',
  cursor: 'Cursor',
  opencode: 'OpenCode',
  'agent-hooks': 'the agent',
}

/** What was not judged must not pass: where a rewrite has no place, the step is refused with the words that would pass. */
export const noPrompt = (client: ClientName, message: string): string =>
  `A hook rewrote this message, and ${titles[client]} cannot replace one. As it would be let through: ${message}`
export const noRewrite = (client: ClientName, input: JsonObject): string =>
  `A hook changed this call, and ${titles[client]} cannot take that over. Make it again with these arguments: ${JSON.stringify(input)}`
