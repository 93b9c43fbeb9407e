import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import { call, labels, sentMessages, send, tap } from './caller.ts'

const askMs = 120_000
let plane: Plane
let from = 0

beforeAll(async () => {
  const home = join(await mkdtemp(join(tmpdir(), 'hookgate-form-')), 'home')
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'gate.yaml'), 'agents: {main: {kind: demo}}\n')
  plane = { ...(await startPlane('hooks: []\n', {}, { HOOKGATE_HOME: home })), home }
})
afterAll(async () => {
  await plane.stop()
  await rm(dirname(plane.home), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})
beforeEach(() => {
  from = sentMessages(plane).length
})

const database = {
  question: 'Which database?',
  header: 'Database',
  options: [{ label: 'Postgres', description: 'Keeps rows' }, { label: 'SQLite' }],
}
const extras = {
  question: 'Which extras?',
  multiSelect: true,
  options: [{ label: 'Login' }, { label: 'Mail' }],
}

const ask = (questions: readonly object[], more: object = {}, name = 'ask_user') =>
  send(plane, 'pre_tool_call', call(name, { questions, ...more }), { askMs })

/** The newest text of the owner's chat that holds these words. */
const card = (words: string): Promise<OutgoingMessage> =>
  until(`a card with ${words} in ${JSON.stringify(plane.texts().slice(from))}`, () =>
    sentMessages(plane)
      .slice(from)
      .findLast(({ text }) => text.includes(words)),
  )
const handleOf = ({ text }: OutgoingMessage): string => /🛡 (\w{5})/.exec(text)?.[1] ?? ''
const answersIn = ({ body }: Awaited<ReturnType<typeof send>>): unknown =>
  (body.payload?.tool_input as { readonly answers?: unknown } | undefined)?.answers

describe('a question of an agent', () => {
  test('shows its options, and a tap is the answer', async () => {
    const verdict = ask([database])
    const shown = await card('main asks you:')
    expect(shown.text.replace(/at \d.*|until \d.*/, 'T')).toBe(
      `🛡 ${handleOf(shown)} main asks you:\n│ Which database?\n1. Postgres – Keeps rows\n2. SQLite\nin /w\nwaits T`,
    )
    expect(labels(shown)).toEqual([['1', '2'], ['In my own words'], ['Do not answer']])
    tap(plane, shown, '2')
    const { body } = await verdict
    expect(body.verdict).toBe('allow')
    expect(answersIn({ status: 200, body })).toEqual({ 'Which database?': 'SQLite' })
    expect((await card('Answered by you.')).text).toContain(
      'Answered by you. main asked:\n│ Which database?\n  → SQLite\n→ /hooks why',
    )
  })

  test('with several parts shows one after the other, and all answers before they are sent', async () => {
    const verdict = ask([database, extras])
    const first = await card('asks you (1 of 2)')
    tap(plane, first, '1')
    const second = await card('asks you (2 of 2)')
    // A button of an earlier question is none of this one.
    tap(plane, first, '2')
    await card('Nothing was changed: this question is answered already. Look at the card.')
    expect(second.text).toContain('1. Login\n2. Mail\nYou can choose several.')
    tap(plane, second, '2')
    const chosen = await card('☑ 2. Mail')
    expect(labels(chosen)[0]).toEqual(['1', '☑ 2'])
    tap(plane, second, '1')
    await card('☑ 1. Login')
    tap(plane, await card('☑ 1. Login'), 'Done')
    const review = await card('Your answers to main:')
    expect(review.text).toContain('│ Which database?\n  → Postgres\n│ Which extras?\n  → Login, Mail')
    tap(plane, review, 'Start again')
    await until('the first question again', () =>
      sentMessages(plane)
        .slice(from)
        .filter(({ text }) => text.includes('(1 of 2)')).length === 2
        ? true
        : undefined,
    )
    tap(plane, await card('asks you (1 of 2)'), '2')
    await until('the second question again', () =>
      sentMessages(plane).at(-1)?.text.includes('(2 of 2)') === true ? true : undefined,
    )
    plane.say(`/answer ${handleOf(second)} login`)
    await until('all answers', () => sentMessages(plane).at(-1)?.text.includes('Your answers') || undefined)
    tap(plane, await card('Your answers to main:'), 'Send')
    expect(answersIn(await verdict)).toEqual({ 'Which database?': 'SQLite', 'Which extras?': 'Login' })
  })

  test('takes words: as a reply to the card, by its button, and typed', async () => {
    const byReply = ask([database])
    plane.say('MariaDB', { reply_to: (await card('main asks you:')).outgoing_id })
    expect(answersIn(await byReply)).toEqual({ 'Which database?': 'MariaDB' })

    from = sentMessages(plane).length
    const byButton = ask([database])
    tap(plane, await card('main asks you:'), 'In my own words')
    const prompt = await until('the prompt', () =>
      sentMessages(plane)
        .slice(from)
        .find(({ asksReply }) => asksReply),
    )
    plane.say('none', { reply_to: prompt.outgoing_id })
    expect(answersIn(await byButton)).toEqual({ 'Which database?': 'none' })

    from = sentMessages(plane).length
    const typed = ask([database])
    plane.say(`/answer ${handleOf(await card('main asks you:'))} 1`)
    expect(answersIn(await typed)).toEqual({ 'Which database?': 'Postgres' })
  })

  test('that nobody wants to answer is a refusal, with the reason', async () => {
    const verdict = ask([database])
    const shown = await card('main asks you:')
    plane.say(`/y ${handleOf(shown)}`)
    await card('Nothing was changed: this card asks a question.')
    plane.say(`/n ${handleOf(shown)} decide yourself`)
    expect((await verdict).body).toMatchObject({
      verdict: 'block',
      reason: 'The person does not want to answer: decide yourself',
    })
  })

  test('of an answer that an agent wrote itself, nothing counts', async () => {
    const verdict = ask([database], { answers: { 'Which database?': 'Postgres' } })
    tap(plane, await card('main asks you:'), '2')
    expect(answersIn(await verdict)).toEqual({ 'Which database?': 'SQLite' })
  })

  test('of no time for a person is left to the caller, without an answer', async () => {
    const { body } = await send(
      plane,
      'pre_tool_call',
      call('ask_user', { questions: [database], answers: { 'Which database?': 'Postgres' } }),
    )
    expect(body.payload?.tool_input).toEqual({ questions: [database] })
    expect(body.verdict).toBe('allow')
    expect(plane.texts().slice(from).join()).not.toContain('asks you')
  })

  test('is the agent’s own text: it cannot look like a card, and a handle in it is nothing', async () => {
    const verdict = ask([
      { question: 'Which?\n🛡 abcde May main use bash?\n→ /y abcde', options: ['🛡 Allow', 'b\nc'] },
    ])
    const shown = await card('main asks you:')
    for (const line of shown.text.split('\n').slice(1))
      expect(line).toMatch(/^(?:│ |1\. ⟪|2\. b c|in \/w|waits )/)
    tap(plane, shown, 'Do not answer')
    expect((await verdict).body.verdict).toBe('block')
  })

  test('the question tool of hookgate’s own agents waits for a tap, and the tap is the result', async () => {
    plane.say('ask Which colour? | red | blue')
    const shown = await card('main asks you:')
    expect(shown.text).toContain('│ Which colour?\n1. red\n2. blue')
    expect(shown.text).not.toContain('\nin ')
    tap(plane, shown, '2')
    await until('the answer', () =>
      plane
        .texts()
        .slice(from)
        .find((text) => text === 'The person answered: blue'),
    )
  })
})

describe('what an agent waits for', () => {
  const wait = (questions: readonly object[] | undefined, prompt = 'Sign up') =>
    send(plane, 'on_user_input', { prompt, ...(questions === undefined ? {} : { questions }) }, { askMs })

  test('is asked field by field, and its answers have their types', async () => {
    const verdict = wait([
      { name: 'age', question: 'Your age?', type: 'integer', required: true },
      {
        name: 'news',
        question: 'Newsletter?',
        options: [
          { label: 'Yes', value: true },
          { label: 'No', value: false },
        ],
      },
    ])
    const first = await card('(1 of 2)')
    expect(first.text).toContain('│ Sign up\n│ Your age?\nThe answer is a number.')
    plane.say(`/answer ${handleOf(first)} many`)
    await card('Nothing was changed: the answer has to be a whole number.')
    plane.say(`/answer ${handleOf(first)} 41`)
    tap(plane, await card('(2 of 2)'), '2')
    tap(plane, await card('Your answers'), 'Send')
    expect((await verdict).body.payload).toMatchObject({ answers: { age: 41, news: false } })
  })

  test('without questions only a yes is asked for', async () => {
    const verdict = wait([], 'Ready?')
    const shown = await card('Ready?')
    expect(labels(shown)).toEqual([['Yes'], ['Do not answer']])
    tap(plane, shown, 'Yes')
    expect((await verdict).body.payload).toMatchObject({ answers: {} })
    const forged = { prompt: 'Ready?', answers: { ready: 'yes' } }
    expect((await send(plane, 'on_user_input', forged)).body.payload).not.toHaveProperty('answers')
  })
})

describe('hostile questions', () => {
  test('with another answer behind an option, or under another name: the card shows what is sent', async () => {
    const options = [{ label: 'No, never', value: 'Yes, delete them' }, { label: 'Later' }]
    const verdict = ask([{ id: 'delete-all', question: 'Delete the backups?', options }])
    const shown = await card('Delete the backups?')
    expect(shown.text).toContain(
      '1. No, never → Yes, delete them\n2. Later\nThe agent gets the answer as delete-all.\n',
    )
    tap(plane, shown, '1')
    expect(answersIn(await verdict)).toEqual({ 'delete-all': 'Yes, delete them' })
  })

  test('ten thousand at once: 32 wait, a few are shown, the others are left to the caller, and /hooks off is quick', async () => {
    const all = Array.from({ length: 10_000 }, (_, at) => ({ question: `Q${at}`, options: ['A'] }))
    const inOne = (questions: readonly object[]) =>
      send(plane, 'pre_tool_call', call('ask_user', { questions }), { askMs })
    expect((await inOne(all)).status).toBe(413)
    expect((await inOne(all.slice(0, 1000))).body.verdict).toBe('allow')
    const stop = new AbortController()
    let answered = 0
    const waiting = Array.from({ length: 200 }, (_, at) =>
      send(plane, 'pre_tool_call', call('ask_user', { question: `Wave ${at}?` }), {
        askMs,
        signal: stop.signal,
      }).then(
        () => void answered++,
        () => undefined,
      ),
    )
    await until('all but 32 to be answered', () => (answered === 168 ? true : undefined))
    await plane.ask('/hooks off', (text) => text.includes('Hooks are OFF'))
    stop.abort()
    await Promise.all(waiting)
    // The gate sees the end of a call a moment after its caller.
    await until('no call to wait', async () =>
      (await plane.ask('/asks', (text) => /tool calls? wait|Answer some/.test(text))).includes(
        'No tool call',
      ),
    )
    expect(
      plane
        .texts()
        .slice(from)
        .filter((text) => text.includes('asks you')).length,
    ).toBeLessThan(32)
  })
})
