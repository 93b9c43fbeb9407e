import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { ask, startScripted } from './scripted-web.ts'

const hasIpv6 = Object.values(networkInterfaces()).flat().some((address) => address?.address === '::1')
const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0)) await end()
})

const open = async (port?: number) => {
  const scripted = await startScripted(port)
  endings.push(() => scripted.web.stop())
  return { ...scripted, port: Number(new URL(scripted.web.url()).port) }
}
/** What is answered on the IPv6 address; undefined where nobody is. */
const onIpv6 = (port: number, path: string, options: Parameters<typeof ask>[1] = {}) =>
  ask(`http://[::1]:${port}${path}`, options).catch(() => undefined)
const stranger = (port: number): Server => {
  const server = createServer().listen(port, '::1')
  endings.push(() => server.close())
  return server
}

test('nobody else can answer at http://localhost: there is only the way to the page, over IPv6', async () => {
  const { port, web, said } = await open()
  for (const host of [`localhost:${port}`, `[::1]:${port}`, 'evil.example']) {
    const answer = await onIpv6(port, '/', { headers: { host } })
    expect([answer?.status, answer?.headers.location, answer?.text]).toEqual(hasIpv6 ? [302, `http://127.0.0.1:${port}/`, ''] : [undefined, undefined, undefined])
  }
  for (const [method, path] of [['POST', '/'], ['POST', '/api/login'], ['GET', '/api/stream'], ['GET', '/page/app.js'], ['GET', '/healthz'], ['GET', '//evil.example/'], ['GET', '/?x']] as const) {
    expect((await onIpv6(port, path, { method }))?.status).toBe(hasIpv6 ? 404 : undefined)
  }
  if (hasIpv6) await expect(once(stranger(port), 'listening')).rejects.toMatchObject({ code: 'EADDRINUSE' })
  expect(said).toEqual([])
  await web.stop()
  expect(await onIpv6(port, '/')).toBeUndefined()
})

test('where another program is there already, the console says which address is hookgate’s', async () => {
  const { port, web } = await open()
  await web.stop()
  if (hasIpv6) await once(stranger(port), 'listening')
  const again = await open(port)
  expect(again.said).toEqual(hasIpv6 ? [`⚠ Another program may answer at http://localhost:${port}. Only http://127.0.0.1:${port} is hookgate.`] : [])
  expect((await ask(`http://127.0.0.1:${port}/healthz`)).text).toBe('ok')
})

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
  const { port, said } = await open()
  expect(taken).not.toBe(0)
  expect(port === taken).toBe(!hasIpv6)
  expect(said).toEqual([])
})
