import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Preferences } from '../../../bots/web/preferences.ts'
import { isBrowserMissing, launchBrowser } from '../../e2e/browser.ts'
import { openRow } from './open-row.ts'
import { preferences, startScripted } from './scripted-web.ts'

const [approved, waiting] = preferences.rows
if (approved === undefined || waiting === undefined) throw new Error('Expected two rows.')
/** Hooks that wait, in the order in which the page shows them. */
const rows = (...handles: readonly string[]): Preferences => ({
  ...preferences,
  rows: handles.toReversed().map((handle) => ({
    ...waiting,
    handle,
    command: `./${handle}.sh`,
    isShipped: true,
  })),
})

describe.skipIf(isBrowserMissing)('a tap on the page counts for what the finger aimed at', () => {
  let browser: Browser
  let scripted: Awaited<ReturnType<typeof startScripted>>
  let page: Page

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    scripted = await startScripted(0, Date.now())
    page = await browser.newPage({ viewport: { width: 360, height: 740 } })
    page.setDefaultTimeout(30_000)
  })
  afterEach(async () => {
    await page.close()
    await scripted.web.stop()
  })

  const open = async (tab?: 'Preferences'): Promise<void> => {
    await page.goto(`${scripted.web.url()}/#${scripted.web.mintLogin()}`)
    await page.getByText('Connected', { exact: true }).waitFor()
    if (tab !== undefined) await page.getByRole('tab', { name: tab }).click()
  }
  const count = (of: string): Promise<number> =>
    page.evaluate(`document.querySelectorAll(${JSON.stringify(of)}).length`)
  const settled = async (): Promise<void> => {
    await expect
      .poll(async () => [(await count('[data-act]')) > 0, await count('[data-fresh]')])
      .toEqual([true, 0])
  }
  /**
   * A finger that was falling already: it taps the button that does this in the moment when the page has
   * changed.
   */
  const falls = (act: string, once: string): Promise<void> =>
    page.evaluate(`void (window.fallen = new Promise((resolve) => {
      const tap = () => {
        if (document.querySelector(${JSON.stringify(once)}) === null) return
        watching.disconnect()
        setTimeout(() => { document.querySelector('[data-act="${act}"]').click(); resolve() }, 100)
      }
      const watching = new MutationObserver(tap)
      watching.observe(document.body, { subtree: true, childList: true, attributes: true })
    }))`)
  const fallen = (): Promise<unknown> => page.evaluate('window.fallen')
  const texts = (): readonly string[] => scripted.received.map(({ text, press }) => press?.data ?? text)
  const row = (handle: string) =>
    page.getByRole('listitem', { name: `Hook ${handle}` }).getByRole('button', { name: 'Approve' })
  const opened = async (...handles: readonly string[]): Promise<void> => {
    for (const handle of handles) await openRow(page.getByRole('listitem', { name: `Hook ${handle}` }))
  }

  test('a row that arrives above moves another’s button under the finger: nothing is sent, and a moment later it counts', async () => {
    scripted.prefer(rows('aaaaa'))
    await open('Preferences')
    await opened('aaaaa')
    await settled()
    await falls('/hooks approve aaaaa', '[aria-label="Hook bbbbb"]')
    scripted.prefer(rows('bbbbb', 'aaaaa'))
    await fallen()
    const shots = process.env['HOOKGATE_SHOTS']
    if (shots !== undefined) await page.screenshot({ path: `${shots}/fresh-360.png` })
    await settled()
    if (shots !== undefined) await page.screenshot({ path: `${shots}/settled-360.png` })
    await row('aaaaa').click()
    await expect.poll(texts).toEqual(['/hooks approve aaaaa'])
  })

  test('a button that is new is not answered, nor a switch that says something else by now', async () => {
    const one = { ...waiting, isShipped: true }
    const changed = { ...preferences, rows: [{ ...one, handle: 'bbbbb' }] }
    scripted.prefer({ ...preferences, rows: [{ ...one, handle: 'aaaaa' }] })
    await open('Preferences')
    await opened('aaaaa')
    await settled()
    await falls('/hooks approve bbbbb', '[aria-label="Hook bbbbb"]')
    scripted.prefer(changed)
    await fallen()
    await settled()
    await falls('/hooks off', '[role=switch][aria-checked=true]')
    scripted.prefer({ ...changed, isOn: true })
    await fallen()
    await row('bbbbb').click()
    await expect.poll(texts).toEqual(['/hooks approve bbbbb'])
  })

  test('a button under which nothing moved is answered at once', async () => {
    scripted.prefer(rows('aaaaa'))
    await open('Preferences')
    await opened('aaaaa')
    await settled()
    await falls('/hooks approve aaaaa', '[aria-label="Hook bbbbb"]')
    scripted.prefer(rows('aaaaa', 'bbbbb'))
    await fallen()
    await expect.poll(texts).toEqual(['/hooks approve aaaaa'])
  })

  test('in the chat a card that is pushed up by what comes under it is not answered by the tap that was falling', async () => {
    await open()
    for (const press of ['a1', 'b1'])
      await scripted.tell(`\u{1F6E1}\uFE0F card ${press}\n${'line\n'.repeat(12)}`, 'notice', [], {
        buttons: [[{ label: 'Approve', press }]],
      })
    await settled()
    await falls('b1', '.from-agent')
    await scripted.tell('news\n'.repeat(20))
    await fallen()
    await settled()
    await page.getByRole('button', { name: 'Approve' }).first().click()
    await expect.poll(texts).toEqual(['a1'])
  })

  test('whoever scrolls may tap at once', async () => {
    scripted.prefer(rows('aaaaa', 'bbbbb', 'ccccc', 'ddddd'))
    await open('Preferences')
    await opened('aaaaa', 'bbbbb', 'ccccc', 'ddddd')
    await settled()
    expect(
      await page.evaluate(
        `document.getElementById('preferences').scrollTop = 300, document.getElementById('preferences').scrollTop`,
      ),
    ).toBe(300)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    await falls('/hooks approve ccccc', '[role=switch][aria-disabled=true]')
    await page.evaluate("document.querySelector('[role=switch]').click()")
    await fallen()
    await expect.poll(texts).toEqual(['/hooks on', '/hooks approve ccccc'])
  })
})
