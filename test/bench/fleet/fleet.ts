/** `npm run bench -- fleet`: what a database, nodes and a second gate cost. */
import { loadavg } from 'node:os'
import { freePort } from '../../../src/attack/gate/free-port.ts'
import { messageOf } from '../../../src/model/gate/problem.ts'
import type { NodeProgram } from '../../e2e/node-program.ts'
import type { TestServer } from '../../store/postgres-server.ts'
import { medianOf, table, verdicts, type Subject } from '../table.ts'
import { measureDurablePushes, measureEvent, startArmed } from './database.ts'
import { measureFailover } from './failover.ts'
import { joinNodes, measureNodeEvent, measureOff, type OffTimes } from './nodes.ts'

interface Figures {
  readonly event: Subject
  readonly pushes: Subject
  readonly nodeEvent: Subject
  readonly off: OffTimes
}

const at = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
const shown = (ms: readonly number[]): string =>
  `p50 ${at(ms, 0.5)?.toFixed(0)} ms · p99 ${at(ms, 0.99)?.toFixed(0)} ms of ${ms.length}`

const measureGates = async (url: string): Promise<Figures> => {
  const files = await startArmed({})
  const gateYaml = `nodes: {port: ${await freePort()}}\nagents:\n  main: {kind: demo}\n  builder: {kind: demo, node: desk}\n`
  const database = await startArmed({ HOOKGATE_DATABASE: url }, gateYaml)
  const nodes: NodeProgram[] = []
  try {
    const event = await measureEvent({ files, database })
    const pushes = await measureDurablePushes({ files, database })
    nodes.push(...(await joinNodes(database, ['desk', 'lab', 'attic', 'shed', 'cellar'])))
    const [desk] = nodes
    if (desk === undefined) throw new Error('Expected five nodes, got none.')
    const nodeEvent = await measureNodeEvent(database, desk)
    return { event, pushes, nodeEvent, off: await measureOff(database, nodes) }
  } finally {
    for (const node of nodes) await node.remove()
    await files.stop()
    await database.stop()
  }
}

const report = ({ event, pushes, nodeEvent, off }: Figures, failoverMs: readonly number[]): string => {
  const [local, remote] = ['on the machine of the gate', 'on a node'].map((name) => medianOf(nodeEvent, name))
  const pushUs = medianOf(pushes, 'database')
  return `${table([event, pushes, nodeEvent])}

off, until five nodes have confirmed            ${shown(off.allMs)}
off, while one of them stands still             ${shown(off.stillMs)}
kill -9 until the second gate has answered      ${failoverMs.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(' · ')}

${verdicts([
  {
    what: 'a gated event with no match and a database, median',
    unit: 'µs',
    atMost: 300,
    figure: medianOf(event, 'database'),
  },
  // 2500 a second.
  { what: 'a push of many over 50 chats with a database, median', unit: 'µs', atMost: 400, figure: pushUs },
  {
    what: 'an event: what a node adds, median',
    unit: 'ms',
    atMost: 2,
    figure: local === undefined || remote === undefined ? undefined : (remote - local) / 1000,
  },
  { what: 'off, confirmed by five nodes, p99', unit: 'ms', atMost: 250, figure: at(off.allMs, 0.99) },
  { what: 'off, while one stands still, longest', unit: 'ms', atMost: 2500, figure: off.stillMs.at(-1) },
  {
    what: 'a second gate takes over, longest',
    unit: 's',
    atMost: 15,
    figure: failoverMs.length === 0 ? undefined : (failoverMs.at(-1) ?? Number.NaN) / 1000,
  },
])}`
}

/** Leaves everything out where PostgreSQL cannot be had. */
export const benchFleet = async (tell: (words: string) => void): Promise<void> => {
  let server: TestServer
  try {
    // The package for this platform is an optional one.
    const { startServer } = await import('../../store/postgres-server.ts')
    server = await startServer(true)
  } catch (error) {
    return tell(`Left out, because no PostgreSQL server could be started: ${messageOf(error)}`)
  }
  tell(
    `The load of this machine before: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' · ')}\n`,
  )
  try {
    const [url, other] = [await server.database(), await server.database()]
    const figures = await measureGates(url)
    tell(report(figures, await measureFailover(other, (sql) => server.run(other, sql))))
  } finally {
    await server.stop()
  }
}
