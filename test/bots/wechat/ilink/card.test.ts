import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCard, type MemoryCard } from '../../../../bots/wechat/ilink/card.ts'

const session = { token: 'token', botId: 'bot1@im.bot', root: 'https://ilinkai.weixin.qq.com' }

const place = () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-card-'))
  const path = join(folder, 'wechat.json')
  const failures: string[] = []
  const open = async (): Promise<MemoryCard> => {
    const card = createCard(path, (what) => failures.push(what))
    await card.load()
    return card
  }
  return { folder, path, failures, open }
}

test('what is kept is there after a restart, in one file that only the gate can read', async () => {
  const { folder, path, failures, open } = place()
  const card = await open()
  expect(card.memory()).toEqual({ cursor: '', contexts: new Map() })
  await card.update({ session })
  await card.update({ cursor: 'c1', contexts: new Map([['ann', { token: 't', atMs: 5, sent: 2 }]]) })
  expect((await open()).memory()).toEqual({
    session,
    cursor: 'c1',
    contexts: new Map([['ann', { token: 't', atMs: 5, sent: 2 }]]),
  })
  expect([statSync(path).mode & 0o777, readdirSync(folder), failures]).toEqual([0o600, ['wechat.json'], []])
})

test('a session that ended takes its cursor and contexts along', async () => {
  const { open } = place()
  const card = await open()
  await card.update({ session, cursor: 'c1', contexts: new Map([['ann', { token: 't', atMs: 5, sent: 2 }]]) })
  await card.update({ session: undefined, cursor: '', contexts: new Map() })
  expect((await open()).memory()).toEqual({ cursor: '', contexts: new Map() })
})

test('many changes at once are few writes, and the last one is what is kept', async () => {
  const { open } = place()
  const card = await open()
  await card.update({ session })
  await Promise.all(Array.from({ length: 500 }, (_, count) => card.update({ cursor: `c${count}` })))
  expect((await open()).memory().cursor).toBe('c499')
})

test('a file that a crash left half written, and one that somebody may read, make way', async () => {
  const { folder, path, open } = place()
  writeFileSync(`${path}.new`, '{"session', { mode: 0o666 })
  writeFileSync(path, '{}', { mode: 0o644 })
  await (await open()).update({ session })
  expect([statSync(path).mode & 0o777, readdirSync(folder)]).toEqual([0o600, ['wechat.json']])
})

test('a link in its place is replaced, not followed', async () => {
  const { folder, path, open } = place()
  const elsewhere = join(folder, 'elsewhere')
  writeFileSync(elsewhere, '{}')
  for (const name of [path, `${path}.new`]) symlinkSync(elsewhere, name)
  await (await open()).update({ session })
  expect(readFileSync(elsewhere, 'utf8')).toBe('{}')
})

test.each([
  ['no JSON', '{"session":'],
  ['a list', '[]'],
  ['without a session', '{"cursor":"c1"}'],
  ['with half a session', '{"session":{"token":"t"}}'],
  ['too large', `"${'x'.repeat(8_000_001)}"`],
  [
    'with anything in it',
    JSON.stringify({ session: { token: 1, botId: [], root: {} }, cursor: 5, contexts: [1, null] }),
  ],
])('a card that is %s is no login, and it is replaced whole', async (_, text) => {
  const { path, open } = place()
  writeFileSync(path, text)
  const card = await open()
  expect(card.memory()).toEqual({ cursor: '', contexts: new Map() })
  await card.update({ session })
  expect((await open()).memory().session).toEqual(session)
})

test('a card that cannot be written is told, and the login goes on', async () => {
  const { folder, failures } = place()
  const card = createCard(join(folder, 'nowhere', 'wechat.json'), (what) => failures.push(what))
  await card.update({ session })
  expect([card.memory().session, failures]).toEqual([
    session,
    ['the login could not be stored, so somebody may have to log in again after a restart'],
  ])
  chmodSync(folder, 0o700)
})

test('however many people write, those who wrote last are kept', async () => {
  const { open } = place()
  const card = await open()
  await card.update({
    session,
    contexts: new Map(
      Array.from({ length: 300 }, (_, count) => [`p${count}`, { token: 't', atMs: count, sent: 0 }]),
    ),
  })
  expect([...card.memory().contexts.keys()]).toEqual(
    Array.from({ length: 100 }, (_, count) => `p${count + 200}`),
  )
})
