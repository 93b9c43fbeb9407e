import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../needs.ts'
import { isBrowserMissing, launchBrowser, openTab, phoneScreen, type Tab } from './browser.ts'
import { startProgram, until, type Program } from './program.ts'
import { put } from './rig.ts'

const shots = process.env['HOOKGATE_SHOTS']

describe.skipIf(isBrowserMissing)('from a trial to a hook that decides, on the page', needs('bwrap'), () => {
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
    await page.goto(program.login())
    await page.getByText('Connected', { exact: true }).waitFor()
  })
  afterAll(async () => {
    expect(tab.complaints).toEqual([])
    expect(tab.foreign).toEqual([])
    await browser.close()
    await program.remove()
  })

  const by = (who: 'agent' | 'hookgate'): Locator => page.locator(`.from-${who} .said`)
  const write = async (words: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill(words)
    await page.getByRole('button', { name: 'Send', exact: true }).tap()
  }
  /** Writes, and waits for the next text that fits. */
  const ask = async (who: 'agent' | 'hookgate', words: string, answer: RegExp): Promise<string> => {
    const before = await by(who).count()
    await write(words)
    return until(`${String(answer)} after ${words}`, async () => {
      const texts = (await by(who).allTextContents()).slice(before)
      return texts.findLast((text) => answer.test(text)) ?? false
    })
  }
  const handleOf = (list: string): string => /(?:^|\s)(\w{5}) [✓✗]/.exec(list)?.[1] ?? ''
  const propose = async (matcher: string): Promise<void> => {
    const before = await by('hookgate').count()
    const hooks = [{ event: 'pre_tool_call', matcher, command: './wide.sh' }]
    await writeFile(join(program.workspace, 'config/shell_hooks.yaml'), JSON.stringify({ hooks }))
    await until('the card', async () => (await by('hookgate').count()) > before)
  }
  /** A button that has just come does not count yet. */
  const tapTry = async (): Promise<void> => {
    await page.waitForTimeout(1500)
    await page.getByRole('button', { name: 'Try' }).last().tap()
  }
  const trial = (pattern: RegExp): Promise<string> =>
    until('the end of the trial', async () => {
      const text = (await by('hookgate').last().textContent()) ?? ''
      return /Nothing was decided/.test(text) && pattern.test(text) ? text : false
    })
  const look = async (name: string): Promise<void> => {
    if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}-360.png`) })
  }

  test('the trial names innocent events, the mended guard becomes a shadow, and then it blocks', async () => {
    for (const word of ['inform', 'warm', 'farm', 'hello'])
      await ask('agent', `!echo ${word}`, new RegExp(word))
    await put(program, 'wide.sh', '#!/bin/sh\ncat > /dev/null\necho "no rm" >&2\nexit 2\n')
    await propose('rm')
    await tapTry()
    const wide = await trial(/3 matched: 3 blocked/)
    for (const word of ['echo inform', 'echo warm', 'echo farm']) expect(wide).toContain(word)
    await look('try-wide')

    await propose('^rm ')
    await tapTry()
    await trial(/ 0 matched/)
    await ask('hookgate', '/hooks on', /Hooks are ON/)
    const listed = handleOf(await ask('hookgate', '/hooks pending', /NOT approved/))
    const shown = await ask('hookgate', `/hooks shadow ${listed}`, /Nothing was approved/)
    await look('try-difference')
    await ask('hookgate', `/hooks shadow ${handleOf(shown)}`, /Shadow: pre_tool_call/)
    for (let at = 0; at < 20; at += 1)
      await ask(
        'agent',
        at === 7 ? `!rm -f nothing; echo step-${at}` : `!echo step-${at}`,
        new RegExp(`step-${at}`),
      )
    expect(await ask('hookgate', '/hooks stats ./wide.sh', /as a shadow/)).toContain('would have blocked 1')
    await ask('hookgate', '/hooks promote ./wide.sh', /It decides/)
    await ask('hookgate', '!rm -f nothing', /Blocked: [^]*no rm/)

    await page.getByRole('tab', { name: 'Preferences' }).tap()
    await page.getByRole('button', { name: 'History', exact: true }).tap()
    const dialog = page.getByRole('dialog', { name: 'History of events' })
    await dialog.getByRole('button', { name: 'blocked 1', exact: true }).tap()
    await expect.poll(() => dialog.locator('li.kept').count()).toBe(1)
    expect(await dialog.locator('li.kept').textContent()).toMatch(/^bash · rm -f nothing/)
    await look('try-history')
  })
})
