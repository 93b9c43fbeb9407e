import { expect, test } from 'vitest'
import { createLogins } from '../../../../bots/wechat/connect/logins.ts'
import { createRig } from '../rig.ts'

/** What outlives a restart. */
const createMemory = () => {
  const state: { kept: string | undefined; failures: number } = { kept: undefined, failures: 0 }
  const memory = {
    recall: async () => state.kept,
    remember: async (login: string) => void (state.kept = login),
  }
  let count = 0
  const open = async (): Promise<ReturnType<typeof createLogins>> => {
    const logins = createLogins(
      memory,
      () => ++count,
      () => void state.failures++,
    )
    await logins.restore()
    return logins
  }
  return { state, open }
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a restart that finds the session again is the same login, however hookgate ended', async () => {
  const { open } = createMemory()
  const first = await open()
  expect(first.current()).toBe('')
  expect(first.began('me')).toBe(false)
  const login = first.current()
  expect(login).toMatch(/^1 [0-9a-f]{16}$/)
  await settled()
  const second = await open()
  expect(second.current()).toBe('')
  expect(second.began('me')).toBe(false)
  expect(second.current()).toBe(login)
})

test.each([
  ['another account', (logins: ReturnType<typeof createLogins>) => logins.began('somebody')],
  [
    'the same account after a scan or a logout',
    (logins: ReturnType<typeof createLogins>) => (logins.ended(), logins.began('me')),
  ],
])('%s is another login', async (_, change) => {
  const { open } = createMemory()
  const logins = await open()
  logins.began('me')
  const before = logins.current()
  expect(change(logins)).toBe(true)
  expect(logins.current()).not.toBe(before)
  expect(logins.current()).not.toBe('')
})

test('a login that ended is over for good, also when hookgate dies before the next', async () => {
  const { open, state } = createMemory()
  const logins = await open()
  logins.began('me')
  const before = logins.current()
  logins.ended()
  expect(logins.current()).toBe('')
  await settled()
  expect(state.kept).toBe('')
  const again = await open()
  expect(again.began('me')).toBe(true)
  expect(again.current()).not.toBe(before)
})

test('what cannot be remembered is another login after a restart', async () => {
  const failures: unknown[] = []
  const broken = {
    recall: () => Promise.reject(new Error('no disk')),
    remember: () => Promise.reject(new Error('no disk')),
  }
  const logins = createLogins(
    broken,
    () => 1,
    (error) => failures.push(error),
  )
  await logins.restore()
  expect(logins.began('me')).toBe(false)
  expect(logins.current()).toMatch(/^1 /)
  await settled()
  expect(failures).toHaveLength(2)
})

test('the channel names the login as soon as there is one, and tells once when it is another', async () => {
  const { channel, mocker, me, puppet, troubles } = await createRig({ isLoggedIn: false })
  expect(channel.login?.()).toBe('')
  mocker.scan('https://login.example/1')
  mocker.login(me)
  const first = channel.login?.()
  expect(first).toMatch(/^\d+ [0-9a-f]{16}$/)
  expect(troubles.map(({ why }) => why).join()).not.toContain('anew')
  await puppet.logout()
  expect(channel.login?.()).toBe('')
  // Two logins of one account within a millisecond have one name.
  await expect.poll(() => Date.now()).toBeGreaterThan(Number.parseInt(first ?? '', 10))
  mocker.login(me)
  expect(channel.login?.()).not.toBe(first)
  expect(troubles.filter(({ why }) => why.includes('a new login'))).toHaveLength(1)
  await channel.stop()
})

test('the end of hookgate itself ends no login', async () => {
  const kept: string[] = []
  const { channel } = await createRig({
    recall: async () => undefined,
    remember: async (login) => void kept.push(login),
  })
  const login = channel.login?.()
  await channel.stop()
  expect(kept).toEqual([login])
})
