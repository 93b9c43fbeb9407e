import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { findings } from './axe.ts'
import { isBrowserMissing, launchBrowser, openTab, phoneScreen, type Tab } from './browser.ts'
import { createKey } from '../../src/attack/gate/proof.ts'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { startProgram, until, type Program } from './program.ts'
import { openPhone, ownedEnv, token, type Chat } from './rig.ts'

const shots = process.env['HOOKGATE_SHOTS']

/** A device that says yes to whatever the page of this wire asks. */
const addDevice = async (wire: CDPSession): Promise<string> => {
  await wire.send('WebAuthn.enable')
  const { authenticatorId } = await wire.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return authenticatorId
}

/**
 * A browser on this machine stands for one behind the proxy. Chromium treats http://localhost as secure, as a
 * passkey demands, and has a device of its own for tests.
 */
describe.skipIf(isBrowserMissing)('the page at an address of its own', { timeout: 60_000 }, () => {
  let browser: Browser
  let api: BotApi
  let program: Program
  let phone: Chat
  let tab: Tab
  let page: Page
  let wire: CDPSession
  let device: string
  let origin: string
  let expected: RegExp | undefined
  /** How many complaints of the browser earlier tests have looked at. */
  let checkedCount = 0

  beforeAll(async () => {
    const port = await freePort()
    origin = `http://localhost:${port}`
    api = await startBotApi({ token })
    program = await startProgram({ ...ownedEnv(api), HOOKGATE_PORT: String(port) }, undefined, {
      prepare: (home) => {
        mkdirSync(join(home, '.hookgate'), { mode: 0o700 })
        writeFileSync(join(home, '.hookgate', 'gate.yaml'), `channels: {web: {origin: "${origin}"}}\n`)
      },
    })
    phone = openPhone(api)
    browser = await launchBrowser()
    tab = await openTab(browser, origin, {
      ...phoneScreen,
      permissions: ['notifications'],
    })
    page = tab.page
    wire = await page.context().newCDPSession(page)
    device = await addDevice(wire)
  })
  afterAll(async () => {
    await browser.close()
    await program.remove()
    await api.stop()
  })
  afterEach(() => {
    const fresh = tab.complaints.slice(checkedCount)
    checkedCount = tab.complaints.length
    expect(fresh.filter((line) => expected?.test(line) !== true)).toEqual([])
    expect(tab.foreign).toEqual([])
    expected = undefined
  })

  const look = async (name: string): Promise<void> => {
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await findings(page)).toEqual([])
    if (shots === undefined) return
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({
        path: join(shots, `passkey-${name}-${colorScheme}.png`),
        animations: 'disabled',
      })
    }
    await page.emulateMedia({ colorScheme: null })
  }
  const connected = async (): Promise<void> => {
    await page
      .getByText('Connected', { exact: true })
      .waitFor()
      .catch(async () => expect(await page.locator('body').innerText()).toContain('Connected'))
  }

  test('without a passkey the page says how to get one, and shows nothing', async () => {
    await page.goto(origin)
    await page.getByRole('button', { name: 'Log in with a passkey' }).waitFor()
    await page.getByText('send /login to hookgate in a chat of yours').waitFor()
    await look('login')
    expect(await page.getByRole('textbox').count()).toBe(0)
  })

  test('/login in the chat of an owner gives a link that makes one, and the owners are told', async () => {
    const answer = await phone.ask('/login', /#register-/)
    expect(answer).toContain(`from then on that device logs in at ${origin}.`)
    const [link = ''] = /http\S+#register-\S+/.exec(answer) ?? []
    await page.goto(link)
    await page.getByRole('heading', { name: 'Make a passkey for this device' }).waitFor()
    expect(page.url()).toBe(`${origin}/`)
    await look('make')
    await page.getByRole('button', { name: 'Make the passkey' }).tap()
    await connected()
    await phone.reply(/telegram:7 has a new passkey, which logs in at localhost\./)
    expect(await page.context().cookies()).toEqual([])
    await page.goto(link)
    await page.getByRole('button', { name: 'Make the passkey' }).tap()
    expected = /403/
    await page.getByText('got one that is used.').waitFor()
    await phone.reply(/tried a used link for a passkey again/)
  })

  test('later the passkey alone logs in, and the page does what it does on this machine', async () => {
    await page.goto('about:blank')
    await page.goto(origin)
    await connected()
    await page.getByRole('tab', { name: 'Preferences' }).tap()
    await page.getByRole('button', { name: 'Log out', exact: true }).tap()
    await page.getByText('You are logged out.').waitFor()
    await page.getByRole('button', { name: 'Log in with a passkey' }).tap()
    await connected()
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('/whoami')
    await page.getByRole('button', { name: 'Send', exact: true }).tap()
    await page.getByRole('log').getByText('web:owner').first().waitFor()
  })

  test('a page of the same host at another port gets a signature of the device, and nothing with it', async () => {
    const evil = createServer((_, response) => response.end('<title>evil</title>')).listen(0, '127.0.0.1')
    await once(evil, 'listening')
    const context = await browser.newContext()
    try {
      const other = await context.newPage()
      const otherWire = await context.newCDPSession(other)
      const authenticatorId = await addDevice(otherWire)
      const { credentials } = await wire.send('WebAuthn.getCredentials', { authenticatorId: device })
      for (const credential of credentials)
        await otherWire.send('WebAuthn.addCredential', { authenticatorId, credential })
      // Its server writes the headers that a browser would not, and asks with a key of its own.
      const prove = createKey(() => Date.now())
      const ask = async (path: string, body: unknown): Promise<string> => {
        const headers = { origin, dpop: prove('POST', `${origin}${path}`) }
        return (
          await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        ).text()
      }
      const optionsJSON: unknown = JSON.parse(await ask('/api/passkeys/login/options', {}))
      const address = evil.address()
      await other.goto(
        `http://localhost:${typeof address === 'object' && address !== null ? address.port : 0}`,
      )
      const response = await other.evaluate<unknown>(`navigator.credentials
        .get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(optionsJSON)}) })
        .then((signed) => signed.toJSON())`)
      expect(response).toMatchObject({ id: expect.any(String), response: { signature: expect.any(String) } })
      expect(await ask('/api/passkeys/login', { response })).toContain('"web.passkey"')
    } finally {
      await context.close()
      evil.close()
      evil.closeAllConnections()
    }
  })

  test('the page can be installed, and its worker shows notifications and nothing else', async () => {
    expect(
      await page.evaluate(
        `fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json()).then(({ name }) => name)`,
      ),
    ).toBe('hookgate')
    await page.getByRole('tab', { name: 'Preferences' }).tap()
    await page.getByRole('button', { name: 'Notify me' }).tap()
    await page.getByRole('button', { name: 'Stop notifying me' }).waitFor()
    await until('the worker', () =>
      page.evaluate(
        `navigator.serviceWorker.getRegistrations().then((all) => all.map(({ scope }) => new URL(scope).pathname).join())`,
      ),
    ).then((scopes) => expect(scopes).toBe('/page/notify/'))
    // The browser of the test cannot hide a tab, so the page is told that it is hidden.
    await page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => true })`)
    await page.getByRole('tab', { name: 'Chat' }).tap()
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('say good morning')
    await page.getByRole('button', { name: 'Send', exact: true }).tap()
    const bodies = await until(
      'the notification',
      async () => {
        const shown = await page.evaluate<readonly string[]>(
          `navigator.serviceWorker.getRegistration('/page/notify/').then((worker) => worker.getNotifications()).then((all) => all.map(({ title, body }) => title + ': ' + body))`,
        )
        return shown.length > 0 && shown
      },
      30_000,
    ).catch(async (error: unknown) => {
      throw new Error(`${String(error)} The page shows:\n${await page.locator('body').innerText()}`)
    })
    expect(bodies).toEqual(['The agent: good morning'])
  })

  test('after a restart the passkey still logs in; what a console on this machine prints makes another one', async () => {
    await program.stop()
    program = await program.again()
    expect(program.login()).toContain(`${origin}/#register-`)
    expected = /ERR_|Failed to load|401/
    await page.getByRole('button', { name: 'Log in with a passkey' }).waitFor({ timeout: 30_000 })
    await page.getByRole('button', { name: 'Log in with a passkey' }).tap()
    await connected()
  })

  test('a removed passkey ends its session at once and logs in no more', async () => {
    const list = await phone.ask('/passkeys', /of telegram:7, for localhost/)
    const [, name = ''] = /^(?:🛡️? )?(\w{6}) of telegram:7/mu.exec(list) ?? []
    await phone.ask(`/passkeys remove ${name}`, /It no longer logs in, and its sessions have ended\./)
    expected = /401|403/
    await page.getByText('Your session has ended.').waitFor()
    await page.getByRole('button', { name: 'Log in with a passkey' }).tap()
    await page.getByText('Expected a passkey of an owner for this address, got another one.').waitFor()
    await look('refused')
  })

  test('nothing but this address is answered', async () => {
    const { port } = new URL(origin)
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(421)
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(421)
  })
})
