/** What every engine of the store has to keep. */
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/model/base/json.ts'
import type { EventRecord } from '../../src/core/model/events/record.ts'
import type { RecordClass } from '../../src/shared/events/record-class.ts'
import type { RecordBounds } from '../../src/store/operations.ts'
import type { Store } from '../../src/store/store.ts'
import {
  classes,
  dayMs,
  fault,
  item,
  ofClasses,
  ofEachClass,
  others,
  prompt,
  record,
  seenKey,
  trace,
} from './samples.ts'

/** One place for data: a file, or a database. */
export interface DataPlace {
  /** Opens a store on the data. More than one can be open. */
  open(options: {
    readonly log: (level: string, what: string) => void
    readonly bounds?: RecordBounds
  }): Promise<Store>
  /** Removes the data. Every store on it is closed. */
  remove(): Promise<void>
}

/** Adds the tests of the contract. `makePlace` makes an empty place for each of them. */
export const storeContract = (makePlace: () => Promise<DataPlace>): void => {
  let place: DataPlace
  let store: Store
  const logged: string[] = []
  const log = (level: string, what: string): void => void logged.push(`${level}: ${what}`)

  /** `most`: of each class. */
  const reopen = async (most?: number): Promise<void> => {
    await store.close()
    store = await place.open({ log, ...(most === undefined ? {} : { bounds: ofEachClass(most) }) })
  }

  beforeEach(async () => {
    logged.length = 0
    place = await makePlace()
    store = await place.open({ log })
  })

  afterEach(async () => {
    await store.close()
    await place.remove()
  })

  const idsOf = async (query: Parameters<Store['records']>[0]): Promise<readonly string[]> =>
    (await store.records(query)).map(({ event_id }) => event_id)

  describe('the event history', () => {
    it('comes back whole, newest first, up to the limit', async () => {
      const full: EventRecord = {
        ...record('e2', 'push'),
        reason: 'why',
        chat_id: '7',
        hooks: [
          {
            fingerprint: 'f',
            label: 'x.sh',
            fired: true,
            why: 'matched',
            answer: { kind: 'block', reason: 'no', notes: ['n'] },
          },
        ],
      }
      for (const each of [record('e1'), full, record('e3')]) store.addRecord(each)
      expect(await store.records({ limit: 2 })).toEqual([record('e3'), full])
      expect(await idsOf({ limit: -1 })).toEqual([])
    })

    it('is found by event and by kind', async () => {
      for (const each of [record('a'), record('b', 'gate'), record('a', 'push'), record('b', 'trouble')])
        store.addRecord(each)
      expect((await store.records({ limit: 9, eventId: 'a' })).map(({ kind }) => kind)).toEqual([
        'push',
        'event',
      ])
      expect((await store.records({ limit: 9, kinds: ['gate', 'push'] })).map(({ kind }) => kind)).toEqual([
        'push',
        'gate',
      ])
      expect(await idsOf({ limit: 9, eventId: 'a', kinds: ['gate'] })).toEqual([])
      expect(await idsOf({ limit: 9, kinds: [] })).toEqual([])
    })

    it('is stored by close', async () => {
      store.addRecord(record('e1'))
      await reopen()
      expect(await idsOf({ limit: 9 })).toEqual(['e1'])
    })

    it('keeps the newest records only, also when it may keep fewer than before', async () => {
      for (let i = 0; i < 30; i++) store.addRecord(record(`e${i}`))
      await reopen(5)
      store.addRecord(record('e30'))
      expect(await idsOf({ limit: 99 })).toEqual(['e30', 'e29', 'e28', 'e27', 'e26'])
      for (let i = 31; i < 50; i++) store.addRecord(record(`e${i}`))
      await reopen(5)
      expect(await idsOf({ limit: 99 })).toEqual(['e49', 'e48', 'e47', 'e46', 'e45'])
    })

    it.each(classes)('a flood of %s takes the room of no other class', async (flood) => {
      await reopen(5)
      for (const name of others(flood)) store.addRecord({ ...record(name), ...ofClasses[name] })
      for (let i = 0; i < 200; i++) store.addRecord({ ...record(`flood ${i}`), ...ofClasses[flood] })
      const left = await idsOf({ limit: 99 })
      expect(left.toReversed()).toEqual([
        ...others(flood),
        ...[195, 196, 197, 198, 199].map((i) => `flood ${i}`),
      ])
      for (const name of others(flood)) expect(await idsOf({ limit: 9, ofClass: name })).toEqual([name])
      expect(await idsOf({ limit: 2, ofClass: flood })).toEqual(['flood 199', 'flood 198'])
      expect(await idsOf({ limit: 999 })).toHaveLength(13)
    })

    it('has classes by what a record is to its owner', async () => {
      const asked = [{ outcome: 'ask' }, { kind: 'push', outcome: 'held' }] as const
      const blocked = [
        { kind: 'push', outcome: 'withheld' },
        { kind: 'question', outcome: 'denied' },
        { kind: 'notice', outcome: 'block', hooks: [{ ...trace, answer: fault }] },
      ] as const
      const faults = [
        { kind: 'push', outcome: 'failed' },
        { kind: 'notice', outcome: 'unknown' },
        { kind: 'trouble' },
      ] as const
      const rest = [
        { kind: 'push', outcome: 'delivered' },
        { kind: 'question', outcome: 'allowed' },
        { kind: 'notice' },
      ] as const
      for (const each of [...asked, ...blocked, ...faults, ...rest])
        store.addRecord({ ...record('e'), ...each })
      const kept = (of: RecordClass): Promise<number> =>
        store.records({ limit: 99, ofClass: of }).then(({ length }) => length)
      expect(await Promise.all((['asked', 'blocked', 'faults', 'rest'] as const).map(kept))).toEqual([
        2, 3, 3, 3,
      ])
    })

    it('shortens what a hook answered at any length or depth, and keeps that it answered', async () => {
      let deep: Json = 1
      for (let i = 0; i < 100_000; i++) deep = [deep]
      store.addRecord({
        ...record('long'),
        hooks: [{ ...trace, answer: { kind: 'block', reason: 'r'.repeat(1e6), notes: [] } }],
      })
      store.addRecord({
        ...record('deep'),
        hooks: [{ ...trace, answer: { kind: 'allow', rewrite: { tool_input: deep }, notes: [] } }],
      })
      const [second, first] = await store.records({ limit: 9 })
      expect(second?.hooks?.[0]).toMatchObject({ ...trace, answer: { kind: 'allow' } })
      expect(first?.hooks?.[0]).toMatchObject({
        ...trace,
        answer: { kind: 'block', reason: expect.stringMatching(/^r+…$/) },
      })
      expect(JSON.stringify(first).length).toBeLessThan(2000)
    })

    it('reaches its place without being asked for', async () => {
      const other = await place.open({ log })
      store.addRecord(record('e1'))
      await expect.poll(() => other.records({ limit: 9 }), { timeout: 5000, interval: 20 }).toHaveLength(1)
      await other.close()
    })

    it('keeps any text of a record byte for byte', async () => {
      const full: EventRecord = { ...record('e'), reason: 'a\0b', argument: "'; DROP TABLE record; --\u202e" }
      store.addRecord(full)
      expect(await store.records({ limit: 1 })).toEqual([full])
    })
  })

  describe('the outbox', () => {
    it('comes back by seq and survives a restart', async () => {
      await Promise.all([
        store.putOutbox(item('b', 2)),
        store.putOutbox(item('c', 3)),
        store.putOutbox(item('a', 1)),
      ])
      await reopen()
      expect(await store.outbox()).toEqual([item('a', 1), item('b', 2), item('c', 3)])
    })

    it('changes only what it is told to change', async () => {
      await store.putOutbox(item('a'))
      await store.setOutbox('a', { state: 'sending' })
      expect(await store.outbox()).toEqual([{ ...item('a'), state: 'sending' }])
      await store.setOutbox('a', { revision: 0, body: '' })
      expect(await store.outbox()).toEqual([{ ...item('a'), state: 'sending', revision: 0, body: '' }])
    })

    it('does nothing to an item that is gone', async () => {
      await store.putOutbox(item('a'))
      await store.removeOutbox('a')
      await store.setOutbox('a', { state: 'held' })
      expect(await store.outbox()).toEqual([])
    })

    it('rejects an item that does not fit, and keeps those that were written with it', async () => {
      const results = await Promise.allSettled([
        store.putOutbox(item('a')),
        store.putOutbox(item('b', Number.NaN)),
        store.putOutbox(item('c')),
      ])
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect((await store.outbox()).map(({ id }) => id)).toEqual(['a', 'c'])
    })

    it('changes an item in the order of the calls, and a replaced item keeps its position', async () => {
      const steps = [
        store.putOutbox(item('a')),
        store.putOutbox(item('b')),
        store.setOutbox('a', { state: 'sending' }),
        store.putOutbox({ ...item('a'), state: 'held' }),
        store.setOutbox('b', { body: 'x' }),
        store.removeOutbox('c'),
      ]
      const seen = store.outbox()
      await Promise.all(steps)
      expect(await seen).toEqual([
        { ...item('a'), state: 'held' },
        { ...item('b'), body: 'x' },
      ])
    })

    it('keeps what became of an item, of the last ten thousand', async () => {
      await store.putOutbox(item('a'))
      await store.removeOutbox('a', { outcome: 'delivered' })
      await reopen()
      expect([await store.outbox(), await store.ended()]).toEqual([[], [{ id: 'a', outcome: 'delivered' }]])
      await Promise.all(
        Array.from({ length: 10_000 }, async (_, index) =>
          store.removeOutbox(`i${index}`, { outcome: 'failed', reason: 'gone\0' }),
        ),
      )
      const ended = await store.ended()
      expect([ended.length, ended[0], ended.at(-1)?.id]).toEqual([
        10_000,
        { id: 'i0', outcome: 'failed', reason: 'gone\0' },
        'i9999',
      ])
    })

    it('stores the records that were added before an outcome no later than the outcome', async () => {
      const other = await place.open({ log })
      await store.putOutbox(item('a'))
      store.addRecord(record('e1'))
      const removed = store.removeOutbox('a', { outcome: 'delivered' })
      await expect.poll(() => other.ended(), { timeout: 5000, interval: 1 }).toHaveLength(1)
      expect((await other.records({ limit: 9 })).map(({ event_id }) => event_id)).toEqual(['e1'])
      await removed
      await other.close()
    })
  })

  describe('inbound messages', () => {
    it('count once, also when they come at once and after a restart', async () => {
      const key = { channel: 'telegram', chat_id: '7', message_id: '1' }
      expect(await Promise.all([1, 2, 3].map(async (atMs) => store.firstSeen(key, atMs)))).toEqual([
        true,
        false,
        false,
      ])
      await reopen()
      expect(await store.firstSeen(key, 4)).toBe(false)
      expect(await store.firstSeen({ ...key, chat_id: '8' }, 4)).toBe(true)
      expect(await store.firstSeen({ ...key, channel: 'web' }, 4)).toBe(true)
      expect(await store.firstSeen({ ...key, message_id: '2' }, 4)).toBe(true)
    })

    it('are remembered for 30 days', async () => {
      await store.firstSeen(seenKey('old'), 0)
      await store.firstSeen(seenKey('young'), dayMs)
      await store.firstSeen(seenKey('new'), 30 * dayMs + 1)
      expect(
        await Promise.all(['old', 'young', 'new', 'other'].map((id) => store.hasSeen(seenKey(id)))),
      ).toEqual([false, true, true, false])
      expect(await store.firstSeen(seenKey('young'), 30 * dayMs + 1)).toBe(false)
      expect(await store.firstSeen(seenKey('old'), 30 * dayMs + 2)).toBe(true)
    })

    it('count once for two stores that receive the same one', async () => {
      const other = await place.open({ log })
      const key = (message_id: number) => ({ channel: 'web', chat_id: '7', message_id: String(message_id) })
      const ids = Array.from({ length: 50 }, (_, index) => index)
      const answers = await Promise.all([
        Promise.all(ids.map((id) => store.firstSeen(key(id), 1))),
        Promise.all(ids.toReversed().map((id) => other.firstSeen(key(id), 1))),
      ])
      expect(answers.flat().filter(Boolean)).toHaveLength(50)
      await other.close()
    })
  })

  describe('prompts, questions and facts', () => {
    it('prompts come back by time, then by order of arrival', async () => {
      await Promise.all(
        [prompt('z', 2), prompt('y', 1), prompt('b', 3), prompt('a', 3)].map(async (each) =>
          store.putPrompt(each),
        ),
      )
      await store.setPromptGiven('b')
      await reopen()
      expect((await store.prompts()).map(({ prompt_id, state }) => `${prompt_id} ${state}`)).toEqual([
        'y waiting',
        'z waiting',
        'b given',
        'a waiting',
      ])
      await store.removePrompt('z')
      expect((await store.prompts()).map(({ prompt_id }) => prompt_id)).toEqual(['y', 'b', 'a'])
    })

    it('keep any text byte for byte', async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 50 }), async (text) => {
          const sent = { ...prompt('p'), text, sender_name: text }
          await store.putPrompt(sent)
          await store.setFact('text', text)
          expect(await store.prompts()).toEqual([sent])
          expect(await store.getFact('text')).toBe(text)
        }),
        { numRuns: 200, examples: [['a\0b'], ["'; DROP TABLE prompt; --"], ['😀\u202e']] },
      )
    })

    it('a fact is the last value that was set', async () => {
      expect(await store.getFact('announced')).toBeUndefined()
      await store.setFact('announced', '1')
      await store.setFact('announced', '2')
      await reopen()
      expect(await store.getFact('announced')).toBe('2')
    })

    it('a prompt of a group keeps whose words it is', async () => {
      const prompts = [
        prompt('private'),
        { ...prompt('member'), inGroup: 'member' },
        { ...prompt('owner'), inGroup: 'owner' },
      ] as const
      for (const each of prompts) await store.putPrompt(each)
      await reopen()
      expect(await store.prompts()).toStrictEqual(prompts)
    })

    it('questions come back in the order in which they were put, with their last state', async () => {
      const question = (key: string, state = '{}') => ({ key, call: '{"tool_name":"Bash"}', state })
      for (const key of ['z', 'a', 'm']) await store.putQuestion(question(key))
      await store.setQuestion('z', '{"told":1}')
      await store.setQuestion('gone', '{}')
      await store.removeQuestion('a')
      await reopen()
      expect(await store.questions()).toEqual([question('z', '{"told":1}'), question('m')])
    })
  })

  it('a closed store rejects, and tells what comes late', async () => {
    await Promise.all([store.close(), store.close()])
    await expect(store.outbox()).rejects.toThrow('Expected an open store for outbox, got a closed one.')
    store.addRecord(record('late'))
    await expect.poll(() => logged).toContain('error: records of the event history were lost at shutdown')
  })
}
