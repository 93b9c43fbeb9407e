import { randomUUID } from 'node:crypto'
import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { JsonObject } from '../../../core/model/base/json.ts'
import { parseUnambiguous } from '../../../shared/base/unambiguous.ts'
import { callsOf } from './calls.ts'
import type { Live } from '../live.ts'
import { outcomeOf } from './outcome.ts'
import { reportResult } from './results.ts'

const maxCalls = 100
/** How often the wait for a permission may restart because the call's input still grows. */
const maxInputWaits = 30
/**
 * Tools whose calls are always reported with the same input. A permission for one such call says nothing
 * about another call.
 */
const exact = new Set(['bash', 'write_file', 'read_file'])

export interface ObserveOptions {
  /** True for a terminal that hookgate runs. Some agents show their own terminals in the same way. */
  isOurs(terminal: string): boolean
  /** How long the agent may take to ask about a call that it reports as running, in milliseconds. */
  readonly announcedMs: number
}

/**
 * Reads a call's input from its text. Kimi shows the input as text while the model writes it, and the
 * complete text is JSON.
 */
const inputShown = ({ status, content }: ToolCallUpdate): JsonObject | undefined => {
  const [only, ...more] = content ?? []
  if (
    (status !== 'pending' && status !== 'in_progress') ||
    only?.type !== 'content' ||
    only.content.type !== 'text' ||
    more.length > 0
  )
    return undefined
  return parseUnambiguous(only.content.text)
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0)

/** Merges an update into what is known of a call. An empty list or object does not remove anything. */
export const knownCall = (update: ToolCallUpdate, { calls }: Live): ToolCallUpdate => {
  const given = Object.fromEntries(Object.entries(update).filter(([, value]) => isGiven(value)))
  const merged: ToolCallUpdate = { ...calls.get(update.toolCallId), ...given, toolCallId: update.toolCallId }
  merged.rawInput ??= inputShown(update)
  calls.delete(update.toolCallId)
  calls.set(update.toolCallId, merged)
  for (const oldest of calls.keys().take(Math.max(0, calls.size - maxCalls))) calls.delete(oldest)
  return merged
}

/**
 * Handles a call that runs without permission or against a refusal. It is too late to prevent the call, so
 * the turn ends if a hook objects.
 */
const witness = async (call: ToolCallUpdate, live: Live): Promise<void> => {
  for (const each of callsOf(call)) {
    if (call.status === 'completed' && live.guard.isAgainst(each))
      live.ending.abort(
        `I stopped because the agent ran ${each.name} although the call was refused or changed`,
      )
    if (live.guard.knows(each) || (live.asked.has(call.toolCallId) && !exact.has(each.name))) continue
    const objection = await live.guard.witness(each)
    if (objection !== undefined)
      live.ending.abort(
        `I stopped because the agent ran ${each.name} without asking${objection.isTold ? '.' : `: ${objection.reason}`}`,
      )
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

/**
 * Notes a call that the agent reports as running before it has asked. The call is judged when the agent has
 * not asked in time.
 */
const announce = (call: ToolCallUpdate, live: Live, { announcedMs }: ObserveOptions): void => {
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
  announced.set(id, { sinceMs: before?.sinceMs ?? nowMs, isWhole: isGiven(call.rawInput), timer, call })
}

const handleCall = async (update: ToolCallUpdate, live: Live, options: ObserveOptions): Promise<void> => {
  const call = knownCall(update, live)
  const isOver = update.status === 'completed' || update.status === 'failed'
  if (isOver) live.calls.delete(update.toolCallId)
  // A command in hookgate's terminal was judged when the terminal was created, and is reported when it ends.
  const runsHere = (call.content ?? []).some(
    (item) => item.type === 'terminal' && options.isOurs(item.terminalId),
  )
  if (isOver || runsHere) forget(update.toolCallId, live)
  else if (call.status === 'in_progress') announce(call, live, options)
  if (!isOver || runsHere) return
  await witness(call, live)
  await report(call, live)
}

/**
 * True when the agent began a command and did not report its end. Codex lets such a command continue when the
 * turn is cancelled.
 */
export const isAtWork = ({ calls }: Live): boolean => calls.values().some(({ kind }) => kind === 'execute')

/**
 * Resolves when all reports of the agent are handled, including calls that it reported as running and never
 * as ended.
 */
export const settle = async (live: Live): Promise<void> => {
  await live.settled()
  for (const [id, { call }] of live.announced) {
    forget(id, live)
    if (!live.asked.has(id)) await witness(live.calls.get(id) ?? call, live)
  }
}

/**
 * Handles one update of an active session. Calls that the agent runs by itself are reported to hooks, and
 * their results count as evidence. Rejects on abort.
 */
export const observe = async (update: SessionUpdate, live: Live, options: ObserveOptions): Promise<void> => {
  const { sessionUpdate } = update
  // Thoughts, plans and modes concern only the agent. People call its commands by name.
  if (sessionUpdate === 'agent_message_chunk')
    live.voice.hear(
      update.content.type === 'text' ? update.content.text : `[${update.content.type}]`,
      update.messageId ?? undefined,
    )
  if (sessionUpdate === 'usage_update' && update.cost?.currency === 'USD') live.cost = update.cost.amount
  if (sessionUpdate !== 'tool_call' && sessionUpdate !== 'tool_call_update') return
  live.voice.speak()
  await handleCall(update, live, options)
}
