import { afterEach, beforeEach, expect, test } from 'vitest'
import { createReports } from '../../src/notices/reports.ts'
import { prose } from '../../src/core/model/chat/prose.ts'
import { createRig, until, type Rig } from '../core/dispatcher/rig.ts'

const titles = { wechat: 'WeChat' }
let rig: Rig
beforeEach(async () => {
  rig = await createRig()
})
afterEach(() => rig.stop())

test('a send past the gate is recorded each time and told once for each method, and again with how often it came', async () => {
  const { tripped } = createReports({ ...rig.notices, titles, log: () => undefined })
  for (let i = 0; i < 100; i++) for (const method of ['sendMessage', 'sendPhoto']) tripped('telegram', method)
  await until('both to be told', () => rig.texts().length === 2)
  expect(rig.texts()).toEqual(
    ['sendMessage', 'sendPhoto'].map(
      (method) => `🛡 ⚠ Blocked: a send on telegram that bypassed the gate (${method}).`,
    ),
  )
  rig.clock.aheadMs += 11 * 60_000
  tripped('telegram', 'sendMessage')
  expect(await until('the next alarm', () => rig.texts()[2])).toContain('99 more times')
  expect(await rig.store.records({ limit: 1000, ofClass: 'alarms' })).toHaveLength(201)
})

test('an address in what a messenger reports is for the owners alone: whoever scans that of a login becomes the bot', async () => {
  const logged: unknown[] = []
  const { trouble } = createReports({ ...rig.notices, titles, log: (...line) => void logged.push(line) })
  const address = 'https://liteapp.example/q/qr-7?bot_type=3'
  trouble('wechat', prose`not connected, it waits for a login. Scan it: ${address}`, false)
  expect(await until('the notice', () => rig.texts()[0])).toBe(
    `🛡 WeChat: not connected, it waits for a login. Scan it: ${address}`,
  )
  expect(logged).toEqual([['warn', 'WeChat: not connected, it waits for a login. Scan it: …']])
})
