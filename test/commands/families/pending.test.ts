import { afterEach, describe, expect, test } from 'vitest'
import type { Notice } from '../../../src/core/model/chat/notice.ts'
import { phoneLines } from '../../phone.ts'
import { createBridgeService, textOf, type BridgeService } from '../rig.ts'

let desk: BridgeService | undefined
const begin = async (yaml: string, hasButtons = true): Promise<BridgeService> => {
  desk = await createBridgeService(yaml)
  desk.chat.hasButtons = hasButtons
  for (const file of ['a.sh', 'b.sh']) desk.fixture.write(file, '#!/bin/sh\n')
  return desk
}
afterEach(async () => {
  await desk?.stop()
  desk = undefined
})

const guard =
  '  - {event: on_outbound_message, type: builtin, command: redact_secrets, on_error: block, name: Redact secrets}\n'
const mine = `  - {event: pre_tool_call, command: ./a.sh, matcher: rm, name: Ask before deleting, description: "It asks before rm."}
  - {event: on_stop, command: ./b.sh}
`
const labels = (notice?: Notice): readonly string[] =>
  (notice?.buttons ?? []).flat().map(({ label }) => label)

const withoutHandle = (notice?: Notice): string =>
  textOf(notice ?? []).replaceAll(/\b[346789bcdfghjkmnpqrtvwx]{5}\b/g, 'H')

describe('what waits', () => {
  test('comes one card at a time, and the next takes its place', async () => {
    const { ask, tap } = await begin(`hooks:\n${mine}`)
    const [first] = await ask('/hooks pending')
    expect(withoutHandle(first)).toBe(`H ✗ NOT approved
Ask before deleting
says: It asks before rm.
asked before a tool runs, where its pattern fits
may: block (the tool does not run), ask you, rewrite tool_input, add context
if it fails: goes on and tells you
1 of 2`)
    expect(phoneLines(withoutHandle(first)).length).toBeLessThanOrEqual(10)
    expect(labels(first)).toEqual(['Details', 'Try', 'Not now', '‹', '›'])
    const second = await tap(first, '›')
    expect(second.said.replaces).toBe('m1')
    expect(withoutHandle(second.said)).toMatch(/^H ✗ NOT approved\n\.\/b\.sh\nasked when the agent stops/)
    expect(withoutHandle((await tap(second.said, '›')).said)).toContain('1 of 2')
    expect(withoutHandle((await tap(first, '‹')).said)).toContain('2 of 2')
  })

  test('puts what changed first, and what cannot be approved last, with what to do', async () => {
    const { ask, say, propose, fixture, foreign } = await begin(
      `hooks:\n${mine}  - {event: on_stop, command: no-such-tool}\n  - {event: on_error, command: ./lost.sh}\n`,
    )
    await say('/hooks approve on_stop ./b.sh')
    fixture.write('b.sh', '#!/bin/sh\n# more\n')
    const problem = {
      code: 'program.later',
      message: 'Expected all proposals to be looked at by now.',
      fix: 'Ask again.',
    }
    foreign.push({ kind: 'invalid', event: 'on_stop', command: './c.sh', problem })
    const pages: string[] = []
    for (let page = 1; page <= 5; page++) pages.push(withoutHandle((await ask(`/hooks pending ${page}`))[0]))
    expect(pages[0]).toMatch(/^H changed since approval\n\.\/b\.sh\nthe approved version keeps running\n/)
    expect(pages[1]).toContain('Ask before deleting')
    expect(pages[2]).toMatch(/\.\/lost\.sh\n[^]*⚠ Expected "lost\.sh" to be a regular file/)
    expect(pages[3]).toMatch(
      /^1 hook needs no-such-tool, which is not installed\. Install it for the whole system:\nno-such-tool\n4 of 5$/,
    )
    expect(pages[4]).toMatch(/^1 hook more is still being checked\. [^]*\n\.\/c\.sh\n5 of 5$/)
    expect(withoutHandle((await ask('/hooks pending 99'))[0])).toBe(pages[4])
    expect(await say('/hooks pending all')).toBe('Expected the number of a card, got all.\n→ /hooks pending')
    propose('hooks: []\n')
    foreign.length = 0
    await say('/hooks revoke ./b.sh')
    expect(await say('/hooks pending')).toBe('Nothing waits for you.\n→ /hooks')
  })

  test('begins with the protection where it is proposed', async () => {
    const { ask, tap } = await begin(`hooks:\n${guard}${mine}`)
    const [first] = await ask('/hooks pending')
    expect(withoutHandle(first)).toMatch(/^One tap protects you\.[^]*\n1 of 3$/)
    expect(withoutHandle((await tap(first, '›')).said)).toContain('Ask before deleting')
  })

  test('says in a chat without buttons what to type', async () => {
    const { say } = await begin(`hooks:\n${mine}`, false)
    const handle = (await say('/hooks pending')).slice(0, 5)
    expect(await say('/hooks pending')).toMatch(
      new RegExp(
        `\nall of it:\n→ /hooks show ${handle}\nor, not now:\n→ /n ${handle}\n1 of 2, the next one:\n→ /hooks pending 2$`,
      ),
    )
  })
})

describe('a yes to a hook of a file', () => {
  test('counts after its details were opened, which take the place of the card', async () => {
    const { ask, tap, ports } = await begin(`hooks:\n${mine}`)
    const [card] = await ask('/hooks pending')
    const handle = textOf(card ?? []).slice(0, 5)
    const { said } = await tap(card, 'Details')
    expect(said.replaces).toBe('m1')
    expect(textOf(said)).toMatch(/\nfingerprint [0-9a-f]{16}$/)
    expect(textOf(said).slice(0, 5)).toBe(handle)
    expect(labels(said)).toEqual(['Approve', 'Approve and fail closed', 'Try', 'Shadow', 'Not now'])
    expect(textOf((await tap(said, 'Approve')).said)).toContain('✓ Approved: pre_tool_call')
    expect(ports.rows()[0]?.status).toBe('approved')
  })

  test('is not given by the handle of its short card, which stays the same', async () => {
    const { ask, say, ports } = await begin(`hooks:\n${mine}`)
    const handle = textOf((await ask('/hooks pending'))[0] ?? []).slice(0, 5)
    // Typed twice at once, it changes nothing: the first answer has not left before the second yes.
    expect(await say(`/y ${handle}\n/y ${handle}`)).toMatch(
      /^(?:Nothing was approved\.\nAsk before deleting: you have not seen all of it yet\.\n[^]*\nfingerprint [^]*){2}$/,
    )
    expect(ports.rows()[0]?.status).toBe('waiting')
    expect(await say(`/y ${handle}`)).toContain('✓ Approved')
    // What it names is the same hook, so it keeps its handle. The yes is used up.
    expect(textOf((await ask(`/hooks show ${handle}`))[0] ?? []).slice(0, 5)).toBe(handle)
  })

  test('counts once: after a revoke the same handle shows all of it again', async () => {
    const { say, ports } = await begin(`hooks:\n${mine}`)
    const handle = (await say('/hooks show ./a.sh')).slice(0, 5)
    await say(`/y ${handle}`)
    await say(`/hooks revoke ${handle}`)
    expect(await say(`/y ${handle}`)).toMatch(/^Nothing was approved\./)
    expect(ports.rows()[0]?.status).toBe('waiting')
  })

  test('can make it a shadow with a button', async () => {
    const { ask, tap, ports } = await begin(`hooks:\n${mine}`)
    const [card] = await ask('/hooks show ./a.sh')
    expect(textOf((await tap(card, 'Shadow')).said)).toContain('✓ Shadow: pre_tool_call')
    expect(ports.rows()[0]).toMatchObject({ status: 'approved', isShadow: true })
    const [again] = await ask('/hooks show ./a.sh')
    expect(labels(again)).toEqual(['Promote', 'Try', 'Revoke'])
    expect(textOf((await tap(again, 'Promote')).said)).toContain('✓ Promoted')
  })
})

test('a hook that hookgate ships, unchanged, can be approved on its short card', async () => {
  const { ask, tap, say, chat, ports } = await begin('hooks: []\n')
  await say('/hooks gallery 1')
  const [card] = await ask('/hooks pending')
  expect(withoutHandle(card)).toBe(`H ✗ NOT approved
Ask before sudo
It asks you before a command that takes the rights of another user.
asked before a tool runs
if it fails: blocks`)
  expect(labels(card)).toEqual(['Approve', 'Details', 'Try', 'Not now'])
  await tap(card, 'Approve')
  expect(ports.rows()[0]?.status).toBe('approved')
  await say('/hooks on')
  chat.language = 'zh'
  expect(await say('/hooks')).not.toContain('sudo before')
})

test.each([
  ['', true],
  [', name: Redact secrets', true],
  [', description: It is harmless.', false],
  [', priority: 1', false],
  [', agents: [main]', false],
])('an entry that differs from what hookgate ships needs its details: “%s”', async (more, isOurs) => {
  const { ask } = await begin(
    `hooks:\n  - {event: on_turn_end, type: builtin, command: tell_owner, quiet: "22:00-07:00"${more}}\n`,
  )
  const [card] = await ask('/hooks pending')
  expect(labels(card).includes('Approve')).toBe(isOurs)
  expect(textOf(card ?? []).includes('\nTell when a turn has ended\n')).toBe(isOurs)
})
