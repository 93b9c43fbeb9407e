import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Passkey } from '../../../../src/core/model/gate/passkey.ts'
import { createKey } from '../../../../src/attack/gate/proof.ts'
import { createAuthenticator, type Answering } from '../../../fixtures/authenticator.ts'
import { ask, preferences, startScripted, type Reply } from '../scripted-web.ts'

const origin = 'https://gate.example.org'
const rpId = 'gate.example.org'
const host = rpId

let scripted: Awaited<ReturnType<typeof startScripted>>
let kept: Map<string, Passkey>
let counters: Map<string, number>
let isAdding: boolean
let owners: Set<string>

const start = () =>
  startScripted(0, undefined, {
    origin,
    ports: {
      passkeys: {
        mayEnter: (id) => owners.has(id),
        find: (id) => kept.get(id),
        idsOf: (owner) => [...kept.values()].filter((one) => one.owner === owner).map(({ id }) => id),
        add: async (passkey) => {
          if (!isAdding)
            return { ok: false, problem: { code: 'gate.lockdown', message: 'A lockdown.', fix: 'Recover.' } }
          kept.set(passkey.id, passkey)
          return { ok: true }
        },
        noteUse: async (id, counter) => {
          const before = counters.get(id) ?? 0
          if (before > 0 && counter <= before) return false
          counters.set(id, counter)
          return true
        },
      },
      // The first login of a gate makes an owner, and the page hears of that.
      entered: async () => scripted.prefer(preferences),
    },
  })

beforeEach(async () => {
  kept = new Map()
  counters = new Map()
  isAdding = true
  owners = new Set(['telegram:7'])
  scripted = await start()
})
afterEach(() => scripted.web.stop())

/** A browser: its key, and requests as the proxy hands them on. */
const openBrowser = () => {
  const prove = createKey(scripted.now)
  const send = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    ask(`http://127.0.0.1:${scripted.port()}${path}`, {
      method: 'POST',
      headers: { host, origin, dpop: prove('POST', `${origin}${path}`), ...headers },
      body: JSON.stringify(body),
    })
  const challengeOf = async (path: string, body: unknown): Promise<string> =>
    (JSON.parse((await send(`${path}/options`, body)).text) as { challenge: string }).challenge
  return {
    prove,
    send,
    challengeOf,
    register: async (
      register: string,
      device: ReturnType<typeof createAuthenticator>,
      how: Partial<Answering> = {},
    ): Promise<Reply> => {
      const challenge = await challengeOf('/api/passkeys/register', { register })
      return send('/api/passkeys/register', {
        register,
        response: device.register({ challenge, origin, rpId, ...how }),
      })
    },
    logIn: async (
      device: ReturnType<typeof createAuthenticator>,
      how: Partial<Answering> = {},
    ): Promise<Reply> => {
      const challenge = await challengeOf('/api/passkeys/login', {})
      return send('/api/passkeys/login', { response: device.logIn({ challenge, origin, rpId, ...how }) })
    },
  }
}

const linkOf = (owner = 'telegram:7'): string => {
  const link = scripted.link(owner)
  expect(link.startsWith(`${origin}/#register-`)).toBe(true)
  return link.slice(`${origin}/#register-`.length)
}
const codeOf = (reply: Reply): unknown =>
  (JSON.parse(reply.text) as { error?: { code?: string } }).error?.code
const sessionOf = (reply: Reply): string => {
  expect(reply.status).toBe(200)
  return (JSON.parse(reply.text) as { session: string }).session
}
/** 404 when the session counts, because there is no such file. */
const statusIn = async ({ prove }: ReturnType<typeof openBrowser>, session: string): Promise<number> => {
  const path = '/api/files/none'
  const headers = {
    host,
    authorization: `DPoP ${session}`,
    dpop: prove('GET', `${origin}${path}`, { session }),
  }
  return (await ask(`http://127.0.0.1:${scripted.port()}${path}`, { headers })).status
}
const registered = async () => {
  const device = createAuthenticator()
  const browser = openBrowser()
  sessionOf(await browser.register(linkOf(), device, { counter: 1 }))
  return { device, browser }
}

test('a link makes a passkey of the owner who asked for it, and the passkey logs in later, in any browser', async () => {
  const { device } = await registered()
  expect([...kept.values()]).toEqual([
    {
      id: device.id,
      owner: 'telegram:7',
      rpId,
      publicKey: expect.stringMatching(/^[\w-]+$/),
      transports: ['internal'],
    },
  ])
  const other = openBrowser()
  const session = sessionOf(await other.logIn(device, { counter: 2 }))
  const path = '/api/say'
  const said = await ask(`http://127.0.0.1:${scripted.port()}${path}`, {
    method: 'POST',
    headers: {
      host,
      origin,
      authorization: `DPoP ${session}`,
      dpop: other.prove('POST', `${origin}${path}`, { session }),
    },
    body: '{"text":"hello"}',
  })
  expect(said.status).toBe(202)
  expect(scripted.received.map(({ text }) => text)).toEqual(['hello'])
  expect(scripted.misuses).toEqual([])
})

describe('a link for a passkey', () => {
  test('is good once, and a second use is an alarm', async () => {
    const register = linkOf()
    const browser = openBrowser()
    const session = sessionOf(await browser.register(register, createAuthenticator()))
    expect(await statusIn(browser, session)).toBe(404)
    expect(codeOf(await browser.send('/api/passkeys/register/options', { register }))).toBe(
      'web.register_used',
    )
    expect(scripted.misuses).toEqual(['Somebody tried a used link for a passkey again.'])
    expect(kept.size).toBe(1)
  })

  test('ends after five minutes, and one that never existed is refused without an alarm', async () => {
    const register = linkOf()
    const browser = openBrowser()
    scripted.pass(5 * 60_000 + 1)
    expect(codeOf(await browser.send('/api/passkeys/register/options', { register }))).toBe(
      'web.register_expired',
    )
    expect(codeOf(await browser.send('/api/passkeys/register/options', { register: 'x'.repeat(32) }))).toBe(
      'web.register_unknown',
    )
    expect(scripted.misuses).toEqual([])
  })

  test('in a lockdown opens a session and makes no passkey, so that its owner can recover the gate', async () => {
    isAdding = false
    const browser = openBrowser()
    const session = sessionOf(await browser.register(linkOf(), createAuthenticator()))
    expect(kept.size).toBe(0)
    expect(await statusIn(browser, session)).toBe(404)
    // Such a session has no passkey. It ends with its owner all the same.
    owners.clear()
    expect(await statusIn(browser, session)).toBe(401)
    expect(codeOf(await browser.register(linkOf(), createAuthenticator()))).toBe('gate.lockdown')
  })

  test('makes one passkey, also when two devices answer at the same moment', async () => {
    const register = linkOf()
    const answers = await Promise.all(
      [openBrowser(), openBrowser()].map((browser) => browser.register(register, createAuthenticator())),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403])
    expect(kept.size).toBe(1)
  })
})

describe('a passkey is refused', () => {
  test('that was made for another origin or another host', async () => {
    // A page below the host of the address may ask for its passkeys, and so may one in a frame.
    for (const how of [
      { origin: 'https://evil.example' },
      { origin: `https://evil.${host}` },
      { origin: `${origin}:8443` },
      { origin: `http://${host}` },
      { rpId: 'evil.example' },
      { said: { crossOrigin: true } },
      { said: { crossOrigin: true, topOrigin: 'https://evil.example' } },
      { said: { topOrigin: 'https://evil.example' } },
      { said: { crossOrigin: 'yes' } },
    ]) {
      expect(codeOf(await openBrowser().register(linkOf(), createAuthenticator(), how))).toBe('web.passkey')
      const { device, browser } = await registered()
      expect(codeOf(await browser.logIn(device, { counter: 5, ...how })), JSON.stringify(how)).toBe(
        'web.passkey',
      )
    }
    expect(kept.size).toBe(9)
  })

  test('that belongs to the address that the page had before', async () => {
    const { device, browser } = await registered()
    const [passkey] = kept.values()
    if (passkey === undefined) throw new Error('Expected a passkey.')
    kept.set(passkey.id, { ...passkey, rpId: 'old.example.org' })
    expect(codeOf(await browser.logIn(device, { counter: 5 }))).toBe('web.passkey')
  })

  test('whose device did not check who holds it', async () => {
    expect(codeOf(await openBrowser().register(linkOf(), createAuthenticator(), { isVerified: false }))).toBe(
      'web.passkey',
    )
    const { device, browser } = await registered()
    expect(codeOf(await browser.logIn(device, { counter: 5, isVerified: false }))).toBe('web.passkey')
  })

  test('whose key is of a kind that was not asked for (none, RS1, ES256K)', async () => {
    for (const algorithm of [0, -65_535, -47])
      expect(codeOf(await openBrowser().register(linkOf(), createAuthenticator(algorithm)))).toBe(
        'web.passkey',
      )
    expect(kept.size).toBe(0)
  })

  test('whose answer cannot be read, has no end or is nested without end', async () => {
    const { device, browser } = await registered()
    for (const junk of [
      '',
      'ff',
      '81'.repeat(15_000),
      `bb${'ff'.repeat(8)}`,
      'bf6161',
      `5b${'7f'.repeat(8)}`,
    ]) {
      const how = { counter: 5, junk: Buffer.from(junk, 'hex') }
      expect(codeOf(await browser.register(linkOf(), createAuthenticator(), how))).toBe('web.passkey')
      expect(codeOf(await browser.logIn(device, how)), junk.slice(0, 40)).toBe('web.passkey')
    }
  })

  test('that nobody registered, or that was removed', async () => {
    const { device, browser } = await registered()
    // An old challenge is refused before anybody learns whether there is such a passkey.
    const response = device.logIn({ challenge: 'x', origin, rpId })
    for (const id of [response.id, createAuthenticator().id])
      expect(
        codeOf(await browser.send('/api/passkeys/login', { response: { ...response, id, rawId: id } })),
      ).toBe('web.challenge')
    expect(codeOf(await browser.logIn(createAuthenticator()))).toBe('web.passkey')
    kept.clear()
    expect(codeOf(await browser.logIn(device, { counter: 5 }))).toBe('web.passkey')
  })

  test('whose device counts fewer uses than before, and that is an alarm', async () => {
    const { device, browser } = await registered()
    sessionOf(await browser.logIn(device, { counter: 7 }))
    for (const counter of [7, 3, 0])
      expect(codeOf(await browser.logIn(device, { counter }))).toBe('web.passkey_copied')
    expect(scripted.misuses).toHaveLength(3)
    expect(scripted.misuses[0]).toContain('somebody may have copied it')
    sessionOf(await browser.logIn(device, { counter: 8 }))
  })
})

describe('a challenge is good', () => {
  test('once', async () => {
    const { device, browser } = await registered()
    const challenge = await browser.challengeOf('/api/passkeys/login', {})
    const response = device.logIn({ challenge, origin, rpId, counter: 5 })
    sessionOf(await browser.send('/api/passkeys/login', { response }))
    expect(codeOf(await browser.send('/api/passkeys/login', { response }))).toBe('web.challenge')
  })

  test('once, also when two answers come at the same moment', async () => {
    const { device, browser } = await registered()
    const challenge = await browser.challengeOf('/api/passkeys/login', {})
    const answers = await Promise.all(
      [5, 6].map((counter) =>
        browser.send('/api/passkeys/login', {
          response: device.logIn({ challenge, origin, rpId, counter }),
        }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403])
  })

  test('for three minutes, for the browser that asked for it, and for that purpose', async () => {
    const { device, browser } = await registered()
    const challenge = await browser.challengeOf('/api/passkeys/login', {})
    const response = device.logIn({ challenge, origin, rpId, counter: 5 })
    expect(codeOf(await openBrowser().send('/api/passkeys/login', { response }))).toBe('web.challenge')
    const register = linkOf()
    expect(
      codeOf(
        await browser.send('/api/passkeys/register', {
          register,
          response: createAuthenticator().register({ challenge, origin, rpId }),
        }),
      ),
    ).toBe('web.challenge')
    scripted.pass(3 * 60_000)
    expect(codeOf(await browser.send('/api/passkeys/login', { response }))).toBe('web.challenge')
  })

  test('only when the gate made it', async () => {
    const { device, browser } = await registered()
    for (const challenge of ['', 'x', 'A'.repeat(72), `${'A'.repeat(72)}=`])
      expect(
        codeOf(
          await browser.send('/api/passkeys/login', {
            response: device.logIn({ challenge, origin, rpId, counter: 5 }),
          }),
        ),
      ).toBe('web.challenge')
  })
})

test('a session ends with its passkey, at once', async () => {
  const { device, browser } = await registered()
  const session = sessionOf(await browser.logIn(device, { counter: 2 }))
  expect(await statusIn(browser, session)).toBe(404)
  kept.clear()
  expect(await statusIn(browser, session)).toBe(401)
})

describe('behind a proxy the page answers its own address alone', () => {
  test('no other host, be it a name of this machine', async () => {
    for (const other of [
      '127.0.0.1',
      'localhost',
      '0123456789abcdef.localhost',
      `127.0.0.1:${scripted.port()}`,
      `localhost:${scripted.port()}`,
      `0123456789abcdef.localhost:${scripted.port()}`,
      'gate.example.org.evil.example',
      'gate.example.org:8443',
    ])
      for (const path of ['/', '/healthz', '/page/icon.svg', '/api/passkeys/login/options'])
        expect(
          (await ask(`http://127.0.0.1:${scripted.port()}${path}`, { headers: { host: other } })).status,
        ).toBe(421)
  })

  test('what a proxy writes into X-Forwarded headers changes nothing', async () => {
    const forwarded = {
      'x-forwarded-host': host,
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '127.0.0.1',
      forwarded: `host=${host};proto=https`,
    }
    const url = `http://127.0.0.1:${scripted.port()}/`
    expect((await ask(url, { headers: { host: 'evil.example', ...forwarded } })).status).toBe(421)
    const sent = await openBrowser().send(
      '/api/passkeys/login/options',
      {},
      { ...forwarded, origin: 'https://evil.example' },
    )
    expect(codeOf(sent)).toBe('web.origin')
  })

  test('a login of the console does not exist there, nor do passkeys on this machine', async () => {
    const browser = openBrowser()
    expect((await browser.send('/api/login', { login: scripted.web.mintLogin() })).status).toBe(401)
    const local = await startScripted()
    const answer = await ask(`${local.web.url()}/api/passkeys/login/options`, {
      method: 'POST',
      headers: { origin: local.web.url() },
      body: '{}',
    })
    expect(answer.status).toBe(401)
    await local.web.stop()
  })

  test('the manifest is for everybody and says nothing about the gate', async () => {
    const url = `http://127.0.0.1:${scripted.port()}/page/manifest.webmanifest`
    const manifest = await ask(url, { headers: { host } })
    expect(manifest.status).toBe(200)
    expect(manifest.headers['content-type']).toBe('application/manifest+json')
    expect(JSON.parse(manifest.text)).toMatchObject({ name: 'hookgate', start_url: '/' })
    expect((await ask(url, { headers: { host: 'evil.example' } })).status).toBe(421)
  })

  test('a body that is far too large is refused', async () => {
    const answer = await openBrowser().send('/api/passkeys/login', { response: 'x'.repeat(100_000) })
    expect(answer.status).toBe(413)
  })
})
