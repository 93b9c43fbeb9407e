import { afterAll, expect, test } from 'vitest'
import { coverageOf } from '../../../src/doctor/coverage.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import type { Rehearsable } from '../../doctor/coverage/rehearsal.ts'
import { cleanUp, cover } from '../../doctor/coverage/rig.ts'
import { wechatTwin } from '../../doctor/coverage/twins/wechat.ts'
import { createRig } from './rig.ts'

afterAll(cleanUp)

test('WeChat judges every form whole and blocks each method of wechaty and of the running puppet, and nobody there hears of it', async () => {
  const { channel, puppet, arrived, tripped, troubles, logs } = await createRig()
  const before = [troubles.length, logs.length]
  const bot: Rehearsable = { ...channel, rehearse: (twin) => wechatTwin(puppet, twin) }
  const lines = await cover([bot])()
  expect(lines.map((line) => line.replace(/\d+/, 'N'))).toEqual([
    'ok wechat · N forms judged whole',
    'ok wechat · N ways round held',
  ])
  // 37 of wechaty's, one of this puppet's own, three with a message.
  expect(lines[1]).toContain('41 ways')
  expect([arrived, tripped, [troubles.length, logs.length]]).toEqual([[], [], before])
  await channel.stop()
})

test('a method that the installed puppet has and no table names is told', async () => {
  const { channel } = await createRig()
  const named = coverageOf([channel]).map(({ level, text }) => `${level} ${proseText(text)}`)
  expect(named[1]).toMatch(/^ok wechat · \d+ other methods blocked$/)
  expect(named[2]).toBe('warn wechat · new in its library, and blocked: _messageSend')
  await channel.stop()
})
