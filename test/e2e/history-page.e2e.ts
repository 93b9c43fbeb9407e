import { join } from 'node:path'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, send } from '../permissions/caller.ts'
import { startPlane, type Plane } from '../plane.ts'
import { findings } from './axe.ts'
import { isBrowserMissing, launchBrowser, openTab, type Tab } from './browser.ts'

const shots = process.env['HOOKGATE_SHOTS']
const guard = `#!/bin/sh
grep -q forbidden && echo '{"decision": "block", "reason": "<b>no</b> entry"}'
exit 0
`
const careful = `#!/bin/sh
echo '{"tool_input": {"command": "rm -i notes.txt"}}'
`

describe.skipIf(isBrowserMissing)('the history on the page', () => {
  let browser: Browser
  let plane: Plane
  let tab: Tab
  beforeAll(async () => {
    browser = await launchBrowser()
    plane = await startPlane(
      `hooks:
  - {event: pre_tool_call, matcher: echo, command: ./guard.sh}
  - {event: pre_tool_call, matcher: "rm ", command: ./careful.sh}
`,
      { 'guard.sh': guard, 'careful.sh': careful },
    )
    for (const name of ['guard', 'careful'])
      await plane.ask(`/hooks approve pre_tool_call ./${name}.sh`, (text) => text.includes('✓ Approved'))
    await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
    for (let at = 0; at < 60; at += 1)
      await send(plane, 'pre_tool_call', call('bash', { command: `ls ${at}` }))
    for (const command of ['echo forbidden fruit', 'rm notes.txt'])
      await send(plane, 'pre_tool_call', call('bash', { command }))
    const { login } = plane.gate.invite()
    tab = await openTab(browser, new URL(login).origin, { viewport: { width: 1200, height: 800 } })
    await tab.page.goto(login)
    await tab.page.getByText('Connected', { exact: true }).waitFor()
    await tab.page.getByRole('button', { name: 'History', exact: true }).click()
    await tab.page.getByRole('dialog', { name: 'History of events' }).waitFor()
  })
  afterAll(async () => {
    expect(tab.complaints).toEqual([])
    expect(tab.foreign).toEqual([])
    await plane.stop()
    await browser.close()
  })

  const events = () => tab.page.getByRole('dialog').locator('li.kept')
  /** `at` scrolls into view at each width. */
  const look = async (name: string, at?: Locator): Promise<void> => {
    for (const [width, height] of [
      [360, 740],
      [1200, 800],
    ] as const) {
      await tab.page.setViewportSize({ width, height })
      await at?.evaluate((element: { scrollIntoView(): void }) => element.scrollIntoView())
      for (const colorScheme of ['light', 'dark'] as const) {
        await tab.page.emulateMedia({ colorScheme })
        expect(await tab.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        expect(await findings(tab.page)).toEqual([])
        if (shots !== undefined)
          await tab.page.screenshot({ path: join(shots, `${name}-${width}-${colorScheme}.png`) })
      }
    }
  }

  test('shows the newest events first, and older ones on demand', async () => {
    await events().first().waitFor()
    expect(await events().count()).toBe(50)
    expect(await events().first().textContent()).toMatch(/^bash · rm notes\.txt.* · pre_tool_call · /)
    expect(await events().nth(1).textContent()).toMatch(/^bash · echo forbidden fruit.*blocked · /)
    await tab.page.getByRole('button', { name: 'Older events' }).click()
    await expect.poll(() => events().count()).toBe(62)
  })

  test('shows beside each other what came and what hooks made of it', async () => {
    await events().first().locator('summary').click()
    const change = tab.page.getByRole('region', { name: 'Hooks changed tool_input' })
    await change.waitFor()
    expect(await change.locator('pre').allTextContents()).toEqual([
      '{\n  "command": "rm notes.txt"\n}',
      '{\n  "command": "rm -i notes.txt"\n}',
    ])
    expect(await change.locator('del').textContent()).toBe('  "command": "rm notes.txt"\n')
    expect(await change.locator('ins').textContent()).toBe('  "command": "rm -i notes.txt"\n')
    expect(await events().first().getByText('changed it · ./careful.sh').count()).toBe(1)
    await look('history-change', change)
  })

  test('finds events by how they ended and by text, and shows a reason as text', async () => {
    await tab.page.getByRole('button', { name: 'blocked 1', exact: true }).click()
    await expect.poll(() => events().count()).toBe(1)
    await events().first().locator('summary').click()
    expect(await events().first().textContent()).toContain('./guard.sh: <b>no</b> entry')
    await tab.page.getByRole('button', { name: 'blocked 1', exact: true }).click()
    await tab.page.getByRole('searchbox', { name: 'Text in the event' }).fill('LS 5')
    await tab.page.getByRole('button', { name: 'Search', exact: true }).click()
    await expect.poll(() => events().count()).toBe(11)
    await tab.page.getByRole('searchbox', { name: 'Text in the event' }).fill('nothing of it')
    await tab.page.getByRole('button', { name: 'Search', exact: true }).click()
    await tab.page.getByText('No event was found.').waitFor()
    await look('history-none')
  })
})
