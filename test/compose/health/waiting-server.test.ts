import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { freePort } from '../../../src/attack/gate/free-port.ts'
import { createWaitingServer, type WaitingServer } from '../../../src/compose/health/waiting-server.ts'
import { until } from '../../until.ts'

let waiting: WaitingServer | undefined
let logged: string[] = []
afterEach(async () => {
  await waiting?.close()
  logged = []
})
const open = (port: number): WaitingServer => {
  waiting = createWaitingServer(port, (_, what) => void logged.push(what))
  waiting.open()
  return waiting
}
const answerOf = async (port: number, path: string): Promise<readonly [number, string]> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  return [response.status, await response.text()]
}
const opened = (port: number): Promise<readonly [number, string]> =>
  until('the server to listen', () => answerOf(port, '/healthz').catch(() => undefined))

test('a gate that waits is alive and not ready, and says which of both it does: wait or start', async () => {
  const port = await freePort()
  const server = open(port)
  expect(await opened(port)).toEqual([200, 'ok'])
  expect(await answerOf(port, '/readyz')).toEqual([503, expect.stringContaining('waits')])
  expect((await answerOf(port, '/'))[0]).toBe(404)
  server.taken()
  expect(await answerOf(port, '/readyz')).toEqual([503, expect.stringContaining('starting')])
})

test('when it is closed the port is free, also while somebody is connected who says nothing', async () => {
  const port = await freePort()
  const server = open(port)
  await opened(port)
  const silent = connect(port, '127.0.0.1')
  await once(silent, 'connect')
  await server.close()
  const page = createServer().listen(port, '127.0.0.1')
  await once(page, 'listening')
  page.close()
  silent.destroy()
})

test('a port that another program uses is a warning, and the gate goes on waiting', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const server = open(typeof address === 'object' && address !== null ? address.port : 0)
  await server.close()
  expect(logged).toEqual(['nobody can ask whether this gate waits'])
  other.close()
})
