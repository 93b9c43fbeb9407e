/**
 * A gate's listener for nodes as a process of its own. It lets in the keys of its standard input, and says
 * once in a while how many of them are connected.
 */
import { text as readText } from 'node:stream/consumers'
import { membersOf, serveNodes } from './rig.ts'

const keys = (await readText(process.stdin)).split('\n').filter((key) => key !== '')
const names = new Map(keys.map((key, index) => [key, `node-${index}`]))

const members = membersOf({ enrolled: () => [...names.values()] })
const { port } = await serveNodes({ members, nodeOf: (publicKey) => names.get(publicKey) })
setInterval(() => {
  const connected = members.list()
  // A node that has confirmed a state has asked again, and so it has stayed.
  const stayed = connected.filter(({ lagMs }) => lagMs !== undefined)
  process.stdout.write(`${JSON.stringify({ port, connected: connected.length, stayed: stayed.length })}\n`)
}, 200)
