import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, nextCard, sentMessages, send, tap } from '../permissions/caller.ts'
import { startPlane, type Plane } from '../plane.ts'
import { findings } from './axe.ts'
import { isBrowserMissing, launchBrowser, openTab, type Tab } from './browser.ts'

const asks = `#!/bin/sh\nprintf '%s' '{"decision": "ask", "reason": "it deploys to production"}'\n`

describe.skipIf(isBrowserMissing)(
  'a tool call that asks, on the page of a whole gate as wide as a phone',
  () => {
    let browser: Browser
    let plane: Plane
    let tab: Tab
    beforeAll(async () => {
      browser = await launchBrowser()
      plane = await startPlane('hooks:\n  - {event: pre_tool_call, matcher: deploy, command: ./ask.sh}\n', {
        'ask.sh': asks,
      })
      await plane.ask('/hooks approve pre_tool_call ./ask.sh', (text) => text.includes('✓ Approved'))
      await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
      const { login } = plane.gate.invite()
      tab = await openTab(browser, new URL(login).origin, { viewport: { width: 390, height: 844 } })
      await tab.page.goto(login)
      await tab.page.getByText('Connected', { exact: true }).waitFor()
    })
    afterAll(async () => {
      await plane.stop()
      await browser.close()
    })

    const log = () => tab.page.getByRole('log')
    const more = () => log().getByRole('button', { name: 'More…', exact: true }).click()
    const shot = async (name: string): Promise<void> => {
      const folder = process.env['HOOKGATE_SHOTS']
      if (folder !== undefined) await tab.page.screenshot({ path: `${folder}/${name}.png` })
    }

    test('is a card of two answers, with the others behind one button, which all fit; a tap answers in its place', async () => {
      const asked = send(
        plane,
        'pre_tool_call',
        call('bash', { command: 'set -e\nmake deploy TARGET=production' }),
        { askMs: 600_000 },
      )
      await log().getByText('main · bash · denied at').waitFor()
      // The line leads to the card from everywhere on the page, and answers nothing by itself.
      const leads = tab.page.getByRole('button', { name: '1 waits for you' })
      await tab.page.getByRole('tab', { name: 'Preferences' }).click()
      await leads.click()
      await expect
        .poll(() =>
          log()
            .getByRole('article')
            .last()
            .evaluate((card) => card.matches(':focus')),
        )
        .toBe(true)
      expect(await findings(tab.page)).toEqual([])
      await shot('card')
      await more()
      for (const name of [
        'Allow once',
        'Deny',
        'Allow for this session',
        'Allow always…',
        'Deny with a reason',
        'Edit',
        'Deny and stop',
        'Back',
      ]) {
        const box = await log().getByRole('button', { name, exact: true }).boundingBox()
        expect(box?.x).toBeGreaterThanOrEqual(0)
        expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390)
        expect(box?.height).toBeGreaterThanOrEqual(24)
      }
      await log().getByRole('button', { name: 'Allow for this session', exact: true }).click()
      expect((await asked).body.verdict).toBe('allow')
      await log().getByText('Allowed by you for this session, with exactly these arguments.').waitFor()
      await log().getByText('main · bash · denied at').waitFor({ state: 'detached' })
      await leads.waitFor({ state: 'detached' })
      expect(await log().getByRole('button', { name: 'Deny', exact: true }).count()).toBe(0)
      await shot('answered')
    })

    test('“Deny with a reason” binds the message box to the card; Escape frees it', async () => {
      const asked = send(plane, 'pre_tool_call', call('bash', { command: 'deploy with words' }), {
        askMs: 600_000,
      })
      await log().getByText('deploy with words').waitFor()
      const bound = tab.page.getByRole('textbox', { name: 'Reply to the last card' })
      const free = tab.page.getByRole('textbox', { name: 'Message', exact: true })
      await more()
      const button = log().getByRole('button', { name: 'Deny with a reason', exact: true })
      await button.click()
      await bound.waitFor()
      // The box gets the focus and its text after the page has drawn its new name.
      await expect.poll(() => bound.evaluate((box) => box.matches(':focus'))).toBe(true)
      await shot('bound')
      await bound.press('Escape')
      await free.fill('say free words')
      await free.press('Enter')
      await log().getByText('free words', { exact: true }).waitFor()
      await button.click()
      await bound.fill('not on a Friday')
      await bound.press('Enter')
      expect((await asked).body).toMatchObject({
        verdict: 'block',
        reason: 'The person said no: not on a Friday',
      })
      await free.waitFor()
    })

    test('“Edit” fills the message box with the command, and its new text runs', async () => {
      const asked = send(plane, 'pre_tool_call', call('bash', { command: 'deploy --soft' }), {
        askMs: 600_000,
      })
      await log().getByText('deploy --soft').waitFor()
      await more()
      await log().getByRole('button', { name: 'Edit', exact: true }).click()
      const bound = tab.page.getByRole('textbox', { name: 'Reply to the last card' })
      await bound.waitFor()
      await expect.poll(() => bound.inputValue()).toBe('deploy --soft')
      await shot('edit')
      await bound.fill('deploy --hard')
      await bound.press('Enter')
      expect((await asked).body).toMatchObject({
        verdict: 'allow',
        payload: { tool_input: { command: 'deploy --hard' } },
      })
      await log().getByText('Allowed with your change.').first().waitFor()
    })

    test('while a call of the agent of this chat waits, nothing says that the agent works', async () => {
      const box = tab.page.getByRole('textbox', { name: 'Message', exact: true })
      await box.fill('!echo deploy by the agent')
      await box.press('Enter')
      await log().getByText('│ command: echo deploy by the agent').waitFor()
      await tab.page.getByText('The agent is working …').waitFor({ state: 'detached' })
      await log().getByRole('button', { name: 'Deny', exact: true }).click()
      await log().getByText('I did not run bash: The person said no.').waitFor()
    })

    test('answered on a phone, the page says by whom', async () => {
      const from = sentMessages(plane).length
      const asked = send(plane, 'pre_tool_call', call('bash', { command: 'deploy the other' }), {
        askMs: 600_000,
      })
      await log().getByText('deploy the other').waitFor()
      tap(plane, await nextCard(plane, from, 'deploy the other'), 'Deny')
      expect((await asked).body.verdict).toBe('block')
      await log().getByText('Denied by memory:owner.').waitFor()
      await shot('elsewhere')
      expect(tab.complaints).toEqual([])
    })
  },
)
