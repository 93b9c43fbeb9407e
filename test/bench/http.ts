import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { anEntry } from '../core/gatekeeper/gate-fixture.ts'
import { approve, createFire, type BenchGate } from './gate.ts'
import { awaited, measure, type Measured } from './measure.ts'

const event = 'on_subagent_start'

/** A server on loopback that reads each question and has no opinion. Both contenders meet the same one. */
const startServer = async () => {
  const answer = (response: ServerResponse): void =>
    void response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}')
  const server = createServer(
    (request, response) => void request.resume().once('end', () => answer(response)),
  )
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, stop: () => server.closeAllConnections() }
}

/**
 * One approved `http` hook asked through the gate over a kept connection, beside the bare request of the same
 * bytes.
 */
export const measureHttp = async (gate: BenchGate): Promise<Measured> => {
  const { origin, stop } = await startServer()
  await approve(gate, anEntry({ event, type: 'http', command: `${origin}/hook` }))
  const ask = createFire(gate, event, {
    subagent_name: 'reader',
    subagent_type: 'general',
    task_description: 'Read the page.',
  })
  const body = JSON.stringify(await ask())
  const agent = new Agent()
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'bench' }
  const post = async (): Promise<string> => {
    const answered = await agent.request({ origin, path: '/hook', method: 'POST', headers, body })
    const text = await answered.body.text()
    if (text !== '{}') throw new Error(`Expected {} of the bare request, got ${JSON.stringify(text)}.`)
    return text
  }
  try {
    const times = await measure([awaited('bare keep-alive POST', post), awaited('fire', ask)], {
      rounds: 40,
      burst: 25,
      warmUps: 500,
    })
    return { times }
  } finally {
    await agent.destroy()
    stop()
  }
}
