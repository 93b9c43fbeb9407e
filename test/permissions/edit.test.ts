import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { editField } from '../../src/commands/cards/calls/editable.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import { begin, seven } from './begin.ts'
import { call, labels, nextCard, opened, sentMessages, send, tap } from './caller.ts'

const edit = { kind: 'edit', field: 'command', text: 'ls -a' } as const
const takesChange = true as const

describe('a yes with a change', () => {
  test('is judged as the changed call, which then needs no second yes; agent and hooks are told', async () => {
    const { fire, settled, answer, fired, records, permissions } = begin({ chats: [seven] })
    const verdict = fire({ takesChange })
    await settled()
    expect(permissions.waiting()[0]).toMatchObject({ takesChange })
    answer(edit)
    const settledVerdict = await verdict
    expect(settledVerdict).toMatchObject({
      verdict: 'allow',
      isConsent: true,
      payload: { tool_input: { command: 'ls -a' } },
      contexts: ['The person changed the argument "command" of this call before it ran. It is now: ls -a'],
    })
    const calls = fired.filter(({ event }) => event === 'pre_tool_call').map(({ fields }) => fields)
    expect(calls).toMatchObject([{ tool_input: { command: 'ls' } }, { tool_input: { command: 'ls -a' } }])
    expect(fired.find(({ event }) => event === 'on_permission_decision')?.fields).toMatchObject({
      tool_input: { command: 'ls -a' },
      decision: 'allow',
      source: 'person',
    })
    expect(records.map(({ reason }) => reason)).toEqual(['bash once with another "command" by telegram:7'])
    expect(permissions.waiting()).toEqual([])
  })

  test('is stopped by a block of the changed call, and the agent is told both', async () => {
    const { fire, settled, answer, hooks } = begin({ chats: [seven] })
    hooks.pre_tool_call = ({ tool_input }) =>
      JSON.stringify(tool_input).includes('-a')
        ? { verdict: 'block', reason: 'not -a', by: 'guard' }
        : { verdict: 'ask', reason: 'it says so', by: 'guard' }
    const verdict = fire({ takesChange })
    await settled()
    answer(edit)
    expect(await verdict).toMatchObject({
      verdict: 'block',
      reason: 'not -a',
      contexts: [expect.stringContaining('It is now: ls -a')],
    })
  })

  test('when a hook rewrites what the person wrote, the person is asked about that', async () => {
    const { fire, settled, answer, hooks, permissions } = begin({ chats: [seven] })
    hooks.pre_tool_call = ({ tool_input }) => ({
      verdict: 'ask',
      reason: 'it says so',
      by: 'guard',
      ...(JSON.stringify(tool_input).includes('-a')
        ? { payload: { tool_input: { command: 'ls --all' } } as never }
        : {}),
    })
    const verdict = fire({ takesChange })
    await settled()
    answer(edit)
    await settled()
    expect(permissions.waiting()).toMatchObject([{ tool_input: { command: 'ls --all' } }])
    answer({ kind: 'deny', words: '' })
    expect((await verdict).verdict).toBe('block')
  })

  test.each([
    ['a caller that cannot take it', {}, edit],
    ['a field that the call does not have', { takesChange }, { ...edit, field: 'cwd' }],
    ['a field of every object', { takesChange }, { ...edit, field: 'toString' }],
  ])('for %s lets nothing run', async (_, more, word) => {
    const { fire, settled, answer } = begin({ chats: [seven] })
    const verdict = fire(more)
    await settled()
    answer(word)
    expect(await verdict).toMatchObject({
      verdict: 'block',
      reason: 'The person changed the call, and its arguments cannot be changed so.',
      payload: { tool_input: { command: 'ls' } },
    })
  })

  test('counts after a restart as well', async () => {
    const first = begin({ chats: [seven] })
    void first.fire({ takesChange })
    await first.settled()
    const second = begin({ chats: [seven], stored: first.stored })
    await second.permissions.restore()
    second.answer(edit)
    expect(await second.fire({ takesChange })).toMatchObject({
      verdict: 'allow',
      payload: { tool_input: { command: 'ls -a' } },
    })
  })
})

test('the argument that can be changed is the usual one, or the only text', () => {
  expect(editField({ command: 'a', description: 'b' })).toBe('command')
  expect(editField({ path: '/a', content: 'b' })).toBe('content')
  expect(editField({ path: '/a', old_text: 'b', new_text: 'c' })).toBe('new_text')
  expect(editField({ question: 'why', count: 1 })).toBe('question')
  expect(editField({ a: 'x', b: 'y' })).toBeUndefined()
  expect(editField({ command: ['ls'] })).toBeUndefined()
  expect(editField({})).toBeUndefined()
})

describe('Edit on a card', () => {
  const askMs = 120_000
  let plane: Plane
  let from = 0
  beforeAll(async () => {
    const home = join(await mkdtemp(join(tmpdir(), 'hookgate-ask-')), 'home')
    await mkdir(home, { recursive: true })
    await writeFile(join(home, 'gate.yaml'), 'agents: {main: {kind: demo, ask: [bash, odd]}}\n')
    plane = { ...(await startPlane(undefined, {}, { HOOKGATE_HOME: home })), home }
  })
  afterAll(async () => {
    await plane.stop()
    await rm(dirname(plane.home), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  })
  beforeEach(() => {
    from = sentMessages(plane).length
  })
  const ask = async (command: string) => {
    const verdict = send(plane, 'pre_tool_call', call('bash', { command }), { askMs })
    return { verdict, card: await nextCard(plane, from, command) }
  }
  const handleOf = (text: string): string => /🛡 (\w{5})/.exec(text)?.[1] ?? ''
  const said = (part: string): Promise<string> =>
    until(part, () =>
      plane
        .texts()
        .slice(from)
        .find((text) => text.includes(part)),
    )

  test('asks for the new text, which a reply gives, over several lines', async () => {
    const { verdict, card } = await ask('make soft')
    tap(plane, await opened(plane, card), 'Edit')
    const prompt = await until('the prompt', () =>
      sentMessages(plane)
        .slice(from)
        .find(({ asksReply }) => asksReply),
    )
    expect(prompt.text).toBe(
      `🛡 Reply to this message with the new command. The call runs with it, unless a hook blocks it. Now it is:\n│ command: make soft\nOr type:\n→ /edit ${handleOf(card.text)} <new text>`,
    )
    plane.say('make hard\nmake harder', { reply_to: prompt.outgoing_id })
    expect((await verdict).body).toMatchObject({
      verdict: 'allow',
      payload: { tool_input: { command: 'make hard\nmake harder' } },
      context: expect.stringContaining('The person changed the argument "command"'),
    })
    await said('Allowed with your change.\n│ command:\n│   make hard\n│   make harder\nmain · bash')
    plane.say('too late', { reply_to: prompt.outgoing_id })
    await said('Nothing was changed: it was already answered. Allowed with your change.')
  })

  test('typed, it takes the text from the line; too long a text and none change nothing', async () => {
    const { verdict, card } = await ask('make typed')
    const handle = handleOf(card.text)
    plane.say(`/edit ${handle}`)
    await said(`Type this with the new text:\n→ /edit ${handle} <new text>`)
    plane.say(`/edit ${handle} ${'x'.repeat(10_001)}`)
    await said('Nothing was changed: the new text has 10001 characters, and at most 10000 are possible.')
    plane.say('/edit zzzzz ls')
    await said('Name the card: type /edit')
    plane.say(`/edit ${handle} make "other" --now`)
    expect((await verdict).body).toMatchObject({
      verdict: 'allow',
      payload: { tool_input: { command: 'make "other" --now' } },
    })
    from = sentMessages(plane).length
    plane.say(`/edit ${handle} again`)
    await said('Nothing was changed: it was already answered.')
  })

  test('is not offered where no single argument is the text', async () => {
    const verdict = send(plane, 'pre_tool_call', call('odd', { a: 'x', b: 'y' }), { askMs })
    const card = await nextCard(plane, from, 'odd')
    const more = await opened(plane, card)
    expect(labels(more)).toContainEqual(['Deny with a reason'])
    plane.say(`/edit ${handleOf(card.text)} z`)
    await said('Nothing was changed: this call cannot be changed.')
    tap(plane, more, 'Deny')
    expect((await verdict).body.verdict).toBe('block')
  })
})
