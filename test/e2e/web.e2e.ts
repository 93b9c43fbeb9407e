import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openRow } from '../bots/web/open-row.ts'
import { isBrowserMissing, launchBrowser, openTab, phoneScreen, type Tab } from './browser.ts'
import { startProgram, until, type Program } from './program.ts'

const keyOf = (body: string): string => `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`
const shownBody = 'MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDRz8Yb0vKcQb2T'
const secretBody = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'
const shots = process.env['HOOKGATE_SHOTS']

let browser: Browser
let program: Program
let tab: Tab
let page: Page

const desk = { viewport: { width: 1200, height: 800 } }

/** Whether the page shows one side at a time, as on a phone. */
const isNarrow = (): boolean => (page.viewportSize()?.width ?? 0) < 800
const show = async (name: 'Chat' | 'Preferences'): Promise<void> => {
  if (isNarrow()) await page.getByRole('tab', { name }).click()
  if (name === 'Chat') return
  // A long group shows its first hooks. The button goes when the list gets shorter just now.
  const more = page.getByRole('button', { name: /^More: / }).first()
  while (await more.isVisible()) await more.click({ timeout: 1000 }).catch(() => undefined)
}
const said = (by: 'you' | 'agent' | 'hookgate'): Promise<readonly string[]> =>
  page.locator(`.from-${by} .said`).allTextContents()
const write = async (text: string): Promise<void> => {
  await show('Chat')
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}
/** Writes, and resolves with the first new words of the agent or of hookgate that fit. */
const ask = async (
  text: string,
  by: 'agent' | 'hookgate',
  holds: (words: string) => boolean,
): Promise<string> => {
  const before = (await said(by)).length
  await write(text)
  return until(`${by} to answer "${text}"`, async () => (await said(by)).slice(before).find(holds))
}
const row = (event: string, command: string): Locator =>
  page
    .getByRole('listitem', { name: /^Hook/ })
    .filter({ has: page.getByText(event, { exact: true }) })
    .filter({ has: page.getByText(command, { exact: true }) })
/** The sign of a row, with its status in words. */
const sign = (event: string, command: string, status: string): Locator =>
  row(event, command).locator(`.sign[aria-label="${status}"]`)
const approve = async (event: string, command: string): Promise<void> => {
  await show('Preferences')
  const waiting = await openRow(row(event, command))
  // The details of a hook that hookgate does not ship have to be open first.
  await waiting.getByText('Details', { exact: true }).click()
  await waiting.getByRole('button', { name: /^Approve/ }).click()
  await sign(event, command, '✓ approved').waitFor()
}

const open = async (options: Parameters<typeof openTab>[2]): Promise<void> => {
  program = await startProgram()
  await writeFile(join(program.workspace, 'old_key.pem'), keyOf(shownBody))
  await writeFile(join(program.workspace, 'deploy_key.pem'), keyOf(secretBody))
  tab = await openTab(browser, new URL(program.login()).origin, options)
  page = tab.page
}

/**
 * How the page looks now, on a phone and on a desk. Nothing may stick out; pictures are for people and only
 * when asked for.
 */
const look = async (name: string, of: Page = page): Promise<void> => {
  const size = of.viewportSize()
  for (const [width, height] of [
    [360, 740],
    [1200, 800],
  ] as const) {
    await of.setViewportSize({ width, height })
    for (const colorScheme of ['light', 'dark'] as const) {
      await of.emulateMedia({ colorScheme })
      expect(await of.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      if (shots !== undefined)
        await of.screenshot({
          path: join(shots, `${name}-${width}-${colorScheme}.png`),
          animations: 'disabled',
        })
    }
  }
  await of.emulateMedia({ colorScheme: null })
  if (size !== null) await of.setViewportSize(size)
}

describe.skipIf(isBrowserMissing)('the main job on the web page', () => {
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  describe('on a phone, with taps', () => {
    let login: string

    beforeAll(async () => {
      await open(phoneScreen)
      login = program.login()
    })
    afterAll(() => program.remove())
    afterEach(() => {
      expect(tab.complaints).toEqual([])
      expect(tab.foreign).toEqual([])
    })

    test('the login of the console opens the page and leaves the address', async () => {
      await page.goto(login)
      await page.getByText('Connected', { exact: true }).waitFor()
      expect(page.url()).toBe(`${new URL(login).origin}/`)
      expect(await page.context().cookies()).toEqual([])
    })

    test('Preferences shows what waits, and that hooks are off', async () => {
      await show('Preferences')
      expect(
        await page.getByRole('switch', { name: 'Hooks', exact: true }).getAttribute('aria-checked'),
      ).toBe('false')
      await sign('on_outbound_message', './.hookgate-examples/block_secrets.py', '✗ NOT approved').waitFor()
      expect(await page.getByRole('heading', { name: 'Approved', exact: true }).count()).toBe(0)
    })

    test('before anything is approved, the agent says what it likes', async () => {
      await ask('read old_key.pem', 'agent', (words) => words.includes(shownBody))
      // What is looked for below would be seen.
      expect(await tab.received()).toContain(shownBody)
    })

    test('the owner approves with a tap and switches on with another', async () => {
      await approve('on_outbound_message', './.hookgate-examples/block_secrets.py')
      await page.getByRole('switch', { name: 'Hooks', exact: true }).tap()
      await page.getByRole('switch', { name: 'Hooks', exact: true, checked: true }).waitFor()
      await page.getByText('1 live · 13 waiting').waitFor()
      await until('both receipts', async () => {
        const told = (await said('hookgate')).join('\n')
        return told.includes('✓ Approved: on_outbound_message') && told.includes('Hooks are ON')
      })
    })

    test('a private key that the agent says reaches neither the page nor the browser, and the owner is told', async () => {
      const told = await ask('read deploy_key.pem', 'hookgate', (words) => words.includes('Blocked: '))
      expect(told).toContain('Block secrets in messages: ')
      await page.getByText('The agent is working').waitFor({ state: 'detached' })
      expect(await page.content()).not.toContain(secretBody.slice(0, 40))
      expect(await tab.received()).not.toContain(secretBody.slice(0, 40))
    })

    test('in the middle of the story the page is fit to be seen', async () => {
      await look('chat')
      await show('Preferences')
      await look('preferences')
    })

    test('a rewriting hook: only the rewritten text shows', async () => {
      await writeFile(join(program.workspace, 'contact.txt'), 'write to ada@example.com please')
      await approve('on_outbound_message', 'builtin: redact_pii')
      expect(await ask('read contact.txt', 'agent', (words) => words.includes('please'))).toBe(
        'write to [redacted: email address] please',
      )
      expect(await page.content()).not.toContain('ada@example.com')
      expect(await tab.received()).not.toContain('ada@example.com')
    })

    test('a destructive command is refused with the reason', async () => {
      await approve('pre_tool_call', 'builtin: guard_commands')
      await ask('!rm -rf /', 'hookgate', (words) => words.includes('Guard commands: It '))
      await ask('!echo still here', 'agent', (words) => words.includes('still here'))
    })

    test('a new entry in the file shows up by itself, and waits', async () => {
      await show('Preferences')
      await writeFile(join(program.workspace, 'mine.sh'), '#!/bin/sh\necho {}\n', { mode: 0o755 })
      await writeFile(
        join(program.workspace, 'config', 'shell_hooks.yaml'),
        'hooks:\n  - {event: on_outbound_message, command: ./mine.sh}\n',
      )
      await sign('on_outbound_message', './mine.sh', '✗ NOT approved').waitFor()
      await sign('on_outbound_message', 'builtin: redact_pii', 'gone from the file, still approved').waitFor()
      await until('the announcement', async () =>
        (await said('hookgate')).some(
          (words) => words.includes('waits for you') && words.includes('./mine.sh'),
        ),
      )
    })

    test('a second use of the login is refused, and is an alarm to the owner', async () => {
      const other = await openTab(browser, new URL(login).origin)
      await other.page.goto(login)
      await other.page.getByText('Expected an unused login, got one that was used.').waitFor()
      expect(await other.page.getByRole('textbox', { name: 'Message' }).count()).toBe(0)
      expect(other.complaints.filter((line) => !line.includes('403'))).toEqual([])
      expect(other.foreign).toEqual([])
      expect(await other.received()).not.toContain('"session"')
      await other.page.close()
      await until('the alarm', async () =>
        (await said('hookgate')).some((words) => words.includes('tried a used login of the web page again')),
      )
    })

    test('Enter at the console prints a new login, which opens a second tab with the same chat', async () => {
      program.enter()
      const next = await until('a new login', () => program.login() !== login && program.login())
      const other = await openTab(browser, new URL(login).origin, desk)
      await other.page.goto(next)
      await other.page.getByRole('log').getByText('write to [redacted: email address] please').waitFor()
      expect([...other.complaints, ...other.foreign]).toEqual([])
      expect(await other.received()).not.toContain(secretBody.slice(0, 40))
      await other.page.close()
    })

    test('the switch turns everything off at once', async () => {
      await show('Preferences')
      await page.getByRole('switch', { name: 'Hooks', exact: true }).tap()
      await page.getByRole('switch', { name: 'Hooks', exact: true, checked: false }).waitFor()
      await ask('read contact.txt', 'agent', (words) => words.includes('ada@example.com'))
    })
  })

  describe('at a desk, with a keyboard', () => {
    beforeAll(async () => {
      await open({ ...desk, colorScheme: 'light', permissions: ['clipboard-read', 'clipboard-write'] })
      await page.goto(program.login())
    })
    afterAll(() => program.remove())
    afterEach(() => {
      expect(tab.complaints).toEqual([])
      expect(tab.foreign).toEqual([])
    })

    test('two pasted lines approve a hook and switch on', async () => {
      const lines = '/hooks approve on_outbound_message ./.hookgate-examples/block_secrets.py\n/hooks on'
      const box = page.getByRole('textbox', { name: 'Message', exact: true })
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(lines)})`)
      await box.focus()
      await box.press('ControlOrMeta+V')
      expect(await box.inputValue()).toBe(lines)
      await box.press('Enter')
      await sign('on_outbound_message', './.hookgate-examples/block_secrets.py', '✓ approved').waitFor()
      await until('both receipts', async () =>
        (await said('hookgate')).some((words) => words.includes('Hooks are ON')),
      )
      expect(
        await page.getByRole('switch', { name: 'Hooks', exact: true }).getAttribute('aria-checked'),
      ).toBe('true')
      expect(await page.locator('.row.live').count()).toBe(1)
    })

    test('then a private key stays where it is, and the page says so beside the list', async () => {
      await ask('read deploy_key.pem', 'hookgate', (words) => words.includes('Blocked: '))
      expect(await tab.received()).not.toContain(secretBody.slice(0, 40))
    })

    test('and another tab shows the same, and a command that waits, as in the picture of the README', async () => {
      await ask('/hooks protect on', 'hookgate', (words) => words.includes('You are protected'))
      const before = program.login()
      program.enter()
      const login = await until('a new login', () => program.login() !== before && program.login())
      const other = await openTab(browser, new URL(login).origin, {
        viewport: { width: 1350, height: 900 },
        deviceScaleFactor: 8 / 9,
        colorScheme: 'light',
      })
      await other.page.goto(login)
      await other.page.getByRole('log').getByText('Blocked: ').waitFor()
      await write('!mkdir -p old; rm -r old')
      await other.page.getByRole('log').getByRole('button', { name: 'Deny', exact: true }).waitFor()
      expect(await other.page.locator('.row.live').count()).toBe(4)
      // A button that has just come is pale for a moment.
      await other.page.locator('[data-fresh]').first().waitFor({ state: 'detached' })
      if (shots !== undefined)
        await other.page.screenshot({ path: join(shots, 'readme.png'), animations: 'disabled' })
      await other.page.close()
    })
  })
})
