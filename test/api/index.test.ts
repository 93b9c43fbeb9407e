import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadConfig, start, type Running } from '../../src/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'hookgate-api-'))
let running: Running | undefined
afterAll(async () => {
  await running?.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Every object and function that a program can reach from a value, functions called by nobody. */
const reachable = (value: unknown, seen = new Set<unknown>()): Set<unknown> => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value))
    return seen
  seen.add(value)
  for (const inner of Reflect.ownKeys(value)) {
    const { value: held } = Object.getOwnPropertyDescriptor(value, inner) ?? {}
    reachable(held, seen)
  }
  return seen
}

test('a host program starts a gate, reads its state and stops it, and holds nothing that could open it', async () => {
  const home = join(folder, 'home')
  running = await start(
    loadConfig({
      HOME: folder,
      PATH: process.env['PATH'],
      HOOKGATE_HOME: home,
      HOOKGATE_WORKSPACE: join(folder, 'workspace'),
      HOOKGATE_PORT: '0',
    }),
    { log: () => undefined },
  )
  expect(Object.keys(running).toSorted()).toEqual([
    'invite',
    'onFirstOwner',
    'rows',
    'separation',
    'state',
    'stop',
  ])
  expect(running.state()).toMatchObject({ isOn: false, isClaimed: false })
  expect(running.invite()).toMatchObject({ login: expect.stringContaining('#'), pairing: expect.anything() })

  const named = [...reachable(running)].flatMap((value) =>
    typeof value === 'function' ? [value.name] : Object.keys(value as object),
  )
  for (const power of [
    'approve',
    'setSwitch',
    'revoke',
    'append',
    'mint',
    'gatekeeper',
    'dispatcher',
    'store',
  ])
    expect(named).not.toContain(power)

  // What it gives is a copy.
  const state = running.state() as unknown as { isOn: boolean; owners: string[] }
  state.isOn = true
  state.owners.push('telegram:666')
  expect(running.state()).toMatchObject({ isOn: false })
  expect(running.state().owners).not.toContain('telegram:666')
  const rows = running.rows() as unknown as { status: string }[]
  for (const row of rows) row.status = 'approved'
  expect(running.rows().every(({ status }) => status !== 'approved')).toBe(true)
})
