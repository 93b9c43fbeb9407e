import { rememberTool } from '../../shared/events/evidence.ts'
import { isObject } from '../../core/model/base/json.ts'
import type { Ruling } from '../client.ts'
import type { RequestedCall } from './decider.ts'
import type { ToolContext, ToolResult } from '../tools/tool.ts'
import { runTool } from '../tools/tools.ts'
import type { TurnState } from './turn-state.ts'

type ToolCall = Pick<TurnState, 'session' | 'reporter' | 'workspace' | 'env' | 'signal' | 'message_id'> & {
  readonly call: RequestedCall
  readonly delegate?: ToolContext['delegate']
}

/**
 * The result of a call. `text` is for the agent. `ended` means that a hook ended the turn, and `said` is the
 * text for the person. `short` is the text of a rejected call without its reason, when hookgate told the
 * person the reason.
 */
type ToolOutcome =
  | { readonly kind: 'ran'; readonly text: string }
  | { readonly kind: 'rejected'; readonly text: string; readonly short?: string }
  | { readonly kind: 'ended'; readonly text: string; readonly said: string }

/** The parts that say something, each on its own line. */
export const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n')
const endedBy = (name: string, { reason }: Ruling): string =>
  `${name} ran, and then a hook ended the turn: ${reason}`
/** The same for the person. */
const endedWords = (name: string, ruling: Ruling): string =>
  ruling.isTold ? `${name} ran, and then a hook ended the turn.` : endedBy(name, ruling)

const inWords = (name: string, { isError, exitCode }: ToolResult, text: string): string => {
  const shown = text === '' ? 'No output.' : text
  if (name !== 'bash') return isError ? `Failed: ${shown}` : shown
  return exitCode === 0 ? shown : `Exit code ${exitCode}.\n${shown}`
}

/** Runs one tool call with all hooks before and after it. Rejects only on abort. */
export const callTool = async ({
  call: { id: tool_use_id, name, input },
  session,
  reporter,
  workspace,
  env,
  signal,
  message_id,
  delegate,
}: ToolCall): Promise<ToolOutcome> => {
  const id = { tool_name: name, tool_use_id }
  const before = await reporter.fire('pre_tool_call', { ...id, tool_input: input }, signal)
  if (before.verdict !== 'allow') {
    const whole = `I did not run ${name}: ${before.reason}`
    const said = before.isTold ? `I did not run ${name}.` : whole
    const text = lines(whole, before.context)
    if (before.stopsTurn) return { kind: 'ended', text, said }
    return before.isTold
      ? { kind: 'rejected', text, short: lines(said, before.context) }
      : { kind: 'rejected', text }
  }

  const settled = before.payload['tool_input']
  const tool = { ...id, tool_input: isObject(settled) ? settled : input }
  const push: ToolContext['push'] = async (message) => {
    const sent = await reporter.push(message, signal)
    if ((message.type ?? 'text') === 'text' && (sent.outcome === 'delivered' || sent.outcome === 'queued'))
      session.lastMessage = sent.push_id
    return sent
  }
  const result = await runTool(name, tool.tool_input, {
    workspace,
    env,
    signal,
    push,
    message_id,
    delegate,
  })
  rememberTool(session.tools, name, result)

  const after = await reporter.fire(
    'post_tool_call',
    { ...tool, tool_result: result.text, tool_error: result.isError },
    signal,
  )
  const failed =
    result.isError &&
    (await reporter.fire('on_tool_error', { ...tool, error: inWords(name, result, result.text) }, signal))
  if (after.verdict !== 'allow' || after.stopsTurn)
    return { kind: 'ended', text: endedBy(name, after), said: endedWords(name, after) }

  const shown = await reporter.fire(
    'transform_tool_result',
    { ...tool, tool_result: result.text, tool_error: result.isError },
    signal,
  )
  if (shown.verdict !== 'allow')
    return { kind: 'ran', text: `${name} ran, but a hook withheld its result: ${shown.reason}` }
  const text = shown.payload['tool_result']
  const told = lines(
    inWords(name, result, typeof text === 'string' ? text : result.text),
    before.context,
    failed === false ? '' : failed.context,
    shown.context,
  )
  const end = [before, failed, shown].find((ruling) => ruling !== false && ruling.stopsTurn)
  return end === undefined || end === false
    ? { kind: 'ran', text: told }
    : { kind: 'ended', text: told, said: endedWords(name, end) }
}
