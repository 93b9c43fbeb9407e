import { expect, test } from 'vitest'
import { drawCode } from '../../bots/wechat/connect/qr.ts'
import { createPhone } from '../../src/cli/phone.ts'

const begin = (columns?: number) => {
  const printed: string[] = []
  const kept: string[] = []
  const phone = createPhone({
    print: (lines) => void printed.push(lines),
    columns,
    keep: (_, link) => void kept.push(link),
  })
  return {
    ...phone,
    printed,
    kept,
    name: (username = 'MiaBot') => phone.named({ username, draw: drawCode }),
  }
}
const invitation = { login: 'http://127.0.0.1:8787/#x', pairing: 'AC3DEF4G' }
const told =
  'Telegram: @MiaBot. This link pairs your phone, once. Whoever opens it first owns this gate:\n  https://t.me/MiaBot?start=AC3DEF4G'

test.each(['before', 'after'])(
  'the console names the bot and its start link when Telegram answers %s the start',
  (when) => {
    const { name, show, printed } = begin()
    if (when === 'before') name()
    expect(printed).toEqual([])
    show(invitation)
    if (when === 'after') name()
    expect(printed).toEqual([told])
  },
)

test('a terminal that is wide enough shows the link as a QR code, too', async () => {
  const wide = begin(80)
  wide.name()
  wide.show(invitation)
  await expect.poll(() => wide.printed).toHaveLength(2)
  const lines = (wide.printed[1] ?? '').split('\n').filter((line) => line !== '')
  expect(lines.length).toBeGreaterThan(14)
  expect(lines.every((line) => /^[ ▀▄█]+$/.test(line) && line.length === lines[0]?.length)).toBe(true)
  const narrow = begin(20)
  narrow.name()
  narrow.show(invitation)
  await new Promise((done) => setTimeout(done, 20))
  expect(narrow.printed).toEqual([told])
})

test('a new code has a new link, and an owned gate has the name alone, once', () => {
  const { name, show, printed } = begin()
  show(invitation)
  name()
  show({ ...invitation, pairing: 'NEWCODE3' })
  expect(printed[1]).toContain('?start=NEWCODE3')
  show(undefined)
  show({ login: invitation.login })
  expect(printed).toHaveLength(2)
  const owned = begin()
  owned.show(undefined)
  owned.name()
  owned.name()
  expect(owned.printed).toEqual(['Telegram: @MiaBot, https://t.me/MiaBot'])
})

test('where the output goes to a file, the link goes to the login’s file', () => {
  const { name, show, printed, kept } = begin(80)
  name()
  show({ ...invitation, file: '~/.hookgate/secrets/login' })
  expect(printed).toEqual(['Telegram: @MiaBot. The link that pairs a phone is in ~/.hookgate/secrets/login'])
  expect(kept).toEqual(['https://t.me/MiaBot?start=AC3DEF4G'])
})

test('a name that could command a terminal is not shown', () => {
  const { name, show, printed } = begin()
  show(invitation)
  for (const wrong of ['Mia\u001b[2JBot', '', 'a b', 'x'.repeat(65)]) name(wrong)
  expect(printed).toEqual([])
})
