import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import { sentMessages, tap } from '../permissions/caller.ts'
import { until } from '../plane.ts'
import { claudeCode } from './clients.ts'
import { startRig, type Rig } from './rig.ts'

const done = { text: 'All is said.' }
const deferred = 'tool_deferred'
const handleOf = ({ text }: OutgoingMessage): string => /^🛡 (\w{5}) /.exec(text)?.[1] ?? ''

describe('claude-code', { timeout: 120_000 }, () => {
  let rig: Rig
  let home = ''
  /** The session to go on with, without a prompt. */
  let resumed: string | undefined
  beforeAll(async () => {
    rig = await startRig({
      ...claudeCode,
      prepare: (stage) => void (home = stage.home),
      command: (stage, prompt) =>
        claudeCode
          .command(stage, prompt)
          .flatMap((word) =>
            word !== prompt ? [word] : resumed === undefined ? [prompt] : ['--resume', resumed],
          ),
    })
    expect((await rig.hookgate('install', 'claude-code')).code).toBe(0)
    const settings = join(home, '.claude/settings.json')
    const text = readFileSync(settings, 'utf8')
    const hasty = text.replaceAll(/(PreToolUse .*?--deadline )\d+/g, '$16')
    expect(hasty).not.toBe(text)
    writeFileSync(settings, hasty)
  })
  afterAll(() => rig.stop())

  const leave = async () => {
    resumed = undefined
    const from = sentMessages(rig.plane).length
    const ran = await rig.run({ toolCalls: [claudeCode.shell('touch made # ask-me')] }, done)
    expect(ran.output).toContain(deferred)
    expect(ran.made('made')).toBe(false)
    resumed = (JSON.parse(ran.output.slice(ran.output.indexOf('{'))) as { session_id: string }).session_id
    const words = `Claude Code has stopped waiting. Your answer counts when it is resumed:\nclaude -p --resume ${resumed}`
    return until('the card that stays', () =>
      sentMessages(rig.plane)
        .slice(from)
        .find(({ text }) => text.includes(words)),
    )
  }

  test('a question that nobody answered in time stays; after the yes, the resumed session runs the call at once, and once', async () => {
    tap(rig.plane, await leave(), 'Allow once')
    const ran = await rig.run(done)
    expect(ran.made('made'), ran.output).toBe(true)
  })

  test('after a no it does not run, and the model gets the words', async () => {
    const card = await leave()
    await rig.plane.ask(`/n ${handleOf(card)} use the tests instead`, (text) =>
      text.includes('Denied, with your reason'),
    )
    const ran = await rig.run(done)
    expect(ran.made('made'), ran.output).toBe(false)
    expect(ran.turns[0]?.toolResults[0]?.text).toContain('use the tests instead')
  })

  test('resumed without an answer it asks the same question again, and waits', async () => {
    const [card, from] = [await leave(), sentMessages(rig.plane).length]
    expect((await rig.run(done)).output).toContain(deferred)
    const shown = sentMessages(rig.plane).slice(from)
    expect(shown.map(handleOf)).toEqual(shown.map(() => handleOf(card)))
    expect(shown.at(-1)?.text).toContain('has stopped waiting')
    tap(rig.plane, card, 'Deny')
    expect((await rig.run(done)).made('made')).toBe(false)
  })

  test('two calls in one message are refused as ever: there it does not wait, it runs them', async () => {
    resumed = undefined
    const both = {
      toolCalls: [claudeCode.shell('touch made # ask-me'), claudeCode.shell('touch rewritten # ask-me')],
    }
    // Only what is not streamed comes as one message.
    const ran = await rig.run({ fault: 'status', status: 404 }, both, done)
    expect(ran.output).not.toContain(deferred)
    expect([ran.made('made'), ran.made('rewritten')], ran.output).toEqual([false, false])
    expect(JSON.stringify(ran.turns.map(({ toolResults }) => toolResults)), ran.output).toContain(
      'Nobody answered in time',
    )
  })
})
