import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Delivery } from '../../src/core/model/chat/channel.ts'
import { chainOf } from '../../src/core/gatekeeper/ledger/lines.ts'
import { violationsOf, type Violation } from '../fleet/checker.ts'
import type { Arrival, Call, ChainLine, History } from '../fleet/history.ts'
import { seeded } from '../handlers/builtins/redact/seeded.ts'
import { createAgents, serveBy, type Agents } from './agents.ts'
import { createDatabase, type Costs } from './database.ts'
import { createGates, type Gates, type Setting } from './gates.ts'
import { startNode, type Node } from './node.ts'
import { createOwner, type OwnerWork } from './owner.ts'
import type { Fault, Plan } from './plan.ts'
import { createWorld, type Machine } from './world.ts'

export interface Outcome {
  readonly history: History
  readonly violations: readonly Violation[]
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
  const arrivals: Arrival[] = []
  const isLate = (): boolean => plan.isCalm !== true && random.below(5) === 0
  const deliver = (from: Machine, chat: string, text: string): Promise<Delivery> =>
    new Promise((resolve) => {
      const wire = world.wire(from, machine, (side) => {
        if (side === from) resolve({ kind: 'unknown', why: 'the connection broke' })
      })
      wire.send(machine, () => {
        arrivals.push({ chat, text, atMs: world.nowMs() })
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

const strike = (
  { world, random, database, note }: Setting,
  { places, working, begin, end }: Gates,
  nodes: readonly Node[],
  { kind, on, forMs }: Fault,
): void => {
  const place = on % 4 === 3 ? random.pick(places) : (working() ?? random.pick(places))
  note(`${kind} ${place.name} for ${forMs} ms`)
  const { machine } = place
  const node = nodes[on % nodes.length]
  switch (kind) {
    case 'kill':
      end(place)
      world.after(forMs, () => begin(place))
      break
    case 'stop':
      machine.stoppedUntilMs = world.nowMs() + forMs
      break
    case 'hold':
      world.hold(machine, database.machine, forMs)
      break
    case 'refuse':
      world.refuse(machine, database.machine, forMs)
      break
    case 'restart':
      database.restart(Math.min(forMs, 5000))
      break
    case 'node':
      if (node === undefined) return
      if (on % 2 === 0) world.hold(node.machine, machine, forMs)
      else node.machine.stoppedUntilMs = world.nowMs() + forMs
  }
}

const chainLine = (line: string): ChainLine => {
  const { prev, act } = JSON.parse(line) as { readonly prev: string; readonly act: string }
  return { head: chainOf(line), previous: prev, act }
}

/** What the events of each node break. An act counts on a node when its receipt does not name that node. */
const brokenOnNodes = ({ nodeEvents }: Agents, { acts }: OwnerWork): readonly Violation[] =>
  [...nodeEvents].flatMap(([name, events]) => {
    const known = acts.map(({ call, missing }): Call =>
      missing.includes(name) ? { ...call, ending: 'unknown' } : call,
    )
    const history = { calls: [...events, ...known], arrivals: [], chain: [], linesBefore: 0, sightings: [] }
    return violationsOf(history).filter(({ law }) => law === 'verdict')
  })

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
    void owner.work(untilMs)
    void often(plan.pushEveryMs, onSomeNode(agents.push))
    void often(plan.eventEveryMs, onSomeNode(agents.event))
    void often(plan.eventEveryMs, () => void agents.localEvent())
    for (const fault of plan.faults) world.after(fault.atMs, () => strike(setting, gates, nodes, fault))
  })
  await world.runTo(untilMs)
  const load = (database.busyMs() - busyBefore) / plan.forMs
  await world.runTo(untilMs + settleMs)

  const acts = owner.acts.map(({ call }) => call)
  const history: History = {
    calls: [...acts, ...owner.reads, ...agents.pushes, ...agents.localEvents],
    arrivals,
    linesBefore,
    sightings: gates.sightings(),
    chain: database.lines().map(chainLine),
  }
  const arrivedMs = new Map(arrivals.map(({ text, atMs }) => [text, atMs]))
  const offs = acts.filter(({ act, ending }) => act === 'off' && ending === 'ok')
  return {
    history,
    violations: [...violationsOf(history), ...brokenOnNodes(agents, owner)],
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
