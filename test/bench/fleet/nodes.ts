import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGateClient } from '../../../src/agents/client.ts'
import { freePort } from '../../../src/attack/gate/free-port.ts'
import { startNode, type NodeProgram } from '../../e2e/node-program.ts'
import { launch, type Program } from '../../e2e/program.ts'
import { copyOf, invitationIn, waitingGates } from '../../fleet/gates.ts'
import { until, type Plane } from '../../plane.ts'
import type { startGate } from '../gate.ts'
import { awaited, measure, single, summed, type Contender, type Measured } from '../measure.ts'
import { withServer } from './database.ts'

/**
 * A gate with a database and nodes of these names, each of them a process. The agent `builder` runs on the
 * first one.
 */
const withNodes = (
  start: typeof startGate,
  names: readonly string[],
  measured: (gate: Plane, nodes: readonly NodeProgram[], standBy: () => Promise<void>) => Promise<Measured>,
): Promise<Measured> =>
  withServer(async (server) => {
    const database = await server.database()
    const env = { HOOKGATE_DATABASE: database }
    const agents = `agents:\n  main: {kind: demo}\n  builder: {kind: demo, node: ${names[0]}}\n`
    const gate = await start('none', env, `nodes: {port: ${await freePort()}}\n${agents}`)
    const nodes: NodeProgram[] = []
    const waiting: Program[] = []
    /** Starts one more gate, which waits. */
    const standBy = async (): Promise<void> => {
      const home = await mkdtemp(join(tmpdir(), 'hookgate-bench-'))
      copyOf({ gate: gate.home, workspace: gate.workspace })(home)
      waiting.push(launch(home, env))
      const isThere = async (): Promise<boolean> =>
        (await waitingGates((sql) => server.run(database, sql))) === waiting.length
      await until('the gate to wait', isThere)
    }
    try {
      for (const name of names) {
        const answer = await gate.ask(`/nodes add ${name}`, (text) => invitationIn(text).code !== '')
        const { url, code } = invitationIn(answer)
        const node = await startNode(['--gate', url, '--code', code])
        nodes.push(node)
        await node.connected()
      }
      return await measured(gate, nodes, standBy)
    } finally {
      for (const each of waiting) await each.remove()
      for (const node of nodes) await node.remove()
      await gate.stop()
    }
  })

/** An event of an agent on a node, beside the same event of an agent on the machine of the gate. */
export const measureNodeEvent = (start: typeof startGate): Promise<Measured> =>
  withNodes(start, ['desk'], async (plane, [node]) => {
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
        fired('on a node', join(node?.gate ?? '', 'run', 'builder.sock')),
      ],
      { rounds: 40, burst: 20, warmUps: 300, between: () => plane.gate.store.records({ limit: 1 }) },
    )
    return { times }
  })

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

const turns = 100
/** A gate waits so long for a node, and drops it some seconds later. */
const turnsWithStill = 2

/**
 * Turns hooks off and on again while two gates wait, with all nodes at work, and then with one that stands
 * still.
 */
export const measureOff = (start: typeof startGate): Promise<Measured> =>
  withNodes(start, ['desk', 'lab', 'attic', 'shed', 'cellar'], async (plane, nodes, standBy) => {
    const offs = async (count: number, isConfirmed: boolean): Promise<readonly number[]> => {
      const all: number[] = []
      for (let index = 0; index < count; index++) {
        all.push((await turn(plane, '/hooks off', isConfirmed)) * 1000)
        await turn(plane, '/hooks on', isConfirmed)
      }
      return all
    }
    await standBy()
    await standBy()
    await offs(3, true)
    const confirmed = await offs(turns, true)
    const still = nodes.at(-1)?.child
    still?.kill('SIGSTOP')
    try {
      return {
        times: [
          summed('confirmed by five nodes and two gates', confirmed),
          single('99 of 100 within', confirmed.toSorted((a, b) => a - b).at(-2) ?? Number.NaN),
          single('one stands still, the longest', Math.max(...(await offs(turnsWithStill, false)))),
        ],
      }
    } finally {
      still?.kill('SIGCONT')
      await until('the node to be heard again', async () => {
        await turn(plane, '/hooks off', true).catch(() => undefined)
        return turn(plane, '/hooks on', true).catch(() => false as const)
      })
    }
  })
