import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHistory } from '../../../src/history/history.ts'
import type { Payload } from '../../../src/core/model/events/payload.ts'
import type { RecordedHook } from '../../../src/core/model/hooks/verdict.ts'
import { isBrowserMissing, launchBrowser, openTab } from '../../e2e/browser.ts'
import { eventOf } from '../../handlers/armed.ts'
import { startScripted } from './scripted-web.ts'

const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
const reversed = 'a\u202Egnp.exe\u0000\u200B'
const long = 'x'.repeat(50_000)

test.skipIf(isBrowserMissing)(
  'names, labels and payloads that want to be markup or to be endless are short text on the page',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookgate-history-'))
    const history = openHistory({
      path: join(folder, 'history.db'),
      keptMs: 1e12,
      maxBytes: 1e9,
      withPayload: true,
      now: Date.now,
      log: () => undefined,
    })
    const hook = (label: string, at: number): RecordedHook => ({
      fingerprint: String(at).repeat(64),
      label,
      fired: true,
      why: 'matched',
      durationMs: at === 0 ? 1e9 : 3,
      answer: { kind: at === 0 ? 'block' : 'abstain', reason: markup, notes: [] },
    })
    const keep = (agent: string, command: string): void => {
      const payload: Payload = {
        ...eventOf('pre_tool_call', { tool_name: markup, tool_input: { command } }),
        event_id: markup,
        agent_id: agent,
      }
      history.keep(
        payload,
        {
          verdict: 'block',
          isConsent: false,
          reason: markup,
          by: markup,
          payload: { ...payload, tool_input: { [markup]: reversed } },
          contexts: [],
          notes: [],
          warnings: [],
          hooks: [markup, reversed, long].map(hook),
          revision: 1,
        },
        1,
      )
    }
    keep(markup, 'x'.repeat(10 * 1024 * 1024))
    keep(reversed, markup)
    keep(long, `</script>${markup}`)
    const made = await startScripted(0, Date.now(), { ports: { history } })
    const browser = await launchBrowser()
    try {
      const { page, complaints, foreign } = await openTab(browser, made.web.url(), {
        viewport: { width: 1200, height: 800 },
      })
      await page.goto(`${made.web.url()}/#${made.web.mintLogin()}`)
      await page.getByText('Connected', { exact: true }).waitFor()
      const title = await page.title()
      await page.getByRole('button', { name: 'History', exact: true }).click()
      await page.setViewportSize({ width: 360, height: 740 })
      const dialog = page.getByRole('dialog')
      await dialog.locator('.timeline canvas').waitFor()
      await dialog.getByText('What 3 hooks did').click()
      const events = dialog.locator('li.kept')
      expect(await events.count()).toBe(3)
      for (const at of [0, 1, 2]) {
        const summary = events.nth(at).locator('summary')
        expect((await summary.textContent())?.length).toBeLessThan(1000)
        await summary.click()
      }
      expect(await dialog.getByText('Long texts of this event were cut.').count()).toBeGreaterThan(0)
      const text = (await dialog.textContent()) ?? ''
      expect(text.includes(markup)).toBe(true)
      expect(text.includes(String.raw`a\u{202e}gnp`)).toBe(true)
      expect(text.includes('\u202E')).toBe(false)
      expect(text.length).toBeLessThan(250_000)
      expect(await dialog.locator('img, script').count()).toBe(0)
      expect(await page.title()).toBe(title)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      // A hostile agent and hook can be chosen like any other.
      await dialog.getByText('Filters', { exact: true }).click()
      await dialog.getByRole('combobox', { name: 'Agent' }).selectOption(markup)
      await expect.poll(() => events.count()).toBe(1)
      expect(complaints).toEqual([])
      expect(foreign).toEqual([])
    } finally {
      await browser.close()
      await made.web.stop()
      await history.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
