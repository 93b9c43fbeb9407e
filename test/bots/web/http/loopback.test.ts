import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { ask, startScripted } from '../scripted-web.ts'

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1')
const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0)) await end()
})

const open = async (port?: number) => {
  const scripted = await startScripted(port)
  endings.push(() => scripted.web.stop())
  return { ...scripted, url: new URL(scripted.web.url()), port: Number(new URL(scripted.web.url()).port) }
}
/** What is answered on the IPv6 address; undefined where nobody is. */
const onIpv6 = (port: number, path: string, host: string) =>
  ask(`http://[::1]:${port}${path}`, { headers: { host } }).catch(() => undefined)
const stranger = (port: number): Server => {
  const server = createServer().listen(port, '::1')
  endings.push(() => server.close())
  return server
}

test('each start has a name that nobody could know before', async () => {
  const { url, port, web } = await open()
  await web.stop()
  const again = await open(port)
  for (const { hostname } of [url, again.url]) expect(hostname).toMatch(/^[0-9a-f]{16}\.localhost$/)
  expect(again.port).toBe(port)
  expect(again.url.hostname).not.toBe(url.hostname)
})

test('over IPv6 a browser finds the very same page, and nobody else can answer there', async () => {
  const { url, port, web } = await open()
  expect((await onIpv6(port, '/', url.host))?.text).toBe(
    hasIpv6 ? (await ask(`${web.url()}/`)).text : undefined,
  )
  expect((await onIpv6(port, '/api/stream', url.host))?.status).toBe(hasIpv6 ? 401 : undefined)
  for (const host of [`localhost:${port}`, `[::1]:${port}`, 'evil.example']) {
    expect((await onIpv6(port, '/', host))?.status).toBe(hasIpv6 ? 421 : undefined)
  }
  if (hasIpv6) await expect(once(stranger(port), 'listening')).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await web.stop()
  expect(await onIpv6(port, '/', url.host)).toBeUndefined()
})

test.skipIf(!hasIpv6)(
  'where another program is there already, hookgate does not start: a browser would ask that one first',
  async () => {
    const { port, web } = await open()
    await web.stop()
    await once(stranger(port), 'listening')
    await expect(startScripted(port)).rejects.toMatchObject({
      problem: {
        code: 'web.port',
        message: expect.stringContaining(`port ${port} of ::1`),
        fix: expect.stringContaining('HOOKGATE_PORT='),
      },
    })
    // And leaves nothing behind.
    await expect(ask(`http://127.0.0.1:${port}/healthz`)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  },
)

test('where any port will do, one is taken that is free on both addresses', async () => {
  const listening = channel('tracing:net.server.listen:asyncEnd')
  let taken = 0
  const race = (message: unknown): void => {
    const address = (message as { server: Server }).server.address()
    if (taken !== 0 || typeof address !== 'object' || address === null) return
    taken = address.port
    if (hasIpv6) stranger(taken).on('error', () => undefined)
  }
  listening.subscribe(race)
  endings.push(() => listening.unsubscribe(race))
  const { port } = await open()
  expect(taken).not.toBe(0)
  expect(port === taken).toBe(!hasIpv6)
})
