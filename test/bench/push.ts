import { createMemory } from '../../bots/memory/memory.ts'
import { deepFreeze } from '../../src/model/json.ts'
import type { Plane } from '../plane.ts'
import { awaited, measure } from './measure.ts'
import type { Subject } from './table.ts'

/** A push from the agent's call to delivered, with no hook on the way out, beside the channel alone and beside what goes to disk. */
export const measurePush = async (plane: Plane): Promise<Subject> => {
  const { dispatcher, store } = plane.gate
  const text = 'The build is green again: the fixture had a wrong date.'
  const bare = createMemory({ name: 'bare' }, { receive: () => undefined, isAdmitted: () => true, tripped: () => undefined, trouble: () => undefined, menu: [], now: Date.now, log: () => undefined })
  const parcel = deepFreeze({ parcel_id: 'bench', channel: 'bare', chat_id: 'main', kind: 'push' as const, text, code: [] })
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
      const pushed = await dispatcher.push({ push_id: `bench-${count++}`, agent_id: 'main', session_id: 'bench', cwd: plane.workspace, channel: 'memory', chat_id: 'bench', text })
      if (!('outcome' in pushed) || pushed.outcome !== 'delivered') throw new Error(`Expected a delivered push, got ${JSON.stringify(pushed)}.`)
    }),
  ], { rounds: 40, burst: 10, warmUps: 100, between: () => store.records({ limit: 1 }) })
  return { name: 'a push with no hook', times }
}
