import { randomUUID } from 'node:crypto'
import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk'
import { callsOf } from './calls.ts'
import type { Live } from './live.ts'
import { reportResult } from './results.ts'

const maxCalls = 100
const maxResultUnits = 64 * 1024

/** What a tool of the agent gave, as far as it says so. */
const resultOf = ({ content, rawOutput }: ToolCallUpdate): string => {
  const shown = (content ?? []).flatMap((item) => (item.type === 'content' && item.content.type === 'text' ? [item.content.text] : []))
  const text = shown.length > 0 ? shown.join('\n') : typeof rawOutput === 'string' ? rawOutput : rawOutput === undefined || rawOutput === null ? '' : JSON.stringify(rawOutput)
  return text.length <= maxResultUnits ? text : `${text.slice(0, maxResultUnits / 2)}\n[…]\n${text.slice(-maxResultUnits / 2)}`
}

/** What is known of a call by now. */
export const knownCall = (update: ToolCallUpdate, { calls }: Live): ToolCallUpdate => {
  const said = Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined && value !== null))
  const merged: ToolCallUpdate = { ...calls.get(update.toolCallId), ...said, toolCallId: update.toolCallId }
  calls.delete(update.toolCallId)
  calls.set(update.toolCallId, merged)
  for (const oldest of calls.keys().take(Math.max(0, calls.size - maxCalls))) calls.delete(oldest)
  return merged
}

/** A call that runs although nobody was asked: too late to keep it from running, so the turn ends where hooks object. */
const witness = async (call: ToolCallUpdate, live: Live): Promise<void> => {
  for (const each of callsOf(call)) {
    if (live.guard.knows(each)) continue
    const reason = await live.guard.witness(each)
    if (reason !== undefined) live.ending.abort(`I stopped, because ${each.name} was run without asking: ${reason}`)
  }
}

const report = async (call: ToolCallUpdate, live: Live): Promise<void> => {
  if ((call.content ?? []).some(({ type }) => type === 'terminal')) return
  const own = callsOf(call).filter((each) => !live.guard.hasRun(each))
  const isError = call.status === 'failed'
  for (const each of own) await reportResult(live, { ...each, id: randomUUID() }, { text: resultOf(call), isError, exitCode: isError ? 1 : 0 })
}

const see = async (update: ToolCallUpdate, live: Live): Promise<void> => {
  const call = knownCall(update, live)
  const isOver = update.status === 'completed' || update.status === 'failed'
  if (isOver) live.calls.delete(update.toolCallId)
  // Without an input there is nothing to judge yet; what a terminal of ours runs was judged when it was made.
  if ((update.status === 'in_progress' || update.status === 'completed') && !(call.content ?? []).some(({ type }) => type === 'terminal')) await witness(call, live)
  if (isOver) await report(call, live)
}

/** One update of a session that is worked on: what the agent runs by itself is told to hooks, and its results count as evidence. Rejects on abort. */
export const observe = async (update: SessionUpdate, live: Live): Promise<void> => {
  const { sessionUpdate } = update
  // Thoughts, plans, modes and the like are the agent's own; commands are reached by their names.
  if (sessionUpdate === 'agent_message_chunk') live.voice.hear(update.content.type === 'text' ? update.content.text : `[${update.content.type}]`, update.messageId ?? undefined)
  if (sessionUpdate === 'usage_update' && update.cost?.currency === 'USD') live.cost = update.cost.amount
  if (sessionUpdate !== 'tool_call' && sessionUpdate !== 'tool_call_update') return
  live.voice.speak()
  await see(update, live)
}
