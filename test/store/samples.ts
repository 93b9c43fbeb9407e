import { budgets } from '../../src/shared/base/budgets.ts'
import type { EventRecord, OutboxItem, Prompt } from '../../src/core/model/events/record.ts'
import type { RecordClass } from '../../src/shared/events/record-class.ts'

/** What the tests of a store put into it. */
export const classes = Object.keys(budgets.records) as readonly RecordClass[]
export const ofEachClass = (most: number): Readonly<Record<RecordClass, number>> => ({
  ...budgets.records,
  ...Object.fromEntries(classes.map((name) => [name, most])),
})

export const record = (event_id: string, kind: EventRecord['kind'] = 'event'): EventRecord => ({
  event_id,
  kind,
  atMs: 1,
  subject: 'pre_tool_call',
  outcome: 'allow',
})

export const item = (id: string, seq = 1): OutboxItem => ({
  id,
  seq,
  channel: 'telegram',
  chat_id: '7',
  kind: 'push',
  state: 'queued',
  revision: 3,
  createdAtMs: 1_790_000_000_000,
  body: '{"text":"hello"}',
})

export const prompt = (prompt_id: string, atMs = 1): Prompt => ({
  prompt_id,
  agent_id: 'main',
  channel: 'telegram',
  chat_id: '7',
  sender_id: '7',
  sender_name: 'Ann',
  text: 'hello',
  atMs,
  state: 'waiting',
})

export const trace = { fingerprint: 'f', label: 'x.sh', fired: true, why: 'matched' }
export const fault = { kind: 'fault', fault: { kind: 'timeout', detail: 'late' }, notes: [] } as const
/** One of each class, by the name of the class. */
export const ofClasses: Readonly<Record<RecordClass, Partial<EventRecord>>> = {
  acts: { kind: 'gate', subject: '/hooks approve', outcome: 'done' },
  alarms: { kind: 'alarm', subject: 'ledger', outcome: 'told' },
  logins: { kind: 'alarm', subject: 'login', outcome: 'told' },
  blocked: { outcome: 'block' },
  asked: { outcome: 'ask' },
  faults: { hooks: [{ ...trace, answer: fault }] },
  refused: { kind: 'refusal', outcome: 'refused' },
  shadows: { kind: 'shadow', outcome: 'would block' },
  rest: {},
}

export const others = (name: RecordClass): readonly RecordClass[] => classes.filter((other) => other !== name)

/** The key of an inbound message. */
export const seenKey = (message_id: string) => ({ channel: 'telegram', chat_id: '7', message_id })
export const dayMs = 24 * 60 * 60 * 1000
