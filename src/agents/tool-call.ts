import { rememberTool } from '../model/evidence.ts'
import { isObject } from '../model/json.ts'
import type { Ruling } from './client.ts'
import type { CallAsked } from './mind.ts'
import type { Reporter } from './reporter.ts'
import type { Session } from './session.ts'
import type { ToolContext, ToolResult } from './tool.ts'
import { runTool } from './tools.ts'

export interface ToolCall {
  readonly call: CallAsked
  readonly session: Session
  readonly reporter: Reporter
  readonly workspace: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly message_id?: string
  readonly delegate?: ToolContext['delegate']
}

/** `told`: what the agent sees of it. `ended`: a hook ended the turn after the tool. */
export type ToolOutcome = { readonly kind: 'ran' | 'rejected' | 'ended'; readonly text: string }

const rejection = (name: string, { reason }: Ruling): string => `I did not run ${name}: ${reason}`

const inWords = (name: string, { isError, exitCode }: ToolResult, text: string): string => {
  const shown = text === '' ? 'No output.' : text
  if (name !== 'bash') return isError ? `That failed: ${shown}` : shown
  return exitCode === 0 ? shown : `Exit code ${exitCode}.\n${shown}`
}

/** One tool call, from the hooks before it to what the agent sees of it. Rejects only on abort. */
export const callTool = async ({ call: { id: tool_use_id, name, input }, session, reporter, workspace, env, signal, message_id, delegate }: ToolCall): Promise<ToolOutcome> => {
  const id = { tool_name: name, tool_use_id }
  const before = await reporter.fire('pre_tool_call', { ...id, tool_input: input }, signal)
  if (before.verdict !== 'allow') return { kind: before.stopsTurn ? 'ended' : 'rejected', text: rejection(name, before) }

  const settled = before.payload['tool_input']
  const tool = { ...id, tool_input: isObject(settled) ? settled : input }
  const push: ToolContext['push'] = async (said) => {
    const sent = await reporter.push(said, signal)
    if ((said.type ?? 'text') === 'text' && (sent.outcome === 'delivered' || sent.outcome === 'queued')) session.lastMessage = sent.push_id
    return sent
  }
  const result = await runTool(name, tool.tool_input, { workspace, env, signal, push, ...(message_id === undefined ? {} : { message_id }), ...(delegate === undefined ? {} : { delegate }) })
  rememberTool(session.tools, name, result)

  const after = await reporter.fire('post_tool_call', { ...tool, tool_result: result.text, tool_error: result.isError }, signal)
  const failed = result.isError && (await reporter.fire('on_tool_error', { ...tool, error: inWords(name, result, result.text) }, signal))
  if (after.verdict !== 'allow' || after.stopsTurn) return { kind: 'ended', text: `${name} ran, and then a hook ended the turn: ${after.reason}` }

  const shown = await reporter.fire('transform_tool_result', { ...tool, tool_result: result.text, tool_error: result.isError }, signal)
  if (shown.verdict !== 'allow') return { kind: 'ran', text: `${name} ran, but its result is held back: ${shown.reason}` }
  const text = shown.payload['tool_result']
  const contexts = [before.context, failed === false ? '' : failed.context, shown.context].filter((context) => context !== '')
  const isEnd = [before, failed, shown].some((ruling) => ruling !== false && ruling.stopsTurn)
  return { kind: isEnd ? 'ended' : 'ran', text: [inWords(name, result, typeof text === 'string' ? text : result.text), ...contexts].join('\n') }
}
