import { randomUUID } from 'node:crypto'
import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk'
import { isObject, type Json, type JsonObject } from '../../../model/base/json.ts'
import { callsOf } from './calls.ts'
import type { Live } from '../live.ts'
import { outcomeOf } from './outcome.ts'
import { reportResult } from './results.ts'

const maxCalls = 100
/** How often a call's wait may begin anew because its input still grows, by its length. */
const maxInputWaits = 30
/** What has one form however it is told of: a permission for one such call says nothing of another. */
const exact = new Set(['bash', 'write_file', 'read_file'])

export interface Watch {
  /** Whether a terminal is one that we run. Some agents show their own in the same way. */
  isOurs(terminal: string): boolean
  /** How long a call that is said to run may yet be asked for, in milliseconds. */
  readonly announcedMs: number
}

/** Kimi shows a call's input as text while the model still writes it; when it is whole, it is JSON. */
const inputShown = ({ status, content }: ToolCallUpdate): JsonObject | undefined => {
  const [only, ...more] = content ?? []
  if (
    (status !== 'pending' && status !== 'in_progress') ||
    only?.type !== 'content' ||
    only.content.type !== 'text' ||
    more.length > 0
  )
    return undefined
  try {
    const value = JSON.parse(only.content.text) as Json
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isSaid = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0)

/** What is known of a call by now. An empty list or object takes nothing back. */
export const knownCall = (update: ToolCallUpdate, { calls }: Live): ToolCallUpdate => {
  const said = Object.fromEntries(Object.entries(update).filter(([, value]) => isSaid(value)))
  const merged: ToolCallUpdate = { ...calls.get(update.toolCallId), ...said, toolCallId: update.toolCallId }
  merged.rawInput ??= inputShown(update)
  calls.delete(update.toolCallId)
  calls.set(update.toolCallId, merged)
  for (const oldest of calls.keys().take(Math.max(0, calls.size - maxCalls))) calls.delete(oldest)
  return merged
}

/** A call that runs although nobody was asked, or against the answer: too late to keep it from running, so the turn ends. */
const witness = async (call: ToolCallUpdate, live: Live): Promise<void> => {
  for (const each of callsOf(call)) {
    if (call.status === 'completed' && live.guard.isAgainst(each))
      live.ending.abort(`I stopped, because ${each.name} was run as it was, and that was refused`)
    if (live.guard.knows(each) || (live.asked.has(call.toolCallId) && !exact.has(each.name))) continue
    const reason = await live.guard.witness(each)
    if (reason !== undefined)
      live.ending.abort(`I stopped, because ${each.name} was run without asking: ${reason}`)
  }
}

const report = async (call: ToolCallUpdate, live: Live): Promise<void> => {
  const own = callsOf(call).filter((each) => !live.guard.hasRun(each))
  for (const each of own) await reportResult(live, { ...each, id: randomUUID() }, outcomeOf(call))
}

const forget = (id: string, { announced }: Live): void => {
  clearTimeout(announced.get(id)?.timer)
  announced.delete(id)
}

/** Some agents say that a call runs before they ask whether it may. Until they did or waited too long, it does not count. */
const announce = (call: ToolCallUpdate, live: Live, { announcedMs }: Watch): void => {
  const { announced, asked } = live
  const [id, nowMs, before] = [call.toolCallId, performance.now(), announced.get(call.toolCallId)]
  if (
    asked.has(id) ||
    before?.isWhole === true ||
    nowMs - (before?.sinceMs ?? nowMs) > maxInputWaits * announcedMs
  )
    return
  clearTimeout(before?.timer)
  const timer = setTimeout(
    () =>
      void live.inOrder(async () => {
        if (announced.delete(id) && !asked.has(id)) await witness(live.calls.get(id) ?? call, live)
      }),
    announced.size < maxCalls ? announcedMs : 0,
  )
  announced.set(id, { sinceMs: before?.sinceMs ?? nowMs, isWhole: isSaid(call.rawInput), timer, call })
}

const see = async (update: ToolCallUpdate, live: Live, watch: Watch): Promise<void> => {
  const call = knownCall(update, live)
  const isOver = update.status === 'completed' || update.status === 'failed'
  if (isOver) live.calls.delete(update.toolCallId)
  // What a terminal of ours runs was judged when it was made, and is told about when it ends.
  const runsHere = (call.content ?? []).some(
    (item) => item.type === 'terminal' && watch.isOurs(item.terminalId),
  )
  if (isOver || runsHere) forget(update.toolCallId, live)
  else if (call.status === 'in_progress') announce(call, live, watch)
  if (!isOver || runsHere) return
  await witness(call, live)
  await report(call, live)
}

/** Whether a command began whose end the agent did not tell. Codex lets it go on when the turn is cancelled. */
export const isAtWork = ({ calls }: Live): boolean => calls.values().some(({ kind }) => kind === 'execute')

/** When everything that the agent told is worked on, also what it said runs and never ended. */
export const settle = async (live: Live): Promise<void> => {
  await live.settled()
  for (const [id, { call }] of live.announced) {
    forget(id, live)
    if (!live.asked.has(id)) await witness(live.calls.get(id) ?? call, live)
  }
}

/** One update of a session that is worked on: what the agent runs by itself is told to hooks, and its results count as evidence. Rejects on abort. */
export const observe = async (update: SessionUpdate, live: Live, watch: Watch): Promise<void> => {
  const { sessionUpdate } = update
  // Thoughts, plans, modes and the like are the agent's own; commands are reached by their names.
  if (sessionUpdate === 'agent_message_chunk')
    live.voice.hear(
      update.content.type === 'text' ? update.content.text : `[${update.content.type}]`,
      update.messageId ?? undefined,
    )
  if (sessionUpdate === 'usage_update' && update.cost?.currency === 'USD') live.cost = update.cost.amount
  if (sessionUpdate !== 'tool_call' && sessionUpdate !== 'tool_call_update') return
  live.voice.speak()
  await see(update, live, watch)
}
