import type { ChannelPorts } from '../core/model/chat/channel.ts'
import type { Ended, EventRecord, OutboxItem } from '../core/model/events/record.ts'
import type { StoredQuestion } from '../shared/gate/permission.ts'
import type { Engine } from './engine.ts'
import { createRecordBuffer } from './record-buffer.ts'
import {
  outboxValues,
  promptOf,
  promptValues,
  textOf,
  written,
  type Op,
  type SqlRow,
  type SqlValue,
  type StatementName,
} from './operations.ts'
import type { Store } from './store.ts'

export interface StorePorts {
  readonly engine: Engine
  readonly log: ChannelPorts['log']
  /** The engine's notice for the owner about a damaged file. */
  readonly recovered?: () => string | undefined
}

/** The store over an engine that is open. */
export const createStore = ({ engine, log, recovered = () => undefined }: StorePorts): Store => {
  let closing: Promise<void> | undefined
  const records = createRecordBuffer({ commit: engine.commit, log })

  const { write } = engine
  const read = async (
    statement: StatementName,
    ...values: readonly SqlValue[]
  ): Promise<readonly SqlRow[]> => {
    void records.flush()
    return engine.read([statement, ...values])
  }
  const closeAll = async (): Promise<void> => {
    await records.flush()
    await engine.stop()
    records.end()
  }

  return {
    get recovered() {
      return recovered()
    },
    addRecord: records.add,
    records: async ({ limit, eventId, kinds, ofClass }) => {
      const filter = [kinds === undefined ? null : JSON.stringify(kinds), Math.max(0, limit)]
      const ask = (): Promise<readonly SqlRow[]> => {
        if (eventId !== undefined) return read('recordsOfEvent', ...filter, eventId)
        return ofClass === undefined ? read('records', ...filter) : read('recordsOfClass', ...filter, ofClass)
      }
      const rows = await ask()
      return rows.map(({ json }) => JSON.parse(String(json)) as EventRecord)
    },
    putOutbox: (item) => write(['putOutbox', ...outboxValues(item)]),
    setOutbox: (id, { state, revision, body }) =>
      write(['setOutbox', id, state ?? null, revision ?? null, body ?? null]),
    removeOutbox: (id, ended) => {
      // The records of an event are committed before its consequence or together with it.
      records.join()
      const remove: Op = ['removeOutbox', id]
      return ended === undefined ? write(remove) : write(['addEnded', id, JSON.stringify(ended)], remove)
    },
    ended: async () =>
      (await read('ended')).map(({ id, json }) => ({
        ...(JSON.parse(String(json)) as Ended),
        id: String(id),
      })),
    outbox: async () => (await read('outbox')) as unknown as readonly OutboxItem[],
    firstSeen: async ({ channel, chat_id, message_id }, atMs) =>
      (await engine.read(['firstSeen', channel, chat_id, message_id, atMs])).length > 0,
    hasSeen: async ({ channel, chat_id, message_id }) =>
      (await read('hasSeen', channel, chat_id, message_id)).length > 0,
    putPrompt: (prompt) => write(['putPrompt', ...promptValues(prompt)]),
    setPromptGiven: (promptId) => write(['setPromptGiven', promptId]),
    removePrompt: (promptId) => write(['removePrompt', promptId]),
    prompts: async () => (await read('prompts')).map(promptOf),
    putQuestion: ({ key, call, state }) => write(['putQuestion', key, call, state]),
    setQuestion: (key, state) => write(['setQuestion', key, state]),
    removeQuestion: (key) => write(['removeQuestion', key]),
    questions: async () => (await read('questions')) as unknown as readonly StoredQuestion[],
    getFact: async (key) => {
      const [row] = await read('getFact', key)
      return row === undefined ? undefined : textOf(row['value'])
    },
    setFact: (key, value) => write(['setFact', key, written(value)]),
    close: async () => (closing ??= closeAll()),
  }
}
