import { afterEach, expect, test } from 'vitest'
import { tries } from '../../../tries.ts'
import { createRig, until, type Rig } from '../rig.ts'

let rig: Rig | undefined
afterEach(() => rig?.stop())

test('under limits, pauses and outages at random everything arrives once, in order, and within the limits', async () => {
  const started: { readonly chat: string; readonly atMs: number }[] = []
  rig = await createRig({
    limits: [
      { of: 'all', sends: 20, withinMs: 50 },
      { of: 'chat', sends: 2, withinMs: 20 },
    ],
    wrap: (memory) => ({
      ...memory,
      deliver: async (outgoing) => {
        if (outgoing.kind === 'push') started.push({ chat: outgoing.chat_id, atMs: performance.now() })
        await new Promise((done) => setTimeout(done, Math.random() * 4))
        if (Math.random() < 0.05)
          return { kind: 'retry', afterMs: Math.random() * 15, why: 'less', isLimit: true }
        if (Math.random() < 0.05) return { kind: 'retry', afterMs: Math.random() * 5, why: 'away' }
        return memory.deliver(outgoing)
      },
    }),
  })
  const { push, memory, texts } = rig
  const chats = Array.from({ length: 20 }, (_, index) => `chat ${index}`)
  const said = Array.from({ length: tries(100) }, (_, index) => `text ${index}`)
  const results = await Promise.all(said.flatMap((text) => chats.map((chat_id) => push(text, { chat_id }))))
  expect(
    results.filter(
      (result) => !('outcome' in result) || (result.outcome !== 'delivered' && result.outcome !== 'queued'),
    ),
  ).toEqual([])
  await until('the rest', () => memory.sent().length === said.length * chats.length, 30_000)
  for (const chat of chats) expect([chat, texts(chat)]).toEqual([chat, said])
  const most = (withinMs: number, sends: typeof started): number =>
    Math.max(
      ...sends.map(
        ({ atMs }) => sends.filter((other) => other.atMs >= atMs && other.atMs < atMs + withinMs).length,
      ),
    )
  expect(most(49.9, started)).toBeLessThanOrEqual(20)
  for (const chat of chats)
    expect(
      most(
        19.9,
        started.filter((each) => each.chat === chat),
      ),
    ).toBeLessThanOrEqual(2)
}, 60_000)
