import { afterEach, describe, expect, test } from 'vitest'
import { noticeDeadlineMs } from '../../../../src/core/dispatcher/notify/judge.ts'
import { prose } from '../../../../src/core/model/chat/prose.ts'
import { createRig, told, type Rig } from '../rig.ts'

let rig: Rig | undefined
const begin = async (): Promise<Rig> => (rig = await createRig())
afterEach(() => rig?.stop())

describe('with a hook on outbound messages', () => {
  test.each([
    ['warn', 20],
    ['block', 20],
    ['ignore', 20],
    ['warn', 1],
  ] as const)(
    'one that hangs and is set to %s, with a timeout of %i s, keeps a notice for 3 seconds at most, and its quotes are withheld',
    async (onError, seconds) => {
      const rig = await begin()
      await rig.approve('on_outbound_message', 'sleep 60', {
        name: 'sleeper',
        onError,
        timeoutMs: seconds * 1000,
      })
      await rig.on()
      const startedAtMs = performance.now()
      expect(await told(rig, prose`Read ${'one'} and ${'two'} now.`)).toBe(
        '🛡 Read […] and […] now.\n⚠ […]: left out, because sleeper did not judge this notice within 3 s. Ask again when this machine has less to do, or turn hooks off and look:\n→ /hooks off 15m',
      )
      expect(performance.now() - startedAtMs).toBeLessThan(noticeDeadlineMs + 2000)
    },
  )

  test('hooks of others that take every slot do not keep a notice either', async () => {
    const rig = await begin()
    await rig.approve('pre_tool_call', 'sleep 8')
    await rig.approve('on_outbound_message', ':', { name: 'quick' })
    await rig.on()
    for (let count = 0; count < 200; count++)
      void rig.fire('pre_tool_call', { tool_name: 'bash', tool_input: {} })
    const startedAtMs = performance.now()
    expect(await told(rig, prose`Read ${'one'} now.`)).toBe(
      '🛡 Read [withheld by a hook that was too late] now.',
    )
    expect(performance.now() - startedAtMs).toBeLessThan(noticeDeadlineMs + 2000)
  })
})
