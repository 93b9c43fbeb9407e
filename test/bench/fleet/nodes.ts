import { join } from 'node:path'
import { createGateClient } from '../../../src/agents/client.ts'
import { startNode, type NodeProgram } from '../../e2e/node-program.ts'
import { invitationIn } from '../../fleet/gates.ts'
import { until, type Plane } from '../../plane.ts'
import { awaited, measure, type Contender } from '../measure.ts'
import type { Subject } from '../table.ts'

/** Lets machines in as nodes of these names. The agent `builder` runs on the first one. */
export const joinNodes = async (plane: Plane, names: readonly string[]): Promise<readonly NodeProgram[]> => {
  const nodes: NodeProgram[] = []
  for (const name of names) {
    const answer = await plane.ask(`/nodes add ${name}`, (text) => invitationIn(text).code !== '')
    const { url, code } = invitationIn(answer)
    const node = await startNode(['--gate', url, '--code', code])
    nodes.push(node)
    await node.connected()
  }
  return nodes
}

/** An event of an agent on a node, beside the same event of an agent on the machine of the gate. */
export const measureNodeEvent = async (plane: Plane, { gate }: NodeProgram): Promise<Subject> => {
  const fired = (name: string, socketPath: string): Contender => {
    const client = createGateClient(socketPath)
    return awaited(name, async () => {
      const { verdict, reason } = await client.fire('pre_tool_call', {
        session_id: 'bench',
        cwd: plane.workspace,
        tool_name: 'bash',
        tool_input: { command: 'git log --oneline | head -9' },
      })
      if (verdict !== 'allow') throw new Error(`Expected the event to be allowed, got: ${reason}`)
    })
  }
  const times = await measure(
    [
      fired('on the machine of the gate', join(plane.home, 'run', 'main.sock')),
      fired('on a node', join(gate, 'run', 'builder.sock')),
    ],
    { rounds: 40, burst: 20, warmUps: 300, between: () => plane.gate.store.records({ limit: 1 }) },
  )
  return { name: 'an event of an agent, kept connections', times }
}

/** The time from the owner's command to its receipt, in milliseconds. */
const turn = async (
  plane: Plane,
  command: '/hooks on' | '/hooks off',
  isConfirmed: boolean,
): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const forget = plane.memory.onSent(({ text }) => {
    if (/Hooks are O(?:N|FF)/.test(text)) resolve(text)
  })
  const fromMs = performance.now()
  plane.say(command)
  const text = await promise
  const tookMs = performance.now() - fromMs
  forget()
  if (text.includes('Not confirmed') === isConfirmed)
    throw new Error(`Expected ${isConfirmed ? 'every node' : 'not every node'} to confirm, got: ${text}`)
  return tookMs
}

const turns = 50
/** A gate waits so long for a node, and drops it some seconds later. */
const turnsWithStill = 2

export interface OffTimes {
  /** Each time from `/hooks off` to the receipt, when every node has confirmed, the shortest first. */
  readonly allMs: readonly number[]
  /** The same with one node that stands still. */
  readonly stillMs: readonly number[]
}

/** Turns hooks off and on again, with every node at work and then with one that stands still. */
export const measureOff = async (plane: Plane, nodes: readonly NodeProgram[]): Promise<OffTimes> => {
  const sorted = (all: readonly number[]): readonly number[] => all.toSorted((a, b) => a - b)
  const offs = async (count: number, isConfirmed: boolean): Promise<readonly number[]> => {
    const all: number[] = []
    for (let index = 0; index < count; index++) {
      all.push(await turn(plane, '/hooks off', isConfirmed))
      await turn(plane, '/hooks on', isConfirmed)
    }
    return sorted(all)
  }
  await offs(3, true)
  const allMs = await offs(turns, true)
  const still = nodes.at(-1)?.child
  still?.kill('SIGSTOP')
  try {
    return { allMs, stillMs: await offs(turnsWithStill, false) }
  } finally {
    still?.kill('SIGCONT')
    await until('the node to be heard again', async () => {
      await turn(plane, '/hooks off', true).catch(() => undefined)
      return turn(plane, '/hooks on', true).catch(() => false as const)
    })
  }
}
