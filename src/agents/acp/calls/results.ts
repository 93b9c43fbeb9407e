import { RequestError } from '@agentclientprotocol/sdk'
import type { ToolRan } from '../../../shared/gate/client.ts'
import { rememberTool } from '../../../shared/events/evidence.ts'
import type { JsonObject } from '../../../core/model/base/json.ts'
import type { Live } from '../live.ts'
import type { ReportedCall } from './calls.ts'
import type { BlockedCall } from './guard.ts'

export interface FinishedCall {
  readonly name: string
  readonly input: JsonObject
  readonly id: string
}

/**
 * Reports a tool's result to hooks, which may end the turn. Returns the context for the agent. It ignores the
 * turn's abort signal, because the tool has already run.
 */
export const reportResult = async (
  live: Live,
  { name, input, id }: FinishedCall,
  result: Pick<ToolRan, 'text' | 'isError' | 'exitCode'>,
): Promise<string> => {
  const { session, reporter } = live
  live.hasTools = true
  rememberTool(session.tools, name, result)
  const tool = { tool_name: name, tool_input: input, tool_use_id: id }
  const after = await reporter.fire('post_tool_call', {
    ...tool,
    tool_result: result.text,
    tool_error: result.isError,
  })
  const failed = result.isError
    ? await reporter.fire('on_tool_error', { ...tool, error: result.text })
    : undefined
  const ends =
    [after, ...(failed === undefined ? [] : [failed])].find((ruling) => ruling.stopsTurn) ??
    (after.verdict === 'allow' ? undefined : after)
  if (ends !== undefined) live.ending.abort(`${name} ran, and then a hook ended the turn: ${ends.reason}`)
  return failed?.context ?? ''
}

/** Returns the part of a result that hooks let the agent see. */
export const screened = async (
  live: Live,
  { name, input, id }: FinishedCall,
  text: string,
  isError: boolean,
): Promise<string> => {
  const shown = await live.reporter.fire('transform_tool_result', {
    tool_name: name,
    tool_input: input,
    tool_use_id: id,
    tool_result: text,
    tool_error: isError,
  })
  if (shown.verdict !== 'allow') return `${name} ran, but a hook withheld its result: ${shown.reason}`
  const settled = shown.payload['tool_result']
  return [typeof settled === 'string' ? settled : text, shown.context]
    .filter((part) => part !== '')
    .join('\n')
}

/**
 * Tells the person what did not run and why, because the agent may omit it. hookgate may have told it
 * already.
 */
export const tellRefused = (
  { voice }: Live,
  { name }: ReportedCall,
  { reason, isTold }: BlockedCall,
): void => {
  voice.speak()
  if (!isTold) voice.add(`I did not run ${name}: ${reason}`)
}

/** The text about a refusal for the agent. */
export const refusedWords = (what: string, { reason, context }: BlockedCall): string =>
  [`${what}: ${reason}`, context].filter((text) => text !== '').join('\n')

/** Tells the person about a refusal, and returns the error for the agent with the reason. */
export const refusal = (live: Live, call: ReportedCall, refused: BlockedCall): RequestError => {
  tellRefused(live, call, refused)
  return new RequestError(-32603, refusedWords('This call was refused and did not run', refused))
}
