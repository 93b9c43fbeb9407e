import { createMemory } from '../../bots/memory/memory.ts'
import { plain } from '../../src/model/chat/content.ts'
import { deepFreeze } from '../../src/model/base/json.ts'
import type { Plane } from '../plane.ts'
import { anEntry } from '../gatekeeper/gate-fixture.ts'
import { awaited, measure, type Contender } from './measure.ts'
import { onOneCore } from './one-core.ts'
import type { Subject } from './table.ts'

/**
 * A push from the agent's call to delivered, with no hook on the way out, beside the channel alone and beside
 * what goes to disk.
 */
export const measurePush = async (plane: Plane): Promise<Subject> => {
  const { dispatcher, store } = plane.gate
  const text = 'The build is green again: the fixture had a wrong date.'
  const bare = createMemory(
    { name: 'bare' },
    {
      receive: () => undefined,
      isAdmitted: () => true,
      tripped: () => undefined,
      trouble: () => undefined,
      menu: [],
      now: Date.now,
      elapsedMs: () => performance.now(),
      log: () => undefined,
    },
  )
  const parcel = deepFreeze({
    parcel_id: 'bench',
    channel: 'bare',
    chat_id: 'main',
    kind: 'push' as const,
    ...plain('text', text),
    code: [],
  })
  const item = {
    seq: 1,
    channel: 'bare',
    chat_id: 'main',
    kind: 'push',
    state: 'held',
    revision: 0,
    createdAtMs: 0,
    body: JSON.stringify({ text }),
  } as const
  let count = 0
  const times = await measure(
    [
      awaited('the channel alone', () => bare.deliver(parcel)),
      awaited('its three writes alone', async () => {
        const id = `bench:${count++}`
        await store.putOutbox({ ...item, id })
        await store.setOutbox(id, { state: 'sending' })
        await store.removeOutbox(id)
      }),
      awaited('push, to delivered', async () => {
        const pushed = await dispatcher.push({
          push_id: `bench-${count++}`,
          agent_id: 'main',
          session_id: 'bench',
          cwd: plane.workspace,
          channel: 'memory',
          chat_id: 'bench',
          ...plain('text', text),
        })
        if (!('outcome' in pushed) || pushed.outcome !== 'delivered')
          throw new Error(`Expected a delivered push, got ${JSON.stringify(pushed)}.`)
      }),
    ],
    { rounds: 40, burst: 10, warmUps: 100, between: () => store.records({ limit: 1 }) },
  )
  return { name: 'a push with no hook', times }
}

const counts = [0, 1, 5] as const
const words: Readonly<Record<(typeof counts)[number], string>> = { 0: 'none', 1: 'one', 5: 'five' }

const echo = `import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "answer": {}}), flush=True)
`

/** Five approved resident hooks on what leaves, of which one, or all, are there for a text. */
const approveGuards = async (plane: Plane): Promise<void> => {
  for (let number = 0; number < 5; number++) {
    await plane.script(`guard-${number}.py`, echo)
    const approved = await plane.gate.gatekeeper.approve(
      anEntry({
        event: 'on_outbound_message',
        type: 'process',
        command: `python3 ./guard-${number}.py`,
        matcher: { pattern: number === 0 ? 'for (one|five)' : 'for five' },
        onError: 'block',
      }),
      'memory:owner',
    )
    if (!approved.ok) throw new Error(approved.problem.message)
  }
}

// A resident hook takes 256 questions at a time.
const atOnce = 250

/** Makes pushes through the whole path of a gate, each of which has to be delivered. */
export const createPusher = (plane: Plane) => {
  let count = 0
  const push = async (text: string, chat: string): Promise<void> => {
    const pushed = await plane.gate.dispatcher.push({
      push_id: `many-${count++}`,
      agent_id: 'main',
      session_id: 'bench',
      cwd: plane.workspace,
      channel: 'memory',
      chat_id: chat,
      ...plain('text', text),
    })
    if (!('outcome' in pushed) || pushed.outcome !== 'delivered')
      throw new Error(`Expected a delivered push, got ${JSON.stringify(pushed)}.`)
  }
  /** As many senders, each of which says the next thing once it knows that the last one was delivered. */
  const many = (name: string, text: string, chats: number, inARow: number): Contender => ({
    name,
    sample: async () => {
      const from = performance.now()
      await Promise.all(
        Array.from({ length: atOnce }, async (_, index) => {
          for (let turn = 0; turn < inARow; turn++) await push(text, `many ${index % chats}`)
        }),
      )
      return ((performance.now() - from) * 1000) / atOnce / inARow
    },
  })
  return { push, many }
}

/**
 * Pushes through the whole path: one at a time beside the channel alone, and many under way at once over one
 * chat and over fifty; with no hook approved, and with five resident ones of which none, one or all match.
 */
export const measurePushes = async (plane: Plane): Promise<readonly Subject[]> => {
  const { store } = plane.gate
  const pusher = createPusher(plane)
  const textFor = (hooks: (typeof counts)[number]): string =>
    `The build is green again, for ${words[hooks]}: the fixture had a wrong date.`
  const bare = createMemory(
    { name: 'bare' },
    {
      receive: () => undefined,
      isAdmitted: () => true,
      tripped: () => undefined,
      trouble: () => undefined,
      menu: [],
      now: Date.now,
      elapsedMs: () => performance.now(),
      log: () => undefined,
    },
  )
  const parcel = deepFreeze({
    parcel_id: 'bench',
    channel: 'bare',
    chat_id: 'main',
    kind: 'push' as const,
    ...plain('text', 'The build is green again: the fixture had a wrong date.'),
    code: [],
  })
  const alone = awaited('the channel alone', () => bare.deliver(parcel))
  const manyAlone: Contender = {
    name: 'the channel alone',
    sample: async () => {
      const from = performance.now()
      for (let index = 0; index < atOnce; index++) await bare.deliver(parcel)
      return ((performance.now() - from) * 1000) / atOnce
    },
  }
  const over = (hooks: (typeof counts)[number], chats: number, inARow: number): Contender =>
    pusher.many(`${chats} ${chats === 1 ? 'chat' : 'chats'}, ${hooks} hooks`, textFor(hooks), chats, inARow)
  const between = () => {
    for (const { forget } of [plane.memory, bare]) forget()
    return store.records({ limit: 1 })
  }
  const many = { rounds: 6, burst: 3, warmUps: 10, between } as const
  const unhooked = await measure([manyAlone, over(0, 1, 4), over(0, 50, 8)], { ...many, rounds: 12 })
  await approveGuards(plane)
  const single = () =>
    measure(
      [
        alone,
        ...counts.map((hooks) => awaited(`${hooks} hooks`, () => pusher.push(textFor(hooks), 'single'))),
      ],
      {
        rounds: 40,
        burst: 10,
        warmUps: 100,
        between,
      },
    )
  const free = await single()
  const pinned = await onOneCore(single)
  const hooked = await measure(
    [manyAlone, ...[1, 50].flatMap((chats) => counts.map((hooks) => over(hooks, chats, 4)))],
    many,
  )
  return [
    { name: `a push of ${atOnce} at a time, no hook approved`, times: unhooked },
    { name: 'a push with five resident hooks approved, one at a time', times: free },
    // All processes woken on one core: what it costs to wake another one is not in it, nor what two do at
    // once.
    { name: 'the same, all on one core', times: pinned },
    { name: `the same, ${atOnce} at a time, each`, times: hooked },
  ]
}
