import { createMemory } from '../../bots/memory/memory.ts'
import { plain } from '../../src/core/model/chat/content.ts'
import { deepFreeze } from '../../src/core/model/base/json.ts'
import type { Plane } from '../plane.ts'
import { anEntry } from '../core/gatekeeper/gate-fixture.ts'
import { approve, type BenchGate } from './gate.ts'
import { awaited, measure, type Contender, type Measured } from './measure.ts'
import { echo } from './process.ts'

const sentence = 'The build is green again: the fixture had a wrong date.'

/** The channel alone, and a delivery to it. */
const startBare = () => {
  const channel = createMemory(
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
  const outgoing = deepFreeze({
    outgoing_id: 'bench',
    channel: 'bare',
    chat_id: 'main',
    kind: 'push' as const,
    ...plain('text', sentence),
    code: [],
  })
  return { forget: () => channel.forget(), deliver: () => channel.deliver(outgoing) }
}

/**
 * A push from the agent's call to delivered, with no hook on the way out, beside the channel alone and beside
 * what goes to disk.
 */
export const measurePush = async (gate: BenchGate): Promise<Measured> => {
  const { store } = gate.gate
  const bare = startBare()
  const pusher = createPusher(gate)
  const item = {
    seq: 1,
    channel: 'bare',
    chat_id: 'main',
    kind: 'push',
    state: 'held',
    revision: 0,
    createdAtMs: 0,
    body: JSON.stringify({ text: sentence }),
  } as const
  let count = 0
  const times = await measure(
    [
      awaited('the channel alone', bare.deliver),
      awaited('its three writes alone', async () => {
        const id = `bench:${count++}`
        await store.putOutbox({ ...item, id })
        await store.setOutbox(id, { state: 'sending' })
        await store.removeOutbox(id)
      }),
      awaited('push, to delivered', () => pusher.push(sentence, 'bench')),
    ],
    { rounds: 40, burst: 10, warmUps: 100, between: () => store.records({ limit: 1 }) },
  )
  return { times }
}

const counts = [0, 1, 5] as const
type Count = (typeof counts)[number]
const words: Readonly<Record<Count, string>> = { 0: 'none', 1: 'one', 5: 'five' }

const textFor = (hooks: Count): string =>
  `The build is green again, for ${words[hooks]}: the fixture had a wrong date.`

/** Five approved resident hooks on what leaves, of which none, one, or all are there for a text. */
const approveGuards = async (gate: BenchGate, pusher: ReturnType<typeof createPusher>): Promise<void> => {
  for (let number = 0; number < 5; number++) {
    await gate.script(`guard-${number}.py`, echo)
    await approve(
      gate,
      anEntry({
        event: 'on_outbound_message',
        type: 'process',
        command: `python3 ./guard-${number}.py`,
        matcher: { pattern: number === 0 ? 'for (one|five)' : 'for five' },
        onError: 'block',
      }),
    )
  }
  for (const hooks of counts) {
    await pusher.push(textFor(hooks), 'checked')
    // An older revision has no records but those of the store.
    const parts: Partial<typeof gate.gate> = gate.gate
    const records = await (parts.records ?? gate.gate.store.records)({ limit: 10 })
    const asked = records.find(({ subject }) => subject === 'on_outbound_message')?.hooks?.length ?? 0
    if (asked !== hooks) throw new Error(`Expected a push that ${hooks} hooks judge, got ${asked}.`)
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

/** What was sent is forgotten, and its records are waited for. */
const forgetting = (gate: BenchGate, bare: ReturnType<typeof startBare>) => (): Promise<unknown> => {
  for (const { forget } of [gate.memory, bare]) forget()
  return gate.gate.store.records({ limit: 1 })
}

/**
 * Many pushes under way at once over fifty chats, with no hook approved, or with five resident ones that all
 * judge each push.
 */
export const measureManyPushes = async (gate: BenchGate, hooks: 0 | 5): Promise<Measured> => {
  const [bare, pusher] = [startBare(), createPusher(gate)]
  if (hooks > 0) await approveGuards(gate, pusher)
  const alone = async (): Promise<number> => {
    const from = performance.now()
    for (let index = 0; index < atOnce; index++) await bare.deliver()
    return ((performance.now() - from) * 1000) / atOnce
  }
  const times = await measure(
    [
      { name: 'the channel alone', sample: alone },
      pusher.many('push, to delivered', textFor(hooks), 50, hooks === 0 ? 8 : 4),
    ],
    { rounds: 12, burst: 3, warmUps: 10, between: forgetting(gate, bare) },
  )
  return { times }
}

/** A push at a time with five resident hooks approved, of which none, one or all judge it. */
export const measureJudgedPush = async (gate: BenchGate): Promise<Measured> => {
  const [bare, pusher] = [startBare(), createPusher(gate)]
  await approveGuards(gate, pusher)
  const contenders = counts.map((hooks) =>
    awaited(`${hooks} hooks`, () => pusher.push(textFor(hooks), 'single')),
  )
  const times = await measure([awaited('the channel alone', bare.deliver), ...contenders], {
    rounds: 40,
    burst: 10,
    warmUps: 100,
    between: forgetting(gate, bare),
  })
  return { times }
}
