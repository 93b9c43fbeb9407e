import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isBrowserMissing, launchBrowser, openTab, phoneScreen, type Tab } from './browser.ts'
import {
  asks,
  expectNoOwner,
  hasAgent,
  hasLetter,
  ofBlocks,
  plain,
  redacted,
  refused,
  says,
  under,
  wrote,
} from './first-time.ts'
import { startProgram, until, type Program } from './program.ts'

const shots = process.env['HOOKGATE_SHOTS']

/**
 * The same first hour as over Telegram, in a browser as wide as a phone: typed and tapped, word for word the
 * same.
 */
describe.skipIf(isBrowserMissing)('the first hour, on the web page', { timeout: 90_000 }, () => {
  let browser: Browser
  let program: Program
  let tab: Tab
  let page: Page
  beforeAll(async () => {
    browser = await launchBrowser()
    program = await startProgram()
    tab = await openTab(browser, new URL(program.login()).origin, {
      ...phoneScreen,
    })
    page = tab.page
  })
  afterAll(async () => {
    await browser.close()
    await program.remove()
  })
  afterEach(() => {
    expect(tab.complaints).toEqual([])
    expect(tab.foreign).toEqual([])
  })

  const texts = async (by: 'agent' | 'hookgate'): Promise<readonly string[]> =>
    (await page.locator(`.from-${by} .said`).allTextContents()).map(plain)
  /** All that hookgate says, but for blocks: those of a burst are told when their time has come. */
  const said = (): Locator => page.locator('.from-hookgate').filter({ hasNotText: ofBlocks })
  const newest = async (): Promise<string> =>
    plain((await said().locator('.said').last().textContent()) ?? '')
  const count = async (text: string): Promise<number> =>
    (await texts('hookgate')).filter((one) => one === text).length
  const bubble = (words: string): Locator => page.locator('.from-hookgate').filter({ hasText: words }).last()
  const labels = async (of: Locator): Promise<readonly (readonly string[])[]> =>
    Promise.all((await of.locator('.presses').all()).map((row) => row.getByRole('button').allTextContents()))
  const newestLabels = (): Promise<readonly (readonly string[])[]> => labels(said().last())
  /** The button that shows this label. Its full name also names the hook. */
  const labelled = (of: Locator, label: string): Locator =>
    of.getByRole('button', { name: label }).filter({ hasText: new RegExp(`^${label}$`) })
  /** As a person taps: a button that has just come does not count yet. */
  const tap = async (label: string): Promise<void> => {
    await page.waitForTimeout(1500)
    await labelled(said().last(), label).tap()
  }
  const write = async (words: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill(words)
    await page.getByRole('button', { name: 'Send', exact: true }).tap()
  }
  const reads = (text: string): Promise<boolean> =>
    until('hookgate to say it', async () => (await texts('hookgate')).includes(text), 40_000).catch(
      async () => {
        expect(await newest()).toBe(text)
        return false
      },
    )
  const agent = async (words: string, answer: string): Promise<void> => {
    const before = (await texts('agent')).length
    await write(words)
    await until(
      `the agent to answer ${words.slice(0, 40)} with ${answer}`,
      async () => (await texts('agent')).slice(before).includes(answer),
      40_000,
    )
  }
  /** Nothing sticks out of a phone, bright or dark. Pictures are for people, and only when asked for. */
  const look = async (name: string): Promise<void> => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(
        await page.evaluate(
          '[...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5).map((one) => one.outerHTML.slice(0, 80))',
        ),
      ).toEqual([])
      if (shots !== undefined)
        await page.screenshot({
          path: join(shots, `first-${name}-${colorScheme}.png`),
          animations: 'disabled',
        })
    }
    await page.emulateMedia({ colorScheme: null })
  }

  test('the console says how to own the gate, and no agent runs before somebody does', () => {
    expectNoOwner(program, '  (Telegram: start with TELEGRAM_BOT_TOKEN=… and type it to your bot)\n')
  })

  test('the link of the console, opened: the gate is theirs, and the agent starts', async () => {
    await page.goto(program.login())
    await page.getByText('Connected', { exact: true }).waitFor()
    await reads(says.protect)
    expect(await newestLabels()).toEqual(under.protect)
    expect(await count(says.protect)).toBe(1)
    await look('open')
    await until('the agent', () => hasAgent(program))
    expect(program.output()).toContain(
      'You opened the page, so you own this gate now. The code above has expired, and the agent starts.\nTo add a phone, type /pair on the page.\n',
    )
  })

  test('the list says that hooks are off, and what waits', async () => {
    await write('/hooks')
    await reads(says.list)
    expect(await newestLabels()).toEqual([['Show pending']])
    await look('list')
  })

  test('the agent prepares a hook with its own tools, and a card comes, once', async () => {
    await agent(asks.write, wrote(asks.write))
    await agent(asks.propose, 'No output.')
    await reads(says.announced)
    expect(await newestLabels()).toEqual(under.waiting)
    expect(await count(says.announced)).toBe(1)
    await look('card')
  })

  test('what waits does nothing', async () => {
    await agent(asks.make, 'No output.')
    expect(hasLetter(program)).toBe(true)
    await agent(asks.remove, 'No output.')
    expect(hasLetter(program)).toBe(false)
  })

  test('Details brings the whole script in the place of the card', async () => {
    await tap('Details')
    await reads(says.whole)
    expect(await count(says.announced)).toBe(0)
    expect(await newestLabels()).toEqual(under.whole)
    await look('show')
  })

  test('a tap approves, and that card becomes the receipt; the next tap turns hooks on, and the receipt stays', async () => {
    const before = await said().count()
    await tap('Approve and fail closed')
    await reads(says.approved)
    expect(await newestLabels()).toEqual(under.approved)
    await look('receipt')
    await tap('Turn hooks on')
    await reads(says.on)
    expect(await newestLabels()).toEqual([])
    expect(await said().count()).toBe(before)
    await look('on')
  })

  test('Preferences says the same', async () => {
    await page.getByRole('tab', { name: 'Preferences' }).tap()
    await page.getByText('1 live · 14 waiting').waitFor()
    expect(await page.getByRole('switch', { name: 'Hooks', exact: true }).getAttribute('aria-checked')).toBe(
      'true',
    )
    const row = page.getByRole('listitem', { name: /^Hook/ }).filter({ hasText: './hooks/careful.sh' })
    await row.getByRole('img', { name: '✓ approved' }).waitFor()
    await row.locator('summary').first().tap()
    await row.scrollIntoViewIfNeeded()
    await look('preferences')
    await page.getByRole('tab', { name: 'Chat' }).tap()
  })

  test('the hook blocks, and the agent says why', async () => {
    await agent(asks.make, 'No output.')
    await agent(asks.remove, refused)
    expect(hasLetter(program)).toBe(true)
    await look('blocked')
  })

  test('the agent changes the script: what was approved runs on, and the owner is told once', async () => {
    await agent(asks.weaken, wrote(asks.weaken))
    await reads(says.drifted)
    expect(await newestLabels()).toEqual(under.changed)
    await look('drift')
    await agent(asks.remove, refused)
    expect(hasLetter(program)).toBe(true)
    expect(await count(says.drifted)).toBe(1)
  })

  test('/hooks diff shows what changed, with the answers under it', async () => {
    const handle = /^([a-z0-9]{5}) changed since approval/m.exec(
      (await bubble('A changed hook waits for you').locator('.said').textContent()) ?? '',
    )?.[1]
    await write(`/hooks diff ${handle}`)
    await reads(says.weakerDiff)
    expect(await newestLabels()).toEqual(under.diff)
    await look('diff')
  })

  test('the button of a card that is out of date says so and brings the new card in its place', async () => {
    await agent(asks.better, wrote(asks.better))
    await until('the next change to be told', async () => (await count(says.driftedAgain)) === 1)
    const before = await said().count()
    await labelled(bubble('Approved → proposed now'), 'Approve').tap()
    await reads(says.stale)
    expect(await count(says.weakerDiff)).toBe(0)
    expect(await said().count()).toBe(before)
    expect(await labels(bubble('Nothing was changed'))).toEqual(under.changed)
    await look('stale')
    await agent(asks.find, 'No output.')
    expect(hasLetter(program)).toBe(false)
  })

  test('a look at the difference and a tap approve the new bytes, and they run', async () => {
    await labelled(bubble('Nothing was changed'), 'Diff').tap()
    await reads(says.betterDiff)
    await tap('Approve and fail closed')
    await reads(says.approvedAgain)
    await agent(asks.make, 'No output.')
    await agent(asks.find, refused)
    await agent(asks.remove, refused)
    expect(hasLetter(program)).toBe(true)
  })

  test('a tap revokes it, and it fires no more', async () => {
    await write('/hooks show ./hooks/careful.sh')
    await reads(says.inForce)
    expect(await newestLabels()).toEqual(under.inForce)
    await look('in-force')
    await tap('Revoke')
    await look('revoke-asks')
    await page
      .getByRole('alertdialog', { name: 'Revoke ./hooks/careful.sh?' })
      .getByRole('button', { name: 'Revoke ./hooks/careful.sh' })
      .tap()
    await reads(says.revoked)
    await look('revoked')
    await agent(asks.remove, 'No output.')
    expect(hasLetter(program)).toBe(false)
  })

  test('a tap on the first card protects, and the guards have toggles in Preferences', async () => {
    await page.getByRole('tab', { name: 'Preferences' }).tap()
    const secrets = page.getByRole('switch', { name: 'Secrets do not leave' })
    expect(await secrets.getAttribute('aria-checked')).toBe('false')
    await page.locator('.protection').getByText('They fire from the next event.').waitFor()
    await look('unprotected')
    await page.getByRole('tab', { name: 'Chat' }).tap()
    await labelled(bubble('One tap protects you'), 'Protect me').tap()
    await reads(says.protected)
    expect(await count(says.protect)).toBe(0)
    expect(await labels(bubble('You are protected'))).toEqual(under.protected)
    await agent(asks.leak, redacted)
    await page.getByRole('tab', { name: 'Preferences' }).tap()
    await look('protected')
    await secrets.tap()
    await page.getByRole('switch', { name: 'Secrets do not leave', checked: false }).waitFor()
    await secrets.tap()
    await page.getByRole('switch', { name: 'Secrets do not leave', checked: true }).waitFor()
    await page.getByRole('tab', { name: 'Chat' }).tap()
  })

  test('through all of it each thing was told once', async () => {
    expect(await count(says.drifted)).toBe(1)
    expect(await count(says.driftedAgain)).toBe(1)
    expect((await texts('hookgate')).filter((text) => text.includes('hook waits for you'))).toHaveLength(2)
  })
})
