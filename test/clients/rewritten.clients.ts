import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sentMessages, tap } from '../permissions/caller.ts'
import { until } from '../plane.ts'
import { claudeCode } from './clients.ts'
import { startRig, type Rig } from './rig.ts'

const done = { text: 'All is said.' }
const publish = { toolCalls: [claudeCode.shell('touch made # rewrite-me')] } as const

// Nothing is permitted beforehand, so that it has to ask about whatever no hook consented to.
describe('Claude Code, a hook rewrites the call and consents to nothing', { timeout: 120_000 }, () => {
  let rig: Rig
  beforeAll(async () => {
    const command: typeof claudeCode.command = (stage, prompt) =>
      claudeCode.command(stage, prompt).filter((word) => word !== '--allowedTools' && word !== 'Bash')
    rig = await startRig({ ...claudeCode, command })
    expect((await rig.hookgate('install', 'claude-code')).code).toBe(0)
  })
  afterAll(() => rig.stop())

  test.each([
    ['Allow once', true],
    ['Deny', false],
  ] as const)('its own question comes to the owner with the rewritten call: %s', async (word, runs) => {
    const from = sentMessages(rig.plane).length
    const running = rig.run(publish, done)
    const isQuestion = ({ text }: { readonly text: string }): boolean =>
      text.includes('command: touch rewritten')
    const card = await until(
      'the question',
      () => sentMessages(rig.plane).slice(from).find(isQuestion),
      60_000,
    )
    tap(rig.plane, card, word)
    const ran = await running
    expect([ran.made('made'), ran.made('rewritten')], ran.output).toEqual([false, runs])
  })
})
