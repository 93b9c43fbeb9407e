import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openHistoryDatabase } from '../../../src/history/database.ts'
import { openHistory, type History } from '../../../src/history/history.ts'
import { findings } from '../../e2e/axe.ts'
import { isBrowserMissing, launchBrowser, openTab, type Tab } from '../../e2e/browser.ts'
import { fill } from '../../history/filled.ts'
import { startScripted } from './scripted-web.ts'

const shots = process.env['HOOKGATE_SHOTS']
const count = 3000

describe.skipIf(isBrowserMissing)('the history of a busy week on the page', () => {
  let folder: string
  let history: History
  let made: Awaited<ReturnType<typeof startScripted>>
  let browser: Browser
  let tab: Tab
  let page: Page
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hookgate-history-'))
    const options = { path: join(folder, 'history.db'), keptMs: 1e12, maxBytes: 1e9 }
    const database = openHistoryDatabase(options, () => undefined)
    fill(database, { events: count, untilMs: Date.now() })
    database.close()
    history = openHistory({ ...options, withPayload: true, now: Date.now, log: () => undefined })
    made = await startScripted(0, Date.now(), { ports: { history } })
    browser = await launchBrowser()
    tab = await openTab(browser, made.web.url(), { viewport: { width: 1280, height: 900 } })
    page = tab.page
    await page.goto(`${made.web.url()}/#${made.web.mintLogin()}`)
    await page.getByText('Connected', { exact: true }).waitFor()
  })
  beforeEach(async () => {
    // The clock of the scripted gate stands, and the proofs of the page are good for a minute of it.
    made.pass(Date.now() - made.now())
    await page.reload()
    await page.getByRole('button', { name: 'History', exact: true }).click()
    await events().first().waitFor()
    await page.locator('.timeline canvas').waitFor()
  })
  afterAll(async () => {
    await browser.close()
    await made.web.stop()
    await history.stop()
    rmSync(folder, { recursive: true, force: true })
    expect(tab.complaints).toEqual([])
    expect(tab.foreign).toEqual([])
  })

  const dialog = () => page.getByRole('dialog')
  const events = () => dialog().locator('li.kept')
  const counted = () => dialog().locator('.counted').textContent()
  const choose = (name: string, option: string) =>
    dialog().getByRole('combobox', { name, exact: true }).selectOption(option)
  const end = (name: string) => dialog().getByRole('button', { name: new RegExp(`^${name} [\\d,]+$`) })
  /** `at` scrolls into view at each width. */
  const look = async (name: string, at?: Locator): Promise<void> => {
    for (const [width, height] of [
      [360, 740],
      [1280, 900],
    ] as const) {
      await page.setViewportSize({ width, height })
      await at?.evaluate((element: { scrollIntoView(): void }) => element.scrollIntoView())
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        expect(await findings(page)).toEqual([])
        if (shots !== undefined)
          await page.screenshot({ path: join(shots, `${name}-${width}-${colorScheme}.png`) })
      }
    }
    await page.emulateMedia({ colorScheme: 'light' })
  }

  test('a timeline shows how events ended, as a plot and as a table, and either leads to a part of the time', async () => {
    expect(await counted()).toContain('3,000 events')
    await look('history-timeline')
    await dialog().getByText('As a table').click()
    const cells = await dialog().locator('.numbers td').allTextContents()
    expect(cells.reduce((sum, cell) => sum + Number(cell.replaceAll(',', '')), 0)).toBe(count)
    await look('history-table', dialog().locator('.numbers'))
    const rows = dialog().locator('.numbers tbody tr')
    const inRow = (await rows.nth(1).locator('td').allTextContents()).reduce(
      (sum, cell) => sum + Number(cell),
      0,
    )
    await rows.nth(1).getByRole('button').press('Enter')
    await expect.poll(counted).toMatch(new RegExp(`^${inRow} events`))
    await dialog().getByRole('button', { name: '✕' }).click()
    await expect.poll(counted).toContain('3,000 events')

    // The plot is drawn anew when the numbers have come.
    await dialog().locator('.timeline .u-over').waitFor()
    const place = await dialog().locator('.timeline .u-over').boundingBox()
    if (place === null) throw new Error('The plot has no place.')
    await page.mouse.move(place.x + place.width * 0.25, place.y + 20)
    await page.mouse.down()
    await page.mouse.move(place.x + place.width * 0.5, place.y + 30, { steps: 4 })
    await page.mouse.up()
    await expect.poll(counted).not.toContain('3,000 events')
    expect(Number((await counted())?.match(/\d+/)?.[0])).toBeGreaterThan(500)
  })

  test('a tap on how events ended shows only these, as many as it says, and another tap shows all again', async () => {
    for (const name of ['blocked', 'asked', 'a hook failed', 'changed', 'allowed']) {
      const label = (await end(name).textContent()) ?? ''
      const wanted = Number(label.replaceAll(/\D/g, ''))
      await end(name).click()
      await expect.poll(counted).toBe(`${wanted.toLocaleString('en')} events`)
      const fits = {
        'a hook failed': /(?<!, )failed · /,
        changed: /allowed · changed · \d/,
        allowed: /allowed · \d/,
        asked: /asked · /,
        blocked: /blocked · /,
      }[name]
      const shown = async () => {
        const texts = await events().allTextContents()
        return [texts.length, texts.filter((text) => fits?.test(text) !== true)]
      }
      await expect.poll(shown).toEqual([Math.min(50, wanted), []])
      expect(await end(name).getAttribute('aria-pressed')).toBe('true')
      // The other ends keep their counts, so that one sees what else there is.
      expect(await end('asked').textContent()).not.toBe('asked 0')
      if (name === 'blocked') await look('history-blocked')
      await end(name).click()
      await expect.poll(counted).toContain('3,000 events')
    }
  })

  test('a row names the tool and its command, and the beginning of a message', async () => {
    const texts = (await events().locator('.kept-name').allTextContents()).join('\n')
    expect(texts).toMatch(/^bash · ls \d+/m)
    expect(texts).not.toContain('pre_tool_call')
    const times = await events().locator('summary .small').allTextContents()
    for (const text of times) expect(text).toMatch(/ · (?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d · /)
  })

  test('hooks show what they did, as shadows too, and how long they took', async () => {
    await dialog().getByText('What 20 hooks did').click()
    await look('history-hooks', dialog().locator('.hook-times'))
    const shadow = dialog().locator('.hook-facts li').filter({ hasText: 'guard-5.sh' })
    expect(await shadow.textContent()).toMatch(
      /was asked as a shadow \d+ times · would have blocked \d+ .*half within [\d.]+ ms, 95 % within [\d.]+ ms/,
    )
    const asked = /was asked as a shadow (\d+)/.exec((await shadow.textContent()) ?? '')?.[1] ?? ''
    await shadow.getByRole('button', { name: 'Its events: ./hooks/guard-5.sh' }).press('Enter')
    await expect.poll(async () => Number.parseInt((await counted()) ?? '')).toBeLessThanOrEqual(Number(asked))
  })

  test('filters narrow what is shown, each by itself and together, and what they find can be saved', async () => {
    await dialog().getByText('Filters', { exact: true }).click()
    await choose('Agent', 'agent 1')
    await expect.poll(counted).toMatch(/^6\d\d events|^5\d\d events/)
    await choose('Event', 'pre_tool_call')
    await dialog().getByText('Filters (2)').waitFor()
    await end('blocked').click()
    await expect.poll(counted).toMatch(/^\d\d? events?/)
    const wanted = Number.parseInt((await counted()) ?? '')
    await expect.poll(() => events().count()).toBe(Math.min(50, wanted))
    for (const text of await events().allTextContents())
      expect(text).toMatch(/^bash · ls .*blocked · .* · pre_tool_call · agent 1/)
    const saving = page.waitForEvent('download')
    await dialog().getByRole('button', { name: 'Save these events' }).click()
    const file = await saving
    expect(file.suggestedFilename()).toBe('hookgate-history.jsonl')
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n')
    expect(lines).toHaveLength(wanted)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ agent: 'agent 1', verdict: 'block' })
    await dialog().getByText('The events are saved as JSON lines.').waitFor()
    await end('blocked').click()
    await choose('What hooks did', 'shadow blocked')
    await expect.poll(() => events().first().textContent()).toContain('a shadow, would have blocked it')
  })
})
