import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt } from 'jose'
import { afterEach, expect, test } from 'vitest'
import { nodePaths, type NodeAgent } from '../../src/shared/nodes/protocol.ts'
import { newKey } from '../../src/node/identity.ts'
import { createLink, type Link } from '../../src/node/link.ts'
import { until } from '../../src/attack/gate/until.ts'
import { runBareNode } from './rig.ts'

const hourMs = 3_600_000
const toleranceS = 60

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A gate whose clock differs from the one of this machine. It refuses each proof of another time. */
const startGate = async (aheadMs: number) => {
  const refused: number[] = []
  let isTold = false
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const theirS = Math.floor((Date.now() + aheadMs) / 1000)
    const date = new Date(Date.now() + aheadMs).toUTCString()
    const differsS = Math.abs((decodeJwt(String(request.headers['dpop'])).iat ?? 0) - theirS)
    request.resume()
    if (differsS > toleranceS) {
      refused.push(differsS)
      const error = { code: 'node.clock', message: 'Expected another time.', fix: 'Set the clock.' }
      const body = JSON.stringify({ error })
      response.writeHead(403, { date, 'content-length': body.length }).end(body)
    } else if (request.url !== nodePaths.lines) response.writeHead(200, { date }).end('{}')
    else {
      // The node asks again and again, and is told something new once.
      const lines = [
        { type: 'hello', node: 'desk', agents: [] },
        { type: 'state', number: 1, facts: { isArmed: true, unreachable: 'owner' } },
      ]
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
      if (!isTold) response.writeHead(200, { date }).end(text)
      isTold = true
    }
  }
  const server = createServer(serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, refused }
}

const linkTo = (url: string): Link => createLink({ key: newKey(), gates: [url], version: '1.0.0' })
const ask = async (link: Link): Promise<IncomingMessage> => {
  const answer = await link.send({ method: 'POST', path: nodePaths.inboxes, body: Buffer.from('{}') })
  answer.resume()
  return answer
}

test.each([hourMs, -hourMs])(
  'a link takes over the time of a gate whose clock differs by %i ms',
  async (aheadMs) => {
    const { url, refused } = await startGate(aheadMs)
    const link = linkTo(url)
    const first = await ask(link)
    expect(first.statusCode).toBe(403)
    link.setClock(first)
    expect((await ask(link)).statusCode).toBe(200)
    expect(refused).toHaveLength(1)
  },
)

test('a node whose clock is wrong by an hour connects after one refusal, and tells the gate what it knows', async () => {
  const { url, refused } = await startGate(hourMs)
  const over = new AbortController()
  const said: string[] = []
  const ran: (readonly NodeAgent[])[] = []
  const known: (number | undefined)[] = []
  const running = runBareNode({
    link: linkTo(url),
    runAgents: (agents) => Promise.resolve(void ran.push(agents)),
    writeSwitch: ({ knownUntilMs }) => void known.push(knownUntilMs),
    say: (line) => void said.push(line),
    now: () => 0,
    signal: over.signal,
  })
  ends.unshift(async () => {
    over.abort()
    await running
  })
  await until('the state of the gate', () => known.length > 0)
  expect(said).toEqual([`Connected to ${url} as desk. It runs no agent here, and bridges are served.`])
  expect(ran).toEqual([[]])
  // What the node knows ends by its own clock, which only has to measure 30 seconds.
  expect(known).toEqual([30_000])
  expect(refused).toHaveLength(1)
})
