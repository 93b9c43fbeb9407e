import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { freePort } from '../../../src/attack/gate/free-port.ts'
import { createWaitingServer, type WaitingServer } from '../../../src/compose/health/waiting-server.ts'

let waiting: WaitingServer | undefined
afterEach(() => waiting?.close())
const open = async (port: number): Promise<WaitingServer> => {
  waiting = createWaitingServer(port, () => undefined)
  await waiting.open()
  return waiting
}
const answerOf = async (port: number, path: string): Promise<readonly [number, string]> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  return [response.status, await response.text()]
}
test('a gate that waits is alive and not ready, and says which of both it does: wait or start', async () => {
  const port = await freePort()
  const server = await open(port)
  expect(await answerOf(port, '/healthz')).toEqual([200, 'ok'])
  expect(await answerOf(port, '/readyz')).toEqual([503, expect.stringContaining('waits')])
  expect((await answerOf(port, '/'))[0]).toBe(404)
  server.taken()
  expect(await answerOf(port, '/readyz')).toEqual([503, expect.stringContaining('starting')])
})

test('when it is closed the port is free, also while somebody is connected who says nothing', async () => {
  const port = await freePort()
  const server = await open(port)
  const silent = connect(port, '127.0.0.1')
  await once(silent, 'connect')
  await server.close()
  const page = createServer().listen(port, '127.0.0.1')
  await once(page, 'listening')
  page.close()
  silent.destroy()
})

test('a port that another program uses is refused at once, since the gate needs it when it takes over', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  waiting = createWaitingServer(
    typeof address === 'object' && address !== null ? address.port : 0,
    () => undefined,
  )
  await expect(waiting.open()).rejects.toThrow('another program uses it')
  other.close()
})
