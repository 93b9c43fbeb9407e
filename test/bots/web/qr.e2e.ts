import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from 'playwright-core'
import { modulesOf } from '../../../bots/wechat/connect/qr.ts'
import { isBrowserMissing, launchBrowser, openTab } from '../../e2e/browser.ts'
import { preferences, startScripted } from './scripted-web.ts'

describe.skipIf(isBrowserMissing)('the WeChat login on the page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  test('is drawn as the code that has to be scanned, and vanishes when somebody is in, or when it is over', async () => {
    const { web, prefer } = await startScripted(0, Date.now())
    const { page, complaints, foreign } = await openTab(browser, web.url())
    await page.goto(`${web.url()}/#${web.mintLogin()}`)
    await page.getByRole('switch', { name: 'Hooks' }).waitFor()
    const code = page.getByRole('img', { name: 'WeChat login', exact: true })
    expect(await code.count()).toBe(0)

    const text = 'https://liteapp.example/q/qr-0123456789abcdef?bot_type=3'
    const rows = (await modulesOf(text)) ?? []
    prefer({ ...preferences, wechatLogin: { text, rows, expiresAtMs: Date.now() + 60_000 } })
    await code.waitFor()
    // Each square as the browser paints it.
    const painted = await page.evaluate(`(() => {
      const path = new Path2D(document.querySelector('svg[aria-label="WeChat login"] path').getAttribute('d'))
      const canvas = document.createElement('canvas').getContext('2d')
      const all = [...Array(${rows.length + 8}).keys()]
      return all.map((y) => all.map((x) => (canvas.isPointInPath(path, x + 0.5, y + 0.5) ? '1' : '0')).join(''))
    })()`)
    const light = '0'.repeat(rows.length + 8)
    expect(painted).toEqual([
      light,
      light,
      light,
      light,
      ...rows.map((row) => `0000${row}0000`),
      light,
      light,
      light,
      light,
    ])
    expect(await page.getByText(text).count()).toBe(0)

    prefer(preferences)
    await code.waitFor({ state: 'detached' })
    prefer({ ...preferences, wechatLogin: { text, rows, expiresAtMs: Date.now() + 5000 } })
    await code.waitFor()
    await code.waitFor({ state: 'detached' })

    prefer({ ...preferences, wechatLogin: { text: '<b>x</b>\u202E', expiresAtMs: Date.now() + 60_000 } })
    await page.getByText('<b>x</b>').waitFor()
    await web.stop()
    expect([complaints.filter((line) => !/ERR_|Failed to load/.test(line)), foreign]).toEqual([[], []])
  })
})
