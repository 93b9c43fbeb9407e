import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import type { Payload } from '../../src/model/events/payload.ts'
import type { Plane } from '../plane.ts'
import { anEntry } from '../gatekeeper/gate-fixture.ts'
import { awaited, measure } from './measure.ts'
import type { Subject } from './table.ts'

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
export const measureHttp = async (plane: Plane): Promise<Subject> => {
  const { gatekeeper, dispatcher } = plane.gate
  const { origin, stop } = await startServer()
  const approved = await gatekeeper.approve(
    anEntry({ event, type: 'http', command: `${origin}/hook` }),
    'memory:owner',
  )
  if (!approved.ok) throw new Error(approved.problem.message)
  const request = {
    agentId: 'main',
    event,
    sessionId: 'bench',
    cwd: plane.workspace,
    fields: { subagent_name: 'reader', subagent_type: 'general', task_description: 'Read the page.' },
  } as const

  const ask = async (): Promise<Payload> => {
    const fired = await dispatcher.fire(request)
    if (fired.kind !== 'verdict' || fired.verdict.hooks[0]?.answer?.kind !== 'abstain')
      throw new Error(`Expected the hook to abstain, got ${JSON.stringify(fired).slice(0, 500)}`)
    return fired.verdict.payload
  }
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
    return { name: 'one approved http hook, kept connection', times }
  } finally {
    await agent.destroy()
    stop()
  }
}
