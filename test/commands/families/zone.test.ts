import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBridgeService, type BridgeService } from '../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService()
})
afterEach(() => desk.stop())

test('/tz shows the zone of the machine until a person chooses one, and goes back to it', async () => {
  expect(await desk.say('/tz')).toBe(
    'Times in this chat are in UTC, the time zone of this machine. It is 03:04:05 there.\nAnother one → /tz <zone>, as in /tz Asia/Shanghai\nThat of this machine → /tz machine',
  )
  expect(await desk.say('/tz asia/shanghai')).toMatch(
    /^Times in this chat are in Asia\/Shanghai from now on\./,
  )
  expect(await desk.say('/tz')).toMatch(/^Times in this chat are in Asia\/Shanghai\. It is /)
  expect(await desk.say('/tz machine')).toBe(
    'Times in this chat are in UTC, the time zone of this machine, from now on.',
  )
})

test.each([
  ['shanghai', 'Asia/Shanghai'],
  ['New York', 'America/New_York'],
  ['Asia/Shangai', 'Asia/Shanghai'],
])(
  'a zone that the system does not know is not taken, and the nearest is named: %s',
  async (typed, meant) => {
    expect(await desk.say(`/tz ${typed}`)).toBe(
      `hookgate knows no time zone ${typed}. Did you mean ${meant}?\n→ /tz ${meant}`,
    )
    expect(desk.chat.zone).toBeUndefined()
  },
)

test.each(['__proto__', 'x'.repeat(5000), '../../etc/localtime', 'tomorrow'])(
  '%s is no zone',
  async (typed) => {
    expect(await desk.say(`/tz ${typed}`)).toMatch(/^hookgate knows no time zone /)
    expect(desk.chat.zone).toBeUndefined()
  },
)

test('the log has clock times, and says in which zone', async () => {
  for (const secondsAgo of [0, 3, 30, 86_400])
    desk.record({ atMs: desk.fixture.clock.nowMs - secondsAgo * 1000, reason: 'it matched' })
  const lines = (await desk.say('/hooks log')).split('\n')
  expect(lines.filter((line) => line.includes(' ✓ '))).toEqual([
    '03:04:05 ✓ pre_tool_call: allowed',
    '03:04:02 ✓ pre_tool_call: allowed',
    '03:03:35 ✓ pre_tool_call: allowed',
    '2026-01-01 03:04:05 ✓ pre_tool_call: allowed',
  ])
  expect(lines.at(-1)).toBe('Times in UTC → /tz')
  expect(await desk.say('/hooks why')).toMatch(/^pre_tool_call · 2026-01-01 03:04:05 · /)
})
