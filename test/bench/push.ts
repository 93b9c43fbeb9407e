import { createMemory } from '../../bots/memory/memory.ts'
import { plain } from '../../src/model/content.ts'
import { deepFreeze } from '../../src/model/json.ts'
import type { Plane } from '../plane.ts'
import { awaited, measure, type Contender } from './measure.ts'
import type { Subject } from './table.ts'

/** A push from the agent's call to delivered, with no hook on the way out, beside the channel alone and beside what goes to disk. */
export const measurePush = async (plane: Plane): Promise<Subject> => {
  const { dispatcher, store } = plane.gate
  const text = 'The build is green again: the fixture had a wrong date.'
  const bare = createMemory({ name: 'bare' }, { receive: () => undefined, isAdmitted: () => true, tripped: () => undefined, trouble: () => undefined, menu: [], now: Date.now, log: () => undefined })
  const parcel = deepFreeze({ parcel_id: 'bench', channel: 'bare', chat_id: 'main', kind: 'push' as const, ...plain('text', text), code: [] })
  const item = { seq: 1, channel: 'bare', chat_id: 'main', kind: 'push', state: 'held', revision: 0, createdAtMs: 0, body: JSON.stringify({ text }) } as const
  let count = 0
  const times = await measure([
    awaited('the channel alone', () => bare.deliver(parcel)),
    awaited('its three writes alone', async () => {
      const id = `bench:${count++}`
      await store.putOutbox({ ...item, id })
      await store.setOutbox(id, { state: 'sending' })
      await store.removeOutbox(id)
    }),
    awaited('push, to delivered', async () => {
      const pushed = await dispatcher.push({ push_id: `bench-${count++}`, agent_id: 'main', session_id: 'bench', cwd: plane.workspace, channel: 'memory', chat_id: 'bench', ...plain('text', text) })
      if (!('outcome' in pushed) || pushed.outcome !== 'delivered') throw new Error(`Expected a delivered push, got ${JSON.stringify(pushed)}.`)
    }),
  ], { rounds: 40, burst: 10, warmUps: 100, between: () => store.records({ limit: 1 }) })
  return { name: 'a push with no hook', times }
}

/** Many pushes at once, over one chat and over fifty, to delivered: what each takes when they share the store's commits. */
export const measurePushes = async (plane: Plane): Promise<Subject> => {
  const { dispatcher, store } = plane.gate
  const each = 1000
  let count = 0
  const push = async (chat: number): Promise<void> => {
    const pushed = await dispatcher.push({ push_id: `many-${count++}`, agent_id: 'main', session_id: 'bench', cwd: plane.workspace, channel: 'memory', chat_id: `many ${chat}`, ...plain('text', 'The build is green again: the fixture had a wrong date.') })
    if (!('outcome' in pushed) || pushed.outcome !== 'delivered') throw new Error(`Expected a delivered push, got ${JSON.stringify(pushed)}.`)
  }
  const over = (chats: number): Contender => ({
    name: `${each} over ${chats} ${chats === 1 ? 'chat' : 'chats'}, each`,
    sample: async () => {
      const from = performance.now()
      await Promise.all(Array.from({ length: each }, (_, index) => push(index % chats)))
      return ((performance.now() - from) * 1000) / each
    },
  })
  const times = await measure([over(1), over(50)], { rounds: 6, burst: 2, warmUps: 3, between: () => store.records({ limit: 1 }) })
  return { name: 'many pushes at once with no hook', times }
}
