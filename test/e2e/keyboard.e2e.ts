import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlane, until, type Plane } from '../plane.ts'
import { findings } from './axe.ts'
import { isBrowserMissing, launchBrowser, openTab, type Tab } from './browser.ts'

const maxTabs = 60

describe.skipIf(isBrowserMissing)(
  'the page of a whole gate with the keyboard alone',
  { timeout: 60_000 },
  () => {
    let browser: Browser
    let plane: Plane
    let tab: Tab
    let page: Page
    beforeAll(async () => {
      browser = await launchBrowser()
      plane = await startPlane(
        'hooks:\n  - {event: on_outbound_message, matcher: nothing, command: ./quiet.sh, name: Quiet, description: It has no opinion.}\n',
        { 'quiet.sh': '#!/bin/sh\n# a remark that only the file has\n' },
      )
      const { login } = plane.gate.invite()
      tab = await openTab(browser, new URL(login).origin, { viewport: { width: 1200, height: 800 } })
      page = tab.page
      await page.goto(login)
      await page.getByText('Connected', { exact: true }).waitFor()
    })
    afterAll(async () => {
      await plane.stop()
      await browser.close()
      expect(tab.complaints).toEqual([])
    })

    const focused = (): Promise<string> =>
      page.evaluate(
        '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).trim()',
      )
    /** Presses Tab until the element with this name has the focus. */
    const reach = async (name: string): Promise<void> => {
      for (let count = 0; count < maxTabs; count++) {
        if ((await focused()) === name) return
        await page.keyboard.press('Tab')
      }
      throw new Error(`Tab does not reach ${name}. It ended at ${await focused()}.`)
    }
    /** A button that has just come does not count yet, as for a finger. */
    const press = async (name: string, key = 'Enter'): Promise<void> => {
      await reach(name)
      await page.waitForTimeout(1300)
      await page.keyboard.press(key)
    }
    const status = (): Promise<string | null> => page.locator('.row .sign').first().getAttribute('aria-label')
    /** Presses Tab until it comes to the line that opens a row, or what is folded in it. */
    const reachFold = async (of: string): Promise<void> => {
      for (let count = 0; count < maxTabs; count++) {
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(`${of} > summary`)})`))
          return
        await page.keyboard.press('Tab')
      }
      throw new Error(`Tab does not reach ${of}. It ended at ${await focused()}.`)
    }
    const isOn = (): boolean => plane.gate.gatekeeper.state().isOn

    test('the first Tab leads past everything to the message box, and Enter sends', async () => {
      await page.keyboard.press('Tab')
      expect(await focused()).toBe('Skip to the message box')
      await page.keyboard.press('Enter')
      expect(await focused()).toBe('Message')
      expect(page.url()).toBe(new URL('/', page.url()).href)
      await page.keyboard.type('/whoami')
      await page.keyboard.press('Enter')
      await page.getByRole('log').getByText('web:owner').first().waitFor()
    })

    test('the files are read before the approval, scrolled with the arrow keys, and closed with Escape', async () => {
      for (const fold of ['.hook', '.bound']) {
        await reachFold(fold)
        await page.keyboard.press('Enter')
      }
      await press('Source of Quiet')
      await page.getByText('# a remark that only the file has').waitFor()
      await reach('Source')
      await page.keyboard.press('ArrowDown')
      expect(await findings(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await focused()).toBe('Source of Quiet')
    })

    test('the hook is approved, and the focus stays beside it', async () => {
      await press('Approve Quiet')
      await until('the approval', async () => (await status()) === '✓ approved')
      expect(await page.evaluate('document.activeElement.closest("#preferences") !== null')).toBe(true)
    })

    test('the switch is turned with the space bar', async () => {
      await page.keyboard.press('Shift+Tab')
      for (let count = 0; count < maxTabs && (await focused()) !== 'Hooks'; count++)
        await page.keyboard.press('Shift+Tab')
      await page.waitForTimeout(1300)
      await page.keyboard.press('Space')
      await until('the switch', isOn)
    })

    test('Revoke asks, with Keep it first, and the second question is answered on purpose', async () => {
      await reachFold('.hook')
      if (!(await page.evaluate('document.activeElement.parentElement.open')))
        await page.keyboard.press('Enter')
      await press('Revoke Quiet')
      await page.getByRole('alertdialog', { name: 'Revoke Quiet?' }).waitFor()
      expect(await focused()).toBe('Keep it')
      await page.keyboard.press('Enter')
      await page.getByRole('alertdialog').waitFor({ state: 'detached' })
      expect(await focused()).toBe('Revoke Quiet')
      expect(await status()).toBe('✓ approved')
      await page.keyboard.press('Enter')
      await page.getByRole('alertdialog').waitFor()
      await press('Revoke Quiet')
      await until('the revocation', async () => (await status()) === '✗ NOT approved')
      expect(await focused()).not.toBe('')
    })

    test('axe-core finds nothing on the page as it is now, wide or narrow', async () => {
      for (const [width, height] of [
        [1200, 800],
        [360, 740],
      ] as const) {
        await page.setViewportSize({ width, height })
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await page.waitForTimeout(1300)
          expect(await findings(page)).toEqual([])
        }
      }
    })

    test('on a narrow screen the arrow keys change the tab, and the skip link leads back to the message box', async () => {
      await reach('Chat')
      await page.keyboard.press('ArrowRight')
      await page.getByRole('switch', { name: 'Hooks' }).waitFor()
      await page.keyboard.press('Shift+Tab')
      expect(await focused()).toBe('Skip to the message box')
      await page.keyboard.press('Enter')
      await until('the message box', async () => (await focused()) === 'Message')
    })

    test('one logs out', async () => {
      await page.setViewportSize({ width: 1200, height: 800 })
      await press('Log out')
      await page.getByText('You are logged out.').waitFor()
      expect(await findings(page)).toEqual([])
    })
  },
)
