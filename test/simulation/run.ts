import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Delivery } from '../../src/core/model/chat/channel.ts'
import { chainOf } from '../../src/core/gatekeeper/ledger/lines.ts'
import type { ChainLine, History } from '../fleet/history.ts'
import { seeded } from '../handlers/builtins/redact/seeded.ts'
import { createAgents, serveBy } from './agents.ts'
import { createDatabase, type Costs } from './database.ts'
import { strike } from './faults.ts'
import { createGates, type Deliver, type Setting } from './gates.ts'
import { breaksOf, type Break, type SentBy } from './laws.ts'
import { startNode, type Node } from './node.ts'
import { createOwner } from './owner.ts'
import { losing, type FaultKind, type Plan } from './plan.ts'
import { createWorld } from './world.ts'

export interface Outcome {
  readonly history: History
  readonly violations: readonly Break[]
  readonly log: readonly string[]
  readonly steps: number
  /** From the request of each push to its arrival, in milliseconds, in order. */
  readonly delaysMs: readonly number[]
  /** From each off to its receipt, in milliseconds, in order. */
  readonly offMs: readonly number[]
  /** The share of the time in which the database worked. */
  readonly load: number
}

/** About what `costs.ts` measures on a machine of two cores. */
const usualCosts: Costs = { statementMs: 0.03, commitMs: 0.5 }

/** The first gate begins the ledger before the others start, and all is quiet before the work begins. */
const othersMs = 2000
const beginMs = 5000
/** After the last request, everything that was acknowledged has this time to arrive. */
const settleMs = 90_000

/** A messenger takes a message at once. Now and then it answers late, and the next messages wait. */
const createMessenger = ({ world, random, plan }: Setting) => {
  const machine = world.machine('messenger')
  const arrivals: SentBy[] = []
  const isLate = (): boolean => plan.isCalm !== true && random.below(5) === 0
  const deliver: Deliver = (from, by, chat, text) =>
    new Promise<Delivery>((resolve) => {
      const wire = world.wire(from, machine, (side) => {
        if (side === from) resolve({ kind: 'unknown', why: 'the connection broke' })
      })
      wire.send(machine, () => {
        arrivals.push({ by, chat, text, atMs: world.nowMs() })
        const message_id = String(arrivals.length)
        const answer = (): void => {
          resolve({ kind: 'delivered', message_id })
          wire.end()
        }
        world.after(isLate() ? random.below(3000) : 0, () => wire.send(from, answer))
      })
    })
  return { arrivals, deliver }
}

const chainLine = (line: string): ChainLine => {
  const { prev, act } = JSON.parse(line) as { readonly prev: string; readonly act: string }
  return { head: chainOf(line), previous: prev, act }
}

/** What only wakes people up keeps no gate from the database. */
const harmless: ReadonlySet<FaultKind> = new Set(['kill', 'node', 'putBack', 'forge'])
/** What a fault did to a connection is over so long after it. */
const overMs = 12_000

/** Whether nothing of the plan kept a gate from the database in this time. */
const isCalmIn =
  ({ faults }: Plan) =>
  (fromMs: number, toMs: number): boolean =>
    faults.every(
      ({ kind, atMs, forMs }) =>
        harmless.has(kind) || beginMs + atMs > toMs || beginMs + atMs + forMs + overMs < fromMs,
    )

const ordered = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b)

const runIn = async (setting: Setting, log: readonly string[]): Promise<Outcome> => {
  const { world, random, plan, database, phone } = setting
  const untilMs = beginMs + plan.forMs
  const { arrivals, deliver } = createMessenger(setting)
  const gates = createGates(setting, deliver)
  const { places, workspace } = gates
  const serve = serveBy(workspace)
  const nodes = Array.from({ length: plan.nodes }, (_, index) =>
    startNode({
      world,
      machine: world.machine(`node${index}`, (index % 3) * 20_000),
      // Each node knows the gates in another order.
      gates: [...places.slice(index % places.length), ...places.slice(0, index % places.length)],
      serve,
      log: setting.note,
    }),
  )
  const agents = createAgents(setting, gates, untilMs + settleMs)
  const owner = createOwner(setting, gates)
  const often = async (everyMs: number, run: () => void): Promise<void> => {
    while (world.nowMs() < untilMs) {
      run()
      await new Promise((done) => setTimeout(done, (2 * everyMs * random.below(1000)) / 1000))
    }
  }
  const onSomeNode = (run: (node: Node) => Promise<void>) => (): void => {
    const node = random.pick(nodes)
    world.on(node.machine, () => void run(node))
  }

  const [first] = places
  if (first !== undefined) world.on(phone, () => gates.begin(first))
  await world.runTo(othersMs)
  gates.beginOthers()
  await world.runTo(beginMs)
  const [linesBefore, busyBefore] = [database.lines().length, database.busyMs()]
  world.on(phone, () => {
    void owner.work(untilMs).then(() => owner.watch(untilMs + settleMs / 2))
    void often(plan.pushEveryMs, onSomeNode(agents.push))
    void often(plan.eventEveryMs, onSomeNode(agents.event))
    void often(plan.eventEveryMs, () => void agents.localEvent())
    for (const fault of plan.faults) world.after(fault.atMs, () => strike(setting, gates, nodes, fault))
  })
  await world.runTo(untilMs)
  const load = (database.busyMs() - busyBefore) / plan.forMs
  await world.runTo(untilMs + settleMs)

  const history: History = {
    calls: [...owner.reads, ...agents.pushes, ...agents.localEvents],
    arrivals,
    linesBefore,
    sightings: gates.standings,
    chain: database.lines().map(chainLine),
  }
  const violations = breaksOf(
    {
      history,
      acts: owner.acts,
      arrivals,
      standings: gates.standings,
      beginnings: gates.beginnings,
      places: places.map(({ name }) => name),
      isLossy: plan.faults.some(({ kind }) => losing.has(kind)),
      strays: database.strays(),
      isCalm: isCalmIn(plan),
      previousOf: database.previousOf,
    },
    agents.nodeEvents,
  )
  const arrivedMs = new Map(arrivals.map(({ text, atMs }) => [text, atMs]))
  const offs = owner.acts.flatMap(({ call }) => (call.act === 'off' && call.ending === 'ok' ? [call] : []))
  return {
    history,
    violations,
    log,
    steps: world.steps(),
    load,
    delaysMs: ordered(
      agents.pushes.flatMap(({ text, startMs }) => {
        const atMs = arrivedMs.get(text)
        return atMs === undefined ? [] : [atMs - startMs]
      }),
    ),
    offMs: ordered(offs.map(({ startMs, endMs }) => endMs - startMs)),
  }
}

/** Runs one plan in a world of its own, and judges its history. */
export const simulate = async (plan: Plan): Promise<Outcome> => {
  const random = seeded(plan.seed)
  const root = mkdtempSync(join(tmpdir(), 'hookgate-simulation-'))
  const world = createWorld(random, plan.isCalm)
  try {
    const log: string[] = []
    const note = (what: string): void => void log.push(`${world.nowMs().toFixed(1)} ${what}`)
    const database = createDatabase(world, random, plan.costs ?? usualCosts)
    const phone = world.machine('phone')
    return await runIn({ world, random, plan, database, root, phone, note }, log)
  } finally {
    world.leave()
    rmSync(root, { recursive: true, force: true })
  }
}
