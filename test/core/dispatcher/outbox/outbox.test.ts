import { afterEach, describe, expect, test } from 'vitest'
import { createBarrier, createRig, until, type Rig, type RigOptions } from '../rig.ts'

let rig: Rig | undefined
const begin = async (options?: RigOptions): Promise<Rig> => (rig = await createRig(options))
afterEach(async () => {
  await rig?.stop()
  rig = undefined
})

describe('a push that no hook thinks about', () => {
  /** A store that answers to a first write only at the barrier, and the order of what it was asked. */
  const slowPut =
    (barrier: Promise<unknown>, asked: string[]): NonNullable<RigOptions['store']> =>
    (store) => ({
      ...store,
      putOutbox: async (item) => {
        asked.push(`put ${item.id}`)
        const put = store.putOutbox(item)
        await barrier
        await put
      },
      setOutbox: (id, change) => {
        asked.push(`${change.state} ${id}`)
        return store.setOutbox(id, change)
      },
    })

  test('is written and marked in one commit, and leaves after both', async () => {
    const barrier = createBarrier()
    const asked: string[] = []
    const { push, texts } = await begin({ store: slowPut(barrier.passed, asked) })
    const said = push('at once', { push_id: 'p1' })
    await until('its mark', () => asked.length === 2)
    expect(asked).toEqual(['put main:p1', 'sending main:p1'])
    expect(texts()).toEqual([])
    barrier.open()
    expect(await said).toMatchObject({ outcome: 'delivered' })
  })

  test('does not leave when its write fails after its mark, and delays nothing', async () => {
    const failed = Promise.withResolvers<never>()
    failed.promise.catch(() => undefined)
    const asked: string[] = []
    const { push, texts, store } = await begin({
      store: (store) => ({
        ...store,
        putOutbox: (item) =>
          item.id === 'main:p1'
            ? slowPut(failed.promise, asked)(store).putOutbox(item)
            : store.putOutbox(item),
        setOutbox: slowPut(failed.promise, asked)(store).setOutbox,
      }),
    })
    const lost = push('not written', { push_id: 'p1' })
    await until('its mark', () => asked.includes('sending main:p1'))
    const later = push('later')
    failed.reject(new Error('no space left'))
    expect(await lost).toMatchObject({ refused: 'disk' })
    expect(await later).toMatchObject({ outcome: 'delivered' })
    expect(texts()).toEqual(['later'])
    expect(await store.outbox()).toEqual([])
  })
})
