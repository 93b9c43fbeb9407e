import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { HookSource } from '../../../src/shared/gate/hook-source.ts'
import { findings } from '../../e2e/axe.ts'
import { isBrowserMissing, launchBrowser } from '../../e2e/browser.ts'
import { openRow, readRow } from './open-row.ts'
import { preferences, startScripted } from './scripted-web.ts'

const shots = process.env['HOOKGATE_SHOTS']
const [approved, waiting] = preferences.rows
if (approved === undefined || waiting === undefined) throw new Error('Expected two rows.')

const sourceOf = (over: Partial<HookSource> = {}): HookSource => ({
  from: 'proposed',
  difference: [],
  files: [
    {
      path: 'examples/block_secrets.py',
      bytes: 31,
      sha256: 'ab'.repeat(32),
      text: '#!/usr/bin/env python3\n\tprint(1)\n',
    },
  ],
  ...over,
})

describe.skipIf(isBrowserMissing)('the rows of hooks on the page', () => {
  let browser: Browser
  let scripted: Awaited<ReturnType<typeof startScripted>>
  let page: Page
  let complaints: string[]
  let source: HookSource | undefined
  let isOwner: boolean
  let askedFor: string[]
  let spent: Set<string>

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    source = sourceOf()
    isOwner = true
    askedFor = []
    spent = new Set()
    complaints = []
    scripted = await startScripted(0, Date.now(), {
      ports: {
        isOwner: () => isOwner,
        source: (handle) => {
          askedFor.push(handle)
          return Promise.resolve(source)
        },
        cardOf: (press) => (spent.has(press) ? undefined : { act: 'approve' }),
      },
    })
    page = await browser.newPage({ viewport: { width: 360, height: 740 } })
    page.setDefaultTimeout(30_000)
    page.on('console', (line) => {
      if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
  })
  afterEach(async () => {
    await page.close()
    await scripted.web.stop()
    expect(complaints).toEqual([])
  })

  const open = async (): Promise<void> => {
    await page.goto(`${scripted.web.url()}/#${scripted.web.mintLogin()}`)
    await page.getByText('Connected', { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Preferences' }).click()
  }
  const texts = () => scripted.received.map((message) => message.text)
  /** Nothing sticks out of a phone, and axe finds nothing, bright or dark. */
  const look = async (name: string): Promise<void> => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(
        await page.evaluate(
          '[...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5).map((one) => one.outerHTML.slice(0, 80))',
        ),
      ).toEqual([])
      expect(await findings(page)).toEqual([])
      if (shots !== undefined)
        await page.screenshot({ path: `${shots}/row-${name}-${colorScheme}.png`, animations: 'disabled' })
    }
    await page.emulateMedia({ colorScheme: null })
  }
  const prefer = (...rows: readonly (typeof approved)[]): void =>
    scripted.prefer({ isOn: true, held: [], guards: [], rows })
  const settled = () => page.waitForTimeout(1300)

  test('the name and the description that a file gives come first, and the buttons bear the name', async () => {
    prefer({
      ...waiting,
      name: 'Block secrets',
      description: 'It blocks what has a secret in it.',
      when: 'before a message leaves for a chat',
      hasFiles: true,
    })
    await open()
    const row = await readRow(page, '9xm4d')
    await row.getByRole('heading', { name: 'Block secrets' }).waitFor()
    const words = await row.innerText()
    expect(words.indexOf('Block secrets')).toBeLessThan(words.indexOf('It blocks what has'))
    expect(words.indexOf('It blocks what has')).toBeLessThan(words.indexOf('on_outbound_message'))
    await row.getByRole('button', { name: 'Approve Block secrets', exact: true }).click()
    await expect.poll(texts).toEqual(['/hooks approve 9xm4d'])
    await settled()
    await look('named')
  })

  test('the first tap on Approve opens the details of a hook, and only the next one approves it', async () => {
    prefer({
      ...waiting,
      name: 'Ask before sudo',
      when: 'before a tool runs',
      fails: 'blocks',
      warnings: ['⚠ It needs python3.'],
    })
    await open()
    const row = await openRow(page.getByRole('listitem', { name: 'Hook 9xm4d' }))
    for (const words of ['before a tool runs', 'blocks', '⚠ It needs python3.', 'Open the details first.'])
      await row.getByText(words).first().waitFor()
    expect(await row.getByText('config/shell_hooks.yaml:9').isVisible()).toBe(false)
    await settled()
    await look('closed')
    await row.getByRole('button', { name: 'Approve Ask before sudo' }).click()
    await row.getByText('config/shell_hooks.yaml:9').waitFor()
    await row.getByText('./examples/block_secrets.py --every-message').waitFor()
    expect(await row.getByText('Open the details first.').count()).toBe(0)
    expect(texts()).toEqual([])
    await settled()
    await look('read')
    await row.getByRole('button', { name: 'Approve Ask before sudo' }).click()
    await expect.poll(texts).toEqual(['/hooks approve 9xm4d'])
  })

  test('details that were open for another handle do not count, and what hookgate ships needs none', async () => {
    prefer({ ...waiting, name: 'Guard' })
    await open()
    await readRow(page, '9xm4d')
    prefer({ ...waiting, handle: 'n3w3w', name: 'Guard' })
    const row = page.getByRole('listitem', { name: 'Hook n3w3w' })
    await row.getByText('Open the details first.').waitFor()
    await settled()
    await row.getByRole('button', { name: 'Approve Guard' }).click()
    prefer({ ...waiting, handle: 's4h1p', name: 'Guard', isShipped: true })
    await row.waitFor({ state: 'detached' })
    await settled()
    expect(texts()).toEqual([])
    await page
      .getByRole('listitem', { name: 'Hook s4h1p' })
      .getByRole('button', { name: 'Approve Guard' })
      .click()
    await expect.poll(texts).toEqual(['/hooks approve s4h1p'])
  })

  test('what waits comes first, the newest first, and what is approved is one line with its health', async () => {
    const many = [1, 2, 3, 4, 5].map((at) => ({ ...waiting, handle: `wait${at}`, name: `Proposal ${at}` }))
    prefer({ ...approved, name: 'Guard', fired: 'last fired 2 min ago' }, ...many)
    await open()
    const names = () => page.locator('#preferences .hook-name').allTextContents()
    expect(await names()).toEqual(['Proposal 5', 'Proposal 4', 'Proposal 3', 'Guard'])
    await page.getByText('last fired 2 min ago', { exact: true }).waitFor()
    await page
      .getByRole('listitem', { name: 'Hook k7f2q' })
      .getByRole('img', { name: '✓ approved' })
      .waitFor()
    await settled()
    await look('groups')
    await page.getByRole('button', { name: 'More: 2 hooks' }).click()
    expect(await names()).toEqual([
      'Proposal 5',
      'Proposal 4',
      'Proposal 3',
      'Proposal 2',
      'Proposal 1',
      'Guard',
    ])
  })

  test('the files are shown whole before the approval, and Approve stands below them', async () => {
    prefer({ ...waiting, hasFiles: true })
    await open()
    await readRow(page, '9xm4d')
    await page.getByRole('button', { name: /^Source of/ }).click()
    const dialog = page.getByRole('dialog', { name: /^Source of/ })
    await dialog.getByText('An approval seals exactly them.').waitFor()
    expect(await dialog.locator('pre').textContent()).toBe('#!/usr/bin/env python3\n\tprint(1)\n')
    await settled()
    await look('source')
    await dialog.getByRole('button', { name: /^Approve/ }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(texts).toEqual(['/hooks approve 9xm4d'])
    expect(askedFor).toEqual(['9xm4d'])
  })

  test('a changed hook shows what changed first', async () => {
    source = sourceOf({ difference: ['Changed: 1 file.', '│ - exit 2', '│ + exit 0'] })
    prefer({
      ...waiting,
      status: 'changed since approval',
      isChanged: true,
      isApproved: true,
      hasFiles: true,
    })
    await open()
    const row = await openRow(page.getByRole('listitem', { name: 'Hook 9xm4d' }))
    const buttons = row.getByRole('button')
    expect(await buttons.allTextContents()).toEqual(['What changed', 'Approve', 'Revoke'])
    await buttons.first().click()
    await page.getByRole('heading', { name: 'Changed since you approved it' }).waitFor()
    const words = await page.getByRole('dialog').innerText()
    expect(words.indexOf('exit 0')).toBeLessThan(words.indexOf('print(1)'))
    // The files are not all that an approval binds.
    expect(await page.getByRole('dialog').getByRole('button').allTextContents()).toEqual(['Close'])
    await settled()
    await look('changed')
  })

  test('a long file is cut and says so, and a binary one is not shown', async () => {
    source = sourceOf({
      files: [
        {
          path: 'big.sh',
          bytes: 10_000_000,
          sha256: 'ab'.repeat(32),
          text: 'x\n'.repeat(1000),
          leftUnits: 9_800_000,
        },
        { path: 'tool', bytes: 4000, sha256: 'cd'.repeat(32), why: 'binary' },
        { path: 'gone', bytes: 4000, sha256: 'cd'.repeat(32), why: 'unreadable' },
      ],
    })
    prefer({ ...waiting, hasFiles: true })
    await open()
    await readRow(page, '9xm4d')
    await page.getByRole('button', { name: /^Source of/ }).click()
    await page.getByText('Only the first 2,000 characters are shown. 9,800,000 more follow.').waitFor()
    await page.getByText('It is not text, so it cannot be shown.').waitFor()
    await page.getByText('It cannot be read now, or it is changing.').waitFor()
    await settled()
    await look('cut')
  })

  test('a hook that has changed meanwhile is said to have changed', async () => {
    source = undefined
    prefer({ ...waiting, hasFiles: true })
    await open()
    await readRow(page, '9xm4d')
    await page.getByRole('button', { name: /^Source of/ }).click()
    await page.getByText('got one that has changed or gone.').waitFor()
    expect(complaints.splice(0)).toEqual([expect.stringContaining('404')])
  })

  test('a name of 10,000 characters with markup is text of bounded length', async () => {
    const name = `<img src=x onerror=alert(1)>\u202E${'W'.repeat(10_000)}`
    prefer({ ...waiting, name, description: `<b>${'w'.repeat(1000)}</b>`, hasFiles: true })
    await open()
    await readRow(page, '9xm4d')
    const button = page.getByRole('button', { name: /^Approve <img src=x onerror/ })
    const label = (await button.getAttribute('aria-label')) ?? ''
    expect(label).toContain('\\u{202e}')
    expect(label.length).toBeLessThan(80)
    expect(await page.locator('main img, main b').count()).toBe(0)
    await settled()
    await look('hostile-name')
  })

  test('Revoke asks first, and Escape keeps the hook', async () => {
    prefer({ ...approved, name: 'Block destructive', hasFiles: true })
    await open()
    await openRow(page.getByRole('listitem', { name: 'Hook k7f2q' }))
    const revoke = page.getByRole('button', { name: 'Revoke Block destructive' })
    await revoke.click()
    const question = page.getByRole('alertdialog', { name: 'Revoke Block destructive?' })
    await question.getByText('It then judges nothing any more').waitFor()
    const sizes = await question.getByRole('button').evaluateAll((all) =>
      all.map((one) => {
        const { width, height } = one.getBoundingClientRect()
        return [Math.round(width), Math.round(height), one.className]
      }),
    )
    expect(sizes[0]).toEqual(sizes[1])
    await settled()
    await look('revoke')
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    expect(await revoke.evaluate((button) => button.ownerDocument.activeElement === button)).toBe(true)
    expect(texts()).toEqual([])
  })

  test('after an approval the focus goes to the next button, also when the row is drawn anew', async () => {
    prefer(
      { ...waiting, isShipped: true },
      { ...waiting, handle: 'b2b2b', command: './other.sh', isShipped: true },
    )
    await open()
    for (const handle of ['9xm4d', 'b2b2b'])
      await openRow(page.getByRole('listitem', { name: `Hook ${handle}` }))
    const focused = () =>
      page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.tagName')
    await settled()
    await page.getByRole('button', { name: /^Approve .*block_secrets/ }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(texts).toEqual(['/hooks approve 9xm4d'])
    prefer(
      { ...waiting, handle: 'n3w3w', canApprove: false, isApproved: true },
      { ...waiting, handle: 'b2b2b', command: './other.sh', isShipped: true },
    )
    await page.getByRole('heading', { name: 'Approved', exact: true }).waitFor()
    expect(await focused()).not.toBe('BODY')
    expect(await page.evaluate('document.activeElement.closest("#preferences") !== null')).toBe(true)
    prefer()
    await page.getByText('There are no hooks yet.').waitFor()
    expect(await focused()).not.toBe('BODY')
  })

  test('a button that was answered elsewhere goes from its card', async () => {
    await open()
    await page.getByRole('tab', { name: 'Chat' }).click()
    const buttons = [[{ label: 'Approve', press: 'first' }], [{ label: 'Show', press: 'second' }]]
    await scripted.tell('\u{1F6E1}\uFE0F A hook waits for you', 'notice', [], { buttons })
    const log = page.getByRole('log')
    await log.getByRole('button', { name: 'Approve' }).waitFor()
    expect(await log.getByRole('button').allTextContents()).toEqual(['Approve', 'Show'])
    spent.add('first')
    prefer(approved)
    await log.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' })
    expect(await log.getByRole('button').allTextContents()).toEqual(['Show'])
  })

  test('a page whose person is no owner says so and what to do, and shows nothing of the gate', async () => {
    await open()
    await scripted.tell('a message of the agent')
    isOwner = false
    prefer(approved)
    await page.getByRole('heading', { name: 'This page is no owner of the gate' }).waitFor()
    await page.getByText('Not an owner').waitFor()
    expect(await page.getByText('Connected').count()).toBe(0)
    await scripted.tell('\u{1F6E1}\uFE0F web:owner is no longer an owner.', 'notice')
    await scripted.tell('another message of the agent')
    await page.getByText('web:owner is no longer an owner.').waitFor()
    expect(await page.getByText('message of the agent').count()).toBe(0)
    await look('outsider')
    await page.getByRole('textbox', { name: 'Pairing code' }).fill('ABCD 2345')
    await page.keyboard.press('Enter')
    await expect.poll(texts).toEqual(['/pair ABCD 2345'])
    await page.reload()
    await page.getByRole('heading', { name: 'This page is no owner of the gate' }).waitFor()
    expect(await page.getByText('message of the agent').count()).toBe(0)
    isOwner = true
    prefer(approved)
    await page.getByText('Connected', { exact: true }).waitFor()
    await page.getByRole('log').getByText('another message of the agent').waitFor()
  })

  test('the page speaks Chinese to who reads Chinese, and a switch changes it and is remembered', async () => {
    await page.close()
    page = await browser.newPage({ viewport: { width: 360, height: 740 }, locale: 'zh-CN' })
    await page.goto(`${scripted.web.url()}/#${scripted.web.mintLogin()}`)
    await page.getByText('已连接', { exact: true }).waitFor()
    expect(await page.evaluate('document.documentElement.lang')).toBe('zh-Hans')
    await page.getByRole('tab', { name: '设置' }).click()
    await page.getByRole('switch', { name: '钩子' }).waitFor()
    const row = await openRow(page.getByRole('listitem', { name: '钩子 9xm4d' }))
    await row.getByText('请先打开详情').waitFor()
    await page.getByRole('button', { name: '批准 ./examples/block_secrets.py --every' }).waitFor()
    await settled()
    await look('chinese')
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByText('Connected', { exact: true }).waitFor()
    await expect.poll(() => scripted.received.at(-1)).toMatchObject({ text: '/lang en', language: 'en' })
    await page.reload()
    await page.getByText('Connected', { exact: true }).waitFor()
    scripted.prefer({ ...preferences, lang: 'zh' })
    await page.getByText('已连接', { exact: true }).waitFor()
  })
})
