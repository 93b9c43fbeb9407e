/**
 * A gate's listener for nodes as a process of its own. It lets in the keys of its standard input, and says
 * once in a while how many of them are connected.
 */
import { text as readText } from 'node:stream/consumers'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { createMembers } from '../../src/server/nodes/members.ts'
import { startNodeServer } from '../../src/server/nodes/server.ts'

const keys = (await readText(process.stdin)).split('\n').filter((key) => key !== '')
const names = new Map(keys.map((key, index) => [key, `node-${index}`]))
const elapsedMs = (): number => performance.now()

const members = createMembers({
  enrolled: () => [...names.values()],
  agentsOf: () => [],
  approvalsOf: () => [],
  questions: { subscribe: () => () => undefined },
  follow: () => undefined,
  facts: () => ({ isArmed: true, unreachable: 'owner' }),
  hasTwin: () => undefined,
  elapsedMs,
})
const { port } = await startNodeServer({
  host: '127.0.0.1',
  port: await freePort(),
  members,
  nodeOf: (publicKey) => names.get(publicKey),
  enrol: () => Promise.reject(new Error('nobody enrols here')),
  agent: () => undefined,
  propose: () => undefined,
  answer: () => false,
  file: () => undefined,
  bridge: () => () => Promise.resolve(),
  elapsedMs,
  log: () => undefined,
})
setInterval(() => {
  const connected = members.list()
  // A node that has confirmed a state has asked again, and so it has stayed.
  const stayed = connected.filter(({ lagMs }) => lagMs !== undefined)
  process.stdout.write(`${JSON.stringify({ port, connected: connected.length, stayed: stayed.length })}\n`)
}, 200)
