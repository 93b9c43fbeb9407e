import type { HistoryDatabase } from '../../src/history/database.ts'
import { columns, rowOfEvent, type KeptValue } from '../../src/history/row.ts'
import type { EventName } from '../../src/core/model/events/event.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import type { RecordedHook } from '../../src/core/model/hooks/verdict.ts'
import { eventOf } from '../handlers/armed.ts'

const names: readonly EventName[] = [
  'pre_tool_call',
  'post_tool_call',
  'pre_llm_call',
  'on_user_message',
  'on_outbound_message',
]
const batch = 250

/** The same numbers from 0 to 1 at every call, in a row that looks random. */
const createRandom = (): (() => number) => {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

export interface FillOptions {
  readonly events: number
  /** The newest event happened now, and the oldest a week before. */
  readonly untilMs: number
  /** The length of each payload, in characters. */
  readonly payloadUnits?: number
  readonly hooks?: number
}

/** Fills a history with a week of events of five agents. Hooks block, ask, change, fail, and are shadows. */
export const fill = (
  database: Pick<HistoryDatabase, 'keep'>,
  { events, untilMs, payloadUnits = 200, hooks: hookCount = 20 }: FillOptions,
): void => {
  const random = createRandom()
  const upTo = (count: number): number => Math.floor(random() * count)
  const traceOf = (): RecordedHook => {
    const hook = upTo(hookCount)
    const chance = random()
    const kind = chance < 0.03 ? 'block' : chance < 0.05 ? 'ask' : chance < 0.07 ? 'fault' : 'abstain'
    return {
      fingerprint: String(hook).padStart(64, 'f'),
      label: `./hooks/guard-${hook}.sh`,
      fired: true,
      why: 'matched',
      durationMs: Math.exp(random() * 4),
      answer: { kind, notes: [] },
      ...(chance > 0.95 ? { rewrote: 'silently' as const } : {}),
      ...(hook % 5 === 0 ? { isShadow: true as const } : {}),
    }
  }
  const filler = ' and so on'.repeat(Math.ceil(payloadUnits / 10))
  let waiting: KeptValue[] = []
  for (let at = 0; at < events; at += 1) {
    const name = names[upTo(names.length)] ?? 'pre_tool_call'
    const hooks = Array.from({ length: upTo(4) }, traceOf)
    const deciding = hooks.filter(({ isShadow }) => isShadow !== true)
    const payload: Payload = {
      ...eventOf(name, { tool_name: 'bash', tool_input: { command: `ls ${at}${filler}` } }),
      event_id: `event-${at}`,
      agent_id: `agent ${at % 5}`,
    }
    const hasAnswer = (kind: string): boolean => deciding.some(({ answer }) => answer?.kind === kind)
    const settled: Payload = deciding.some(({ rewrote }) => rewrote !== undefined)
      ? { ...payload, tool_input: { command: `ls -a ${at}` } }
      : payload
    waiting.push(
      ...rowOfEvent(
        payload,
        {
          verdict: hasAnswer('block') ? 'block' : hasAnswer('ask') ? 'ask' : 'allow',
          isConsent: false,
          payload: settled,
          contexts: [],
          notes: [],
          warnings: [],
          hooks,
          revision: 1,
        },
        {
          atMs: untilMs - Math.round(((events - 1 - at) / events) * 7 * 24 * 60 * 60_000),
          durationMs: 5,
          withPayload: true,
        },
      ).values,
    )
    if (waiting.length < batch * columns.length) continue
    database.keep(waiting, untilMs)
    waiting = []
  }
  database.keep(waiting, untilMs)
}
