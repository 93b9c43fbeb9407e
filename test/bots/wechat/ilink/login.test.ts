import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { trustedRoot } from '../../../../bots/wechat/ilink/client.ts'
import { drawCode, modulesOf } from '../../../../bots/wechat/connect/qr.ts'
import type { JsonObject } from '../../../../src/core/model/base/json.ts'
import { createRig } from './rig.ts'

test('a QR code is shown at the console and told to the owners; scanned and confirmed, it is a login', async () => {
  const { ilink, shown, channel, isIn, whys } = await createRig({ isLoggedIn: false })
  expect(channel.login?.()).toBe('')
  const [lines = ''] = await ilink.waitFor(() => (shown.length > 0 ? shown : undefined))
  expect(lines).toMatch(/^Scan this code with WeChat to log the bot in:\n[ ▀▄█\n]{400,}$/)
  expect(whys()).toEqual([
    expect.stringMatching(
      /^not connected, it waits for a login. Scan the QR code on hookgate’s console, or open this address on a computer and scan the code that it shows: https:\/\/liteapp\.example\/q\/qr-/,
    ),
  ])
  ilink.scan()
  ilink.confirm()
  expect(await isIn()).toMatch(/^\d+ [0-9a-f]{16}$/)
  await ilink.waitFor(() => ilink.calls.includes('getupdates'))
  expect(ilink.wrongs).toEqual([])
})

test('a page that draws the code is given each one with its end, and told when there is none any more', async () => {
  const { ilink, codes, channel, isIn } = await createRig({ isLoggedIn: false })
  const aCode = {
    text: expect.stringMatching(/^https:\/\/liteapp\.example\/q\/qr-/) as string,
    expiresAtMs: expect.closeTo(Date.now() + 5 * 60_000, -4) as number,
    rows: expect.any(Array) as string[],
  }
  await ilink.waitFor(() => ilink.codes() === 1 && codes.length === 1)
  ilink.expire()
  await ilink.waitFor(() => ilink.codes() === 2 && codes.length === 2)
  ilink.confirm()
  await isIn()
  expect(codes).toEqual([aCode, aCode, undefined])
  expect(codes[0]?.text).not.toBe(codes[1]?.text)
  ilink.endSession()
  await ilink.waitFor(() => codes.length > 3)
  await channel.stop()
  expect(codes.at(-1)).toBeUndefined()
})

test('an expired code is followed by a fresh one, which works', async () => {
  const { ilink, shown, isIn } = await createRig({ isLoggedIn: false })
  await ilink.waitFor(() => ilink.codes() === 1)
  ilink.expire()
  await ilink.waitFor(() => ilink.codes() === 2 && shown.length === 2)
  expect(new Set(shown).size).toBe(2)
  ilink.confirm()
  await isIn()
})

test.each([
  ['expired', 'Nobody scanned the QR code in time.'],
  [
    'need_verifycode',
    'WeChat asked for the number that the phone shows, and nobody typed it on hookgate’s console.',
  ],
  ['verify_code_blocked', 'WeChat accepts no further number for this QR code.'],
  ['binded_redirect', 'This WeChat account already has another bot. Remove that bot first.'],
])(
  'after three codes that end as %s nobody is asked any more, and the reason is told',
  async (status, why) => {
    const { ilink, whys, codes } = await createRig({ isLoggedIn: false })
    for (const count of [1, 2, 3]) {
      await ilink.waitFor(() => ilink.codes() === count)
      ilink.setCode(status)
    }
    await ilink.waitFor(() =>
      whys().includes(`not connected. ${why} The WeChat channel is off. Restart hookgate for a new code.`),
    )
    expect(ilink.codes()).toBe(3)
    await ilink.waitFor(() => codes.length === 4)
    expect(codes.at(-1)).toBeUndefined()
  },
)

test('a number that the phone shows is asked for at the console, again when it was wrong, and lets the login go on', async () => {
  const prompts: string[] = []
  const typed = async (prompt: string) => (prompts.push(prompt), prompts.length === 1 ? '11' : '42')
  const { ilink, isIn, whys } = await createRig({ isLoggedIn: false, typed })
  await ilink.waitFor(() => ilink.codes() === 1)
  ilink.challenge('42')
  await ilink.waitFor(() => prompts.length === 2)
  ilink.confirm()
  await isIn()
  expect(prompts).toEqual([
    'Type the number that WeChat shows on the phone, then press Enter:',
    'The number was wrong. Type the number that the phone shows, then press Enter:',
  ])
  expect(whys().filter((why) => why.includes('number'))).toEqual([
    'it asks for the number that the phone shows now. Type it on hookgate’s console, then press Enter.',
  ])
  expect(ilink.codes()).toBe(1)
})

test('a login goes on at the host that WeChat names, and nowhere else', async () => {
  const { ilink, isIn } = await createRig({ isLoggedIn: false })
  await ilink.waitFor(() => ilink.calls.includes('get_qrcode_status'))
  ilink.fail(
    'get_qrcode_status',
    { kind: 'answer', answer: { status: 'scaned_but_redirect', redirect_host: 'evil.example' } },
    { kind: 'answer', answer: { status: 'scaned_but_redirect', redirect_host: new URL(ilink.root).host } },
    { kind: 'answer', answer: { status: 'scaned_but_redirect' } },
  )
  ilink.confirm()
  await isIn()
})

test.each<JsonObject>([
  { status: 'confirmed', bot_token: 'token', ilink_bot_id: 'bot', baseurl: 'https://evil.example' },
  { status: 'confirmed', bot_token: 'token' },
  { status: 'confirmed', bot_token: 'two\nlines', ilink_bot_id: 'bot' },
])('a confirmation that is none begins no session: %j', async (answer) => {
  const { ilink, channel } = await createRig({ isLoggedIn: false })
  await ilink.waitFor(() => ilink.calls.includes('get_qrcode_status'))
  ilink.fail('get_qrcode_status', { kind: 'answer', answer })
  ilink.scan()
  await ilink.waitFor(() => ilink.codes() === 2)
  expect(channel.login?.()).toBe('')
})

test.each([
  ['https://ilinkai.weixin.qq.com/', 'https://ilinkai.weixin.qq.com'],
  ['https://sg.ilink.wechat.com/x', 'https://sg.ilink.wechat.com'],
  ['http://ilinkai.weixin.qq.com', undefined],
  ['https://weixin.qq.com.evil.example', undefined],
  ['https://evilweixin.qq.com', undefined],
  ['https://weixin.qq.com@evil.example', undefined],
  ['https://a:b@weixin.qq.com', undefined],
  ['https://weixin.qq.com:8443', undefined],
  ['no address', undefined],
])('a session may go to %s: %s', (address, root) => {
  expect(trustedRoot(address, 'https://ilinkai.weixin.qq.com')).toBe(root)
})

test('a messenger that is away when a code is wanted is asked again, and told about once', async () => {
  const { ilink, isIn, whys } = await createRig({ isLoggedIn: false })
  await ilink.waitFor(() => ilink.codes() === 1)
  ilink.fail('get_bot_qrcode', ...Array.from({ length: 4 }, () => ({ kind: 'cut', isAfter: false }) as const))
  ilink.expire()
  await ilink.waitFor(() => ilink.codes() === 2)
  expect(whys().filter((why) => why.startsWith('not connected, it gives no QR code'))).toHaveLength(1)
  ilink.confirm()
  await isIn()
})

test('a restart finds its session again: no scan, and the same login', async () => {
  const { ilink, channel, card, again } = await createRig()
  const login = channel.login?.()
  await channel.stop()
  expect(JSON.parse(readFileSync(card, 'utf8'))).toMatchObject({ session: { botId: 'bot1@im.bot' } })
  const { isIn, shown, whys } = await again()
  expect(await isIn()).toBe(login)
  expect([shown, whys(), ilink.codes()]).toEqual([[], [], 1])
})

test('a session that ended elsewhere is told, asks for a scan, and what follows is another login', async () => {
  const { ilink, channel, whys, isIn, hear, say } = await createRig()
  await hear('hello')
  const login = channel.login?.()
  ilink.endSession()
  await ilink.waitFor(() => ilink.codes() === 2)
  expect(channel.login?.()).toBe('')
  expect(await say('into the void')).toMatchObject({ kind: 'retry' })
  expect(whys()).toContain(
    'not connected, nobody is logged in. No message arrives or leaves until somebody logs in again.',
  )
  ilink.confirm()
  expect(await isIn()).not.toBe(login)
  expect(whys()).toContain('a new login. The owners on WeChat have to pair again → /owners')
  await hear('hello again')
  expect(await say('hello')).toEqual({ kind: 'delivered' })
})

test('one answer that the session is over does not end it', async () => {
  const { ilink, channel, hear } = await createRig()
  const login = channel.login?.()
  const over = { kind: 'answer', answer: { errcode: -14 } } as const
  ilink.fail('getupdates', over, over)
  await hear('hello')
  await hear('and again')
  expect([channel.login?.(), ilink.codes()]).toEqual([login, 1])
})

test('a QR code is drawn as blocks, and what cannot be drawn is none', async () => {
  expect(await drawCode('https://liteapp.example/q/1')).toMatch(/^[ ▀▄█\n]+$/)
  expect(await drawCode('x'.repeat(5000))).toBeUndefined()
  const rows = (await modulesOf('https://liteapp.example/q/1')) ?? []
  // The corner that every such code has.
  expect(rows.slice(0, 7).map((row) => row.slice(0, 7))).toEqual([
    '1111111',
    '1000001',
    '1011101',
    '1011101',
    '1011101',
    '1000001',
    '1111111',
  ])
  expect(rows.every((row) => row.length === rows.length)).toBe(true)
  expect(await modulesOf('x'.repeat(5000))).toBeUndefined()
})
