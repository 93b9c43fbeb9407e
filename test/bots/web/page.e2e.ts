import { channel } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { execa } from 'execa'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isBrowserMissing, launchBrowser } from '../../e2e/browser.ts'
import { openRow, readRow } from './open-row.ts'
import { preferences, startScripted } from './scripted-web.ts'

test('the page type-checks', async () => {
  await execa('node_modules/.bin/tsc', ['--project', 'bots/web/page'])
})

describe.skipIf(isBrowserMissing)('the page in a browser', () => {
  let browser: Browser
  let scripted: Awaited<ReturnType<typeof startScripted>>
  let base: string
  let page: Page
  let complaints: string[]
  let foreign: string[]
  let expected: RegExp | undefined

  const watch = (opened: Page): Page => {
    opened.on('console', (line) => {
      if (line.type() !== 'error' && line.type() !== 'warning') return
      if (expected?.test(line.text()) !== true) complaints.push(line.text())
    })
    opened.on('pageerror', (error) => complaints.push(String(error)))
    opened.on('request', (request) => {
      if (new URL(request.url()).origin !== base) foreign.push(request.url())
    })
    opened.setDefaultTimeout(30_000)
    return opened
  }
  const openPage = async (options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> =>
    watch(await browser.newPage(options))
  const logIn = async (to: Page): Promise<void> => {
    await to.goto(`${base}/#${scripted.web.mintLogin()}`)
    await to.getByText('Connected', { exact: true }).waitFor()
  }
  const log = (of: Page) => of.getByRole('log')
  const texts = () => scripted.received.map((message) => message.text)

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    scripted = await startScripted(0, Date.now())
    base = scripted.web.url()
    complaints = []
    foreign = []
    expected = undefined
    page = await openPage({ viewport: { width: 1200, height: 800 } })
  })
  afterEach(async () => {
    await page.close()
    await scripted.web.stop()
    expect(complaints).toEqual([])
    expect(foreign).toEqual([])
  })

  test('a login leaves the address bar, a message is echoed and answered, and a reload keeps both', async () => {
    scripted.reply((message) => void scripted.tell(`You said: ${message.text}`))
    await logIn(page)
    expect(page.url()).toBe(`${base}/`)
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2)
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('hello')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await log(page).getByText('You said: hello').waitFor()
    await page.reload()
    await log(page).getByText('You said: hello').waitFor()
    expect(await page.context().cookies()).toEqual([])
  })

  test('a card is answered with one tap, and becomes its receipt where it stands', async () => {
    await page.setViewportSize({ width: 360, height: 760 })
    const buttons = [
      [
        { label: 'Approve', press: 'a1' },
        { label: 'Approve and fail closed', press: 'a2' },
      ],
      [
        { label: 'Show', press: 'a3' },
        { label: 'Not now', press: 'a4' },
      ],
    ]
    scripted.reply(({ press }) => {
      if (press !== undefined)
        void scripted.tell('\u{1F6E1}\uFE0F Approved', 'notice', [], { replaces: press.on_message_id })
    })
    await logIn(page)
    await scripted.tell('\u{1F6E1}\uFE0F A hook waits for you', 'notice', [], { buttons })
    await scripted.tell('I am done.')
    await log(page).getByRole('button', { name: 'Approve', exact: true }).dblclick()
    await log(page).getByText('Approved').waitFor()
    expect(await log(page).getByRole('button').count()).toBe(0)
    expect(await log(page).getByRole('article').allInnerTexts()).toEqual([
      expect.stringContaining('Approved'),
      expect.stringContaining('I am done.'),
    ])
    expect(scripted.received.map(({ text, press }) => [text, press?.data])).toEqual([['', 'a1']])
    await page.reload()
    await log(page).getByText('Approved').waitFor()
  })

  test('a yes and a no are side by side on a phone, of one size and one look', async () => {
    await scripted.web.stop()
    scripted = await startScripted(0, Date.now(), {
      ports: { cardOf: (press) => ({ act: press }) },
    })
    base = scripted.web.url()
    await page.setViewportSize({ width: 390, height: 844 })
    await logIn(page)
    const pairs = [
      ['Allow once', 'allow', 'Deny', 'deny'],
      ['Release', 'release', 'Withhold', 'withhold'],
      ['Approve', 'approve', 'Not now', 'wait'],
      ['Yes, change it', 'confirm', 'No, keep it', 'keep'],
    ] as const
    for (const [yes, yesAct, no, noAct] of pairs) {
      const buttons = [
        [
          { label: yes, press: yesAct },
          { label: no, press: noAct },
        ],
        [{ label: 'More…', press: 'run' }],
      ]
      await scripted.tell('\u{1F6E1}\uFE0F May main use bash?', 'notice', [], { buttons })
      const [one, other] = [yes, no].map((name) => log(page).getByRole('button', { name, exact: true }))
      const [left, right] = [await one?.boundingBox(), await other?.boundingBox()]
      expect([left?.y, left?.width, left?.height]).toEqual([right?.y, right?.width, right?.height])
      expect((right?.x ?? 0) + (right?.width ?? 0)).toBeLessThanOrEqual(390)
      expect([await one?.getAttribute('class'), await other?.getAttribute('class')]).toEqual([
        'choice',
        'choice',
      ])
    }
  })

  test('an empty chat offers three things, which depend on what helps most now', async () => {
    const guards = [{ name: 'secrets', title: 'Secrets do not leave', effect: 'It does.', isApproved: false }]
    const [approved] = preferences.rows
    if (approved === undefined) throw new Error('Expected a row.')
    const offers = () => log(page).getByRole('button').locator('strong')
    const first = () => log(page).getByRole('button').first().getAttribute('data-act')
    const always = ['What did the agent do?', 'Write to the agent']
    scripted.prefer({ ...preferences, guards, tapEffect: 'They fire from the next event.' })
    await logIn(page)
    await expect.poll(() => offers().allTextContents()).toEqual(['Protect me', ...always])
    expect(await first()).toBe('/hooks protect')
    scripted.prefer(preferences)
    await expect.poll(() => offers().allTextContents()).toEqual(['What waits for me?', ...always])
    expect(await first()).toBe('/hooks pending')
    scripted.prefer({ ...preferences, rows: [approved] })
    await expect.poll(() => offers().allTextContents()).toEqual(['What protects me?', ...always])
    expect(await first()).toBe('/hooks')
    await page.getByRole('button', { name: /^Write to the agent/ }).click()
    const box = page.getByRole('textbox', { name: 'Message', exact: true })
    await expect.poll(() => box.inputValue()).toBe('What can you do?')
    expect(await box.evaluate((one) => one.matches(':focus'))).toBe(true)
    // The gate of this test keeps no history.
    expected = /404/
    await page.getByRole('button', { name: /^What did the agent do/ }).click()
    await page.getByRole('dialog', { name: 'History of events' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^What protects me/ }).click()
    await expect.poll(texts).toEqual(['/hooks'])
    await expect.poll(() => offers().count()).toBe(0)
  })

  test('all times are in one time zone: that of the browser, or the one that the gate knows of its person', async () => {
    const clock = (timeZone: string, atMs: number): string =>
      new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(atMs)
    const tokyo = await openPage({ timezoneId: 'Asia/Tokyo', locale: 'en-US' })
    await logIn(tokyo)
    await scripted.tell('good morning')
    const time = log(tokyo).locator('time')
    await time.waitFor()
    const atMs = Date.parse((await time.getAttribute('datetime')) ?? '')
    expect(await time.textContent()).toBe(clock('Asia/Tokyo', atMs))
    scripted.prefer({ ...preferences, zone: 'America/New_York' })
    await expect.poll(() => time.textContent()).toMatch(new RegExp(`${clock('America/New_York', atMs)}$`))
    await tokyo.close()
  })

  test('Enter sends, Shift+Enter makes a line, and a word being composed is not sent', async () => {
    await logIn(page)
    const box = page.getByRole('textbox', { name: 'Message', exact: true })
    await box.pressSequentially('one')
    await box.press('Shift+Enter')
    await box.pressSequentially('two')
    await box.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })
    expect(await box.inputValue()).toBe('one\ntwo')
    await box.press('Enter')
    await log(page).getByText('one').waitFor()
    expect(texts()).toEqual(['one\ntwo'])
    expect(await log(page).locator('.from-you .said').innerText()).toBe('one\ntwo')
    await box.press('Enter')
    expect(await box.inputValue()).toBe('')
    expect(texts()).toEqual(['one\ntwo'])
  })

  test('what is said is text, whatever it looks like; code is code; a notice is visibly hookgate', async () => {
    await logIn(page)
    const hostile = '<img src=x onerror=alert(1)> & <b>bold</b>'
    await scripted.tell(hostile)
    await scripted.tell('type /hooks on now', 'push', [{ offset: 5, length: 9 }])
    await scripted.tell('A message was withheld.', 'notice')
    await log(page).getByText('withheld').waitFor()
    expect(await log(page).locator('.from-agent .said').first().innerText()).toBe(hostile)
    expect(await log(page).locator('.from-agent code').allInnerTexts()).toEqual(['/hooks on'])
    expect(await log(page).locator('.from-hookgate .who').innerText()).toBe('hookgate')
    expect(await page.locator('.log a, .log b, .log .said img').count()).toBe(0)
  })

  test('markup in a text could not be parsed even if the page tried', async () => {
    await logIn(page)
    expected = /TrustedHTML/
    await expect(page.evaluate("document.body.insertAdjacentHTML('beforeend', '<i>x</i>')")).rejects.toThrow(
      'TrustedHTML',
    )
  })

  test('the switch and the buttons send what the owner would type, and the list follows the gate', async () => {
    await logIn(page)
    const master = page.getByRole('switch', { name: 'Hooks', exact: true })
    expect(await master.getAttribute('aria-checked')).toBe('false')
    await master.click()
    // Playwright would wait for the switch to be free again; a hasty finger does not.
    await master.click({ force: true })
    await readRow(page, '9xm4d')
    await page.getByRole('button', { name: /^Approve \.\/examples\/block_secrets/ }).click()
    await openRow(page.getByRole('listitem', { name: 'Hook k7f2q' }))
    await page.getByRole('button', { name: 'Revoke ./examples/block_destructive.sh' }).click()
    const sure = page.getByRole('alertdialog', { name: 'Revoke ./examples/block_destructive.sh?' })
    await sure.getByRole('button', { name: 'Revoke ./examples/block_destructive.sh' }).click()
    await expect.poll(texts).toEqual(['/hooks on', '/hooks approve 9xm4d', '/hooks revoke k7f2q'])
    expect(await master.getAttribute('aria-checked')).toBe('false')
    const [first, second] = preferences.rows
    if (first === undefined || second === undefined) throw new Error('Expected two rows.')
    const approved = { ...second, status: '✓ approved', isLive: true, isApproved: true, canApprove: false }
    scripted.prefer({ isOn: true, held: [], guards: [], rows: [first, approved] })
    await page.locator('[role=switch][aria-checked=true]').waitFor()
    for (const handle of ['k7f2q', '9xm4d'])
      await openRow(page.getByRole('listitem', { name: `Hook ${handle}` }))
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(2)
    await master.click()
    await expect.poll(() => texts().at(-1)).toBe('/hooks off')
  })

  test('what is to be approved shows its invisible characters', async () => {
    const [first] = preferences.rows
    if (first === undefined) throw new Error('Expected a row.')
    scripted.prefer({
      isOn: false,
      lockdown: 'The ledger is unreadable.',
      held: [],
      guards: [],
      rows: [{ ...first, command: './a\u202ehs.b\u200b 中文' }],
    })
    await logIn(page)
    const row = await readRow(page, 'k7f2q')
    expect(await row.locator('.command').textContent()).toBe('./a\\u{202e}hs.b\\u{200b} 中文')
    expect(await row.locator('.hook-name').textContent()).toBe('./a\\u{202e}hs.b\\u{200b} 中文')
    await page.getByText('The ledger is unreadable.').waitFor()
  })

  test('a second use of a login is refused in plain words and is an alarm; the first tab goes on', async () => {
    const login = scripted.web.mintLogin()
    await page.goto(`${base}/#${login}`)
    await page.getByText('Connected', { exact: true }).waitFor()
    expected = /403/
    const other = await openPage()
    await other.goto(`${base}/#${login}`)
    await other.getByText('one that was used').waitFor()
    await other.getByText('in the console where hookgate runs').first().waitFor()
    expect(scripted.misuses).toHaveLength(1)
    await other.goto(`${base}/#${scripted.web.mintLogin()}`)
    await other.getByText('Connected', { exact: true }).waitFor()
    await scripted.tell('for both')
    for (const tab of [page, other]) await log(tab).getByText('for both').waitFor()
    await other.close()
  })

  test('without a login the page says how to get one, and logging out ends there', async () => {
    await page.goto(base)
    await page.getByText('in the console where hookgate runs').waitFor()
    await logIn(page)
    await page.getByRole('button', { name: 'Log out', exact: true }).click()
    await page.getByText('You are logged out.').waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })

  test('a lost connection is said, a text that was not taken stays in the box, and the page comes back by itself', async () => {
    const streams: IncomingMessage[] = []
    const collect = (started: unknown): void => {
      const { request } = started as { request: IncomingMessage }
      if (request.url === '/api/stream') streams.push(request)
    }
    channel('http.server.request.start').subscribe(collect)
    await logIn(page)
    channel('http.server.request.start').unsubscribe(collect)
    expect(streams).toHaveLength(1)
    expected = /ERR_|Failed to load/
    await page.context().setOffline(true)
    streams[0]?.socket.destroy()
    await page.getByText('Offline. Reconnecting …').waitFor()
    const box = page.getByRole('textbox', { name: 'Message', exact: true })
    await box.fill('keep me')
    await box.press('Enter')
    await page.getByText('The message was not sent.').waitFor()
    expect(await box.inputValue()).toBe('keep me')
    await scripted.tell('said meanwhile')
    await page.context().setOffline(false)
    await log(page).getByText('said meanwhile').waitFor()
    await box.press('Enter')
    await log(page).getByText('keep me').waitFor()
  })

  test('a text that the gate could not keep is shown as not sent, and stays in the box', async () => {
    await scripted.web.stop()
    scripted = await startScripted(0, Date.now(), { ports: { receive: () => Promise.resolve('unkept') } })
    base = scripted.web.url()
    expected = /503/
    await logIn(page)
    const box = page.getByRole('textbox', { name: 'Message', exact: true })
    await box.fill('hello')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText(/The message was not sent\. .*Send it again in a moment\./).waitFor()
    expect(await box.inputValue()).toBe('hello')
    expect(await log(page).getByRole('article').locator('time').allInnerTexts()).toEqual([
      expect.stringMatching(/^not sent /),
    ])
  })

  test('the word of a session alone opens nothing: the key that goes with it cannot be taken out of the browser', async () => {
    await logIn(page)
    const word: string = await page.evaluate("sessionStorage.getItem('hookgate.session')")
    for (const scheme of ['Bearer', 'DPoP']) {
      const answer = await fetch(`${base}/api/say`, {
        method: 'POST',
        headers: { origin: base, authorization: `${scheme} ${word}` },
        body: '{"text":"stolen"}',
      })
      expect(answer.status).toBe(401)
    }
    expect(texts()).toEqual([])
    expect(scripted.misuses).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining('without its key')),
    )
    const taken = page.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('hookgate')
      opening.onsuccess = () => {
        const reading = opening.result.transaction('keys').objectStore('keys').getAll()
        reading.onsuccess = () => Promise.all(reading.result.map((pair) => crypto.subtle.exportKey('jwk', pair.privateKey))).then(resolve, reject)
      }
    })`)
    await expect(taken).rejects.toThrow(/not extractable/)
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).toBe(
      JSON.stringify({ 'hookgate.session': word }),
    )
  })

  test('two tabs that open at once have a session each: a reload keeps both, and logging out ends one', async () => {
    const context = await browser.newContext({ viewport: { width: 1200, height: 800 } })
    const [one, other] = [watch(await context.newPage()), watch(await context.newPage())]
    // This one has found no key, and is slow to make one.
    await other.addInitScript(`
      const generateKey = SubtleCrypto.prototype.generateKey
      SubtleCrypto.prototype.generateKey = async function (...given) {
        await new Promise((goOn) => (window.goOn = goOn))
        return generateKey.apply(this, given)
      }`)
    await other.goto(`${base}/#${scripted.web.mintLogin()}`)
    await expect.poll(() => other.evaluate("typeof window.goOn === 'function'")).toBe(true)
    await logIn(one)
    await other.evaluate('goOn()')
    await other.getByText('Connected', { exact: true }).waitFor()
    for (const tab of [one, other]) {
      await tab.reload()
      await tab.getByText('Connected', { exact: true }).waitFor()
    }
    expect(await other.evaluate("sessionStorage.getItem('hookgate.session')")).not.toBe(
      await one.evaluate("sessionStorage.getItem('hookgate.session')"),
    )
    await one.getByRole('button', { name: 'Log out', exact: true }).click()
    await one.getByText('You are logged out.').waitFor()
    await one.reload()
    await one.getByText('in the console where hookgate runs').waitFor()
    await other.getByRole('textbox', { name: 'Message', exact: true }).fill('still here')
    await other.getByRole('button', { name: 'Send', exact: true }).click()
    await log(other).getByText('still here').waitFor()
    await other.reload()
    await log(other).getByText('still here').waitFor()
    expect(scripted.misuses).toEqual([])
    await context.close()
  })

  test('a new login in a tab takes the place of its session', async () => {
    await logIn(page)
    const before: string = await page.evaluate("sessionStorage.getItem('hookgate.session')")
    await page.evaluate(`location.hash = ${JSON.stringify(scripted.web.mintLogin())}`)
    await expect.poll(() => page.evaluate("sessionStorage.getItem('hookgate.session')")).not.toBe(before)
    await page.getByText('Connected', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Connected', { exact: true }).waitFor()
    expect(scripted.misuses).toEqual([])
  })

  test('a browser whose clock is wrong goes by the gate’s', async () => {
    await scripted.web.stop()
    scripted = await startScripted(Number(new URL(base).port), Date.now() - 3_600_000)
    base = scripted.web.url()
    // The first refusal, each time the page is loaded.
    expected = /401/
    await logIn(page)
    await page.reload()
    await page.getByText('Connected', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('in time')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await log(page).getByText('in time').waitFor()
    expect(scripted.misuses).toEqual([])
  })

  test('a browser that keeps no key says so, and uses up no login', async () => {
    const login = scripted.web.mintLogin()
    const forgetful = await openPage()
    await forgetful.addInitScript("indexedDB.open = () => { throw new Error('nothing is kept') }")
    await forgetful.goto(`${base}/#${login}`)
    await forgetful.getByText('This browser cannot store the key of the session.').waitFor()
    await forgetful.close()
    await page.goto(`${base}/#${login}`)
    await page.getByText('Connected', { exact: true }).waitFor()
  })

  test('after a restart of hookgate an open page asks for a new login', async () => {
    await logIn(page)
    expected = /ERR_|Failed to load/
    await scripted.web.stop()
    await page.getByText('Offline. Reconnecting …').waitFor()
    scripted = await startScripted(Number(new URL(base).port), Date.now())
    await page.getByText('Your session has ended.').waitFor()
    await page.reload()
    await page.getByText('hookgate has a new address').waitFor()
    base = scripted.web.url()
    await logIn(page)
  })

  test('the agent at work is shown, and only while it works', async () => {
    await logIn(page)
    scripted.web.working?.('main', true)
    await page.getByText('The agent is working').waitFor()
    scripted.web.working?.('main', false)
    await page.getByText('The agent is working').waitFor({ state: 'detached' })
  })

  test.for(['light', 'dark'] as const)(
    'on a small phone nothing overflows and everything can be touched: %s',
    async (colorScheme) => {
      const shots = process.env['HOOKGATE_SHOTS']
      const small = await openPage({ viewport: { width: 360, height: 740 }, colorScheme })
      const fits = () => small.evaluate('document.documentElement.scrollWidth <= innerWidth')
      const shoot = async (of: Page, name: string) => {
        const png = await of.screenshot({
          animations: 'disabled',
          ...(shots !== undefined && { path: `${shots}/${name}-${colorScheme}.png` }),
        })
        expect(png.length).toBeGreaterThan(1000)
      }
      await small.goto(base)
      await small.getByText('in the console').waitFor()
      expect(await fits()).toBe(true)
      await shoot(small, 'login-360')
      await logIn(small)
      await scripted.tell(
        'Hello. I tidied the folder.\n\nThen I ran `rm -rf ./build` and published the site.',
        'push',
        [{ offset: 40, length: 16 }],
      )
      await scripted.tell(`https://example.org/${'very-long-'.repeat(30)}`)
      await scripted.tell(
        'Withheld one message of the agent (block_secrets.py).\nWhy: /hooks why e-81f3',
        'notice',
      )
      await small.getByRole('textbox', { name: 'Message' }).fill('please wait\nfor the owner')
      await small.getByRole('button', { name: 'Send' }).click()
      await log(small).getByText('for the owner').waitFor()
      scripted.web.working?.('main', true)
      await small.getByText('The agent is working').waitFor()
      expect(await fits()).toBe(true)
      await shoot(small, 'chat-360')
      await small.getByRole('tab', { name: 'Preferences' }).click()
      await small.getByRole('switch', { name: 'Hooks' }).waitFor()
      expect(await fits()).toBe(true)
      const low = await small
        .locator('button:visible')
        .evaluateAll((all) =>
          all
            .filter(
              (one) => one.getBoundingClientRect().height < 44 || one.getBoundingClientRect().width < 44,
            )
            .map((one) => one.textContent),
        )
      expect(low).toEqual([])
      await scripted.tell('one more')
      await small.getByRole('img', { name: 'new messages' }).waitFor()
      await shoot(small, 'preferences-360')
      await small.setViewportSize({ width: 1200, height: 800 })
      expect(await small.getByRole('log').isVisible()).toBe(true)
      scripted.prefer({ ...preferences, isOn: true })
      await small.locator('[role=switch][aria-checked=true]').waitFor()
      await shoot(small, 'wide-1200')
      await small.close()
    },
  )
})
