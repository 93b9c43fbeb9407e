import { afterEach, beforeEach, expect, test } from 'vitest'
import { noPasskeys } from '../../../../bots/web/web.ts'
import { ask, logIn, post, startScripted, tryLogin, type Session } from '../scripted-web.ts'

let scripted: Awaited<ReturnType<typeof startScripted>>
let base: string

beforeEach(async () => {
  scripted = await startScripted()
  base = scripted.web.url()
})
afterEach(() => scripted.web.stop())

const login = (value: string) => tryLogin(scripted, value)
const isIn = async (session: Session): Promise<boolean> =>
  (await post(base, '/api/say', { text: 'x' }, session)).status === 202

test('a login works once; a second use is refused and is an alarm that does not hold it', async () => {
  const value = scripted.web.mintLogin()
  expect((await login(value)).status).toBe(200)
  expect(scripted.misuses).toEqual([])
  const second = await login(value)
  expect(second.status).toBe(403)
  expect(second.text).not.toContain('session"')
  expect(scripted.misuses).toHaveLength(1)
  expect(scripted.misuses[0]).toContain('a used login')
  expect(scripted.misuses[0]).not.toContain(value)
})

test('of many uses at once exactly one opens', async () => {
  const value = scripted.web.mintLogin()
  const replies = await Promise.all(Array.from({ length: 8 }, () => login(value)))
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
})

test('a login that was never given is refused and is an alarm', async () => {
  scripted.web.mintLogin()
  for (const value of ['', 'a'.repeat(43), '__proto__']) expect((await login(value)).status).toBe(403)
  expect(scripted.misuses).toHaveLength(3)
  expect((await login('a'.repeat(500))).status).toBe(400)
  expect((await login('a'.repeat(5000))).status).toBe(413)
})

test('a login is good for 5 minutes', async () => {
  const [late, inTime] = [scripted.web.mintLogin(), scripted.web.mintLogin()]
  scripted.pass(5 * 60_000 - 1)
  expect((await login(inTime)).status).toBe(200)
  scripted.pass(1)
  expect((await login(late)).status).toBe(403)
  expect(scripted.misuses).toEqual([])
})

test('a flood of wrong logins is alarmed in bounds and never locks the owner out', async () => {
  const statuses: number[] = []
  for (let index = 0; index < 30; index++) statuses.push((await login(`wrong${index}`)).status)
  expect(statuses.filter((status) => status === 403)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  expect(scripted.misuses).toHaveLength(10)
  expect(await isIn(await logIn(scripted))).toBe(true)
  scripted.pass(60_000)
  await login('wrong again')
  expect(scripted.misuses.at(-1)).toContain('20 more')
})

test('a session ends after 12 hours', async () => {
  const session = await logIn(scripted)
  scripted.pass(12 * 3_600_000 - 1)
  expect(await isIn(session)).toBe(true)
  scripted.pass(1)
  expect(await isIn(session)).toBe(false)
  expect((await ask(`${base}/api/stream`, { headers: session('GET', '/api/stream') })).status).toBe(401)
})

test('the ninth session ends the first', async () => {
  const sessions: Session[] = []
  for (let index = 0; index < 9; index++) sessions.push(await logIn(scripted))
  const open = []
  for (const session of sessions) open.push(await isIn(session))
  expect(open).toEqual([false, ...Array.from({ length: 8 }, () => true)])
})

test('a login and its session end with the owner who asked for it in a chat', async () => {
  const owners = new Set(['telegram:8'])
  const mayEnter = (id: string): boolean => owners.has(id)
  const other = await startScripted(0, undefined, { ports: { passkeys: { ...noPasskeys, mayEnter } } })
  const mintLogin = (): string => other.link('telegram:8').split('#')[1] ?? ''
  const url = other.web.url()
  try {
    const late = mintLogin()
    const session = await logIn({ now: other.now, web: { url: () => url, mintLogin } })
    expect((await post(url, '/api/say', { text: 'x' }, session)).status).toBe(202)
    owners.clear()
    expect((await post(url, '/api/say', { text: 'x' }, session)).status).toBe(401)
    expect((await tryLogin(other, late)).text).toContain('web.login_expired')
  } finally {
    await other.web.stop()
  }
})
