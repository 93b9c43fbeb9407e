import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBridgeService, me, textOf, type BridgeService } from '../rig.ts'

const yaml = (...entries: readonly string[]): string =>
  `hooks:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`
const guard = './guard.sh'
const none = { asked: 0, blocked: 0, rewritten: 0, questions: 0, failed: 0, missed: 0 }

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService(yaml('{event: pre_tool_call, command: ./guard.sh}'))
  desk.fixture.write('guard.sh', '#!/bin/sh\necho one\n')
  await desk.say('/hooks on')
})
afterEach(() => desk.stop())

const change = (): string => desk.fixture.write('guard.sh', '#!/bin/sh\necho two\n')
const say = async (word: string): Promise<string> => desk.say(`/hooks ${word} ${await desk.handleOf(guard)}`)
/** Whether each approval in force is a shadow. */
const live = (): readonly boolean[] =>
  [...desk.gatekeeper.state().approvals.values()].map(({ isShadow }) => isShadow === true)

describe('/hooks shadow', () => {
  test('seals the bytes, says what they are, and the list says that it never decides', async () => {
    expect(await say('shadow')).toMatch(
      /^✓ Shadow: pre_tool_call\n {2}\.\/guard\.sh\n {2}if it fails: goes on and tells you \(a shadow only records it\)\n {2}sealed: guard\.sh 19 B[^]*\nFrom the next event, a shadow is asked after the verdict and recorded\. It never decides\.\nWhat it would have done → \/hooks$/,
    )
    expect(live()).toEqual([true])
    expect(await desk.say('/hooks')).toMatch(
      /^Hooks are ON\n~ \w{5} \.\/guard\.sh: since the start: not asked yet$/,
    )
    expect(await desk.say(`/hooks show ${guard}`)).toMatch(/^\w{5} ✓ shadow: asked, never decides /)
    expect(await say('shadow')).toMatch(/^✓ Already a shadow: /)
  })

  test('is refused for what decides, for what cannot be a shadow, and without a hook', async () => {
    desk.propose(
      yaml(
        '{event: pre_tool_call, command: ./guard.sh}',
        '{event: post_tool_call, command: ./audit.sh, async: true}',
        '{event: pre_tool_call, type: builtin, command: budget, limits: {day: {steps: 9}}}',
      ),
    )
    desk.fixture.write('audit.sh', '#!/bin/sh\n')
    await desk.say(`/hooks approve pre_tool_call ${guard}`)
    expect(await desk.say(`/hooks shadow ${guard}`)).toMatch(/did not become a shadow\.\n✗? ?.*decides/)
    expect(await desk.say('/hooks shadow ./audit.sh')).toMatch(/an async hook, which never decides/)
    expect(await desk.say('/hooks shadow builtin: budget')).toMatch(/builtin: budget acts by itself/)
    expect(live()).toEqual([false])
    expect(await desk.say('/hooks shadow')).toBe('Name the hook: /hooks shadow <name>, as /hooks lists it.')
    expect(await desk.say('/hooks promote')).toBe('Name the hook: /hooks promote <name>, as /hooks lists it.')
  })

  test('shows first what changed since the owner saw it', async () => {
    await desk.say(`/hooks show ${guard}`)
    change()
    expect(await desk.say(`/hooks shadow ${guard}`)).toMatch(
      /^Nothing was approved\.\n\.\/guard\.sh is not what you saw\./,
    )
    expect(live()).toEqual([])
    expect(await desk.say(`/hooks shadow ${guard}`)).toMatch(/^✓ Shadow: /)
  })
})

describe('/hooks promote', () => {
  test('makes a shadow decide, by its handle or by the button of its whole card', async () => {
    await say('shadow')
    expect(await say('promote')).toMatch(
      /^✓ Promoted: pre_tool_call\n[^]*\nIt decides from the next event\.$/,
    )
    expect(live()).toEqual([false])
    expect(await say('promote')).toMatch(/is not a shadow: it decides already\.$/)
    await desk.say(`/hooks revoke ${guard}`)
    expect(await say('promote')).toMatch(/is not a shadow, so it cannot be promoted\.$/)

    desk.chat.hasButtons = true
    await say('shadow')
    const [card] = await desk.ask(`/hooks show ${await desk.handleOf(guard)}`)
    const { said } = await desk.tap(card, 'Promote')
    expect(textOf(said)).toMatch(/^✓ Promoted: /)
    expect(live()).toEqual([false])
  })

  test('can make failures block, and an approval of the same bytes does the same as it', async () => {
    await say('shadow')
    const handle = await desk.handleOf(guard)
    expect(await desk.say(`/hooks promote ${handle} closed`)).toMatch(/if it fails: blocks \(your choice\)/)
    expect(desk.gatekeeper.armed().map(({ entry }) => entry.onError)).toEqual(['block'])
    await desk.say(`/hooks revoke ${guard}`)
    await say('shadow')
    expect(await say('approve')).toMatch(/^✓ Approved: /)
    expect(live()).toEqual([false])
    expect(desk.fixture.lines().map((line) => JSON.parse(line).act)).toEqual([
      'genesis',
      'on',
      'approve',
      'promote',
      'revoke',
      'approve',
      'promote',
    ])
  })

  test('is refused when the file has changed, and the new bytes can be a shadow in its place', async () => {
    await say('shadow')
    change()
    expect(await desk.say('/hooks')).toMatch(/\n~ \w{5} \.\/guard\.sh: its file changed\n/)
    const [, handle] =
      /^(\w{5}) shadow, changed since approval\n/.exec(await desk.say('/hooks pending')) ?? []
    expect(await desk.say(`/hooks promote ${handle}`)).toMatch(
      /^Nothing was approved\.\n\.\/guard\.sh is not what you saw\./,
    )
    expect(await say('promote')).toMatch(/was not promoted: its file has changed since it became a shadow\./)
    expect(live()).toEqual([true])
    await say('diff')
    expect(await say('shadow')).toMatch(/^✓ Shadow: /)
    expect(live()).toEqual([true])
    expect(await say('promote')).toMatch(/^✓ Promoted: /)
  })

  test('takes what was sealed when no file proposes it any longer', async () => {
    await say('shadow')
    desk.propose('hooks: []\n')
    const [, handle] = /^~ (\w{5}) .*: no file proposes it any longer$/m.exec(await desk.say('/hooks')) ?? []
    expect(await desk.say(`/hooks promote ${handle}`)).toMatch(/^✓ Promoted: /)
    expect(live()).toEqual([false])
  })

  test('by a name shows first what is sealed, when the owner saw another version that is gone again', async () => {
    await say('shadow')
    change()
    await desk.say(`/hooks show ${await desk.handleOf(guard)}`)
    desk.propose('hooks: []\n')
    expect(await desk.say(`/hooks promote ${guard}`)).toMatch(/^Nothing was approved\.\n/)
    expect(live()).toEqual([true])
    expect(await desk.say(`/hooks promote ${guard}`)).toMatch(/^✓ Promoted: /)
  })

  test('needs an owner in a private chat, as an approval does', async () => {
    await say('shadow')
    const handle = await desk.handleOf(guard)
    const stranger = await desk.say(`/hooks promote ${handle}`, { owner: 'telegram:9', chat: '9' })
    expect(stranger).toMatch(/names nothing now/)
    expect(live()).toEqual([true])
    expect(me).toBe('telegram:7')
  })
})

test('the row tells what the shadow would have done', async () => {
  await say('shadow')
  const [fingerprint = ''] = desk.gatekeeper.state().approvals.keys()
  const wordsFor = async (counts: Partial<typeof none>): Promise<string | undefined> => {
    desk.shadowCounts.set(fingerprint, { ...none, ...counts })
    return /since the start: .*/.exec(await desk.say('/hooks'))?.[0]
  }
  expect(await wordsFor({ asked: 20, blocked: 3, rewritten: 1, questions: 2, failed: 1, missed: 4 })).toBe(
    'since the start: asked 20 · would have blocked 3 · would have rewritten 1 · would have asked you 2 · failed 1 · had no room for 4',
  )
  expect(await wordsFor({ asked: 2 })).toBe('since the start: asked 2 · would have changed nothing')
})

test('/hooks why and /hooks log say that a shadow did not decide', async () => {
  const fingerprint = 'f'.repeat(64)
  desk.record({ event_id: 'e9', outcome: 'allow', hooks: [], missed: 1, shadows: 1, revision: 99 })
  desk.record({
    event_id: 'e9',
    kind: 'shadow',
    outcome: 'would block',
    reason: './guard.sh: too wide',
    hooks: [
      {
        fingerprint,
        label: guard,
        fired: true,
        why: 'matched',
        isShadow: true,
        durationMs: 3,
        answer: { kind: 'block', reason: 'too wide', notes: [] },
      },
    ],
    missed: 2,
    revision: 99,
  })
  const why = await desk.say('/hooks why e9')
  expect(why).toMatch(
    /· a shadow would block\n[^]*because \.\/guard\.sh: too wide\n✗ \.\/guard\.sh is a shadow and did not decide: matched\n {3}its answer: block · 3 ms: too wide\n– 2 more shadows did not match/,
  )
  expect(why).toMatch(/· allowed\n[^]*– 1 shadow got it after the verdict/)
  expect(await desk.say('/hooks log')).toMatch(
    /: a shadow would block\n {3}\.\/guard\.sh: too wide\n {3}→ \/hooks why e9/,
  )
  expect(await desk.say('/hooks log shadows')).toMatch(/: a shadow would block/)
  expect(await desk.say('/hooks log blocked')).toBe('Nothing of that kind has happened yet.')
})
