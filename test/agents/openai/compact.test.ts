import { expect, test } from 'vitest'
import type { Fired } from '../scripted-gate.ts'
import { useOpenai } from './rig.ts'
import { untilFollowed } from '../scripted-gate.ts'

const rig = useOpenai({ contextTokens: 8000 })
const turn = (text: string) => rig.gate.turn(text)
const here = { channel: 'web', chat_id: 'main' }
const long = 'a long story '.repeat(2100)
const isSummarizing = (asked: { readonly system: string }): boolean =>
  asked.system.startsWith('You summarize')
const bodyOf = (fired: readonly Fired[], event: string) => fired.find((one) => one.event === event)?.body

/** Answers anything, and summarizes with these words. */
const follow = (summary = 'They told a story about a fox.'): void =>
  rig.model.follow((asked) => ({ text: asked.system.startsWith('You summarize') ? summary : 'I hear.' }))

test("A conversation near the model's limit is summarized by the model; the last message stays as it is", async () => {
  follow()
  await turn(long)
  const { fired, events, pushed } = await turn('and then?')
  expect(events.slice(0, 6)).toEqual([
    'on_user_message',
    'pre_compact',
    'pre_llm_call',
    'post_llm_call',
    'on_session_start',
    'post_compact',
  ])
  const before = bodyOf(fired, 'pre_compact')
  expect(before).toMatchObject({
    source: 'auto',
    context_limit: 8000,
    summary: '',
    reason: expect.stringMatching(/ of 8000 tokens$/),
    // Those of the last answer, as the model counted them.
    output_tokens: 5,
  })
  expect(bodyOf(fired, 'post_compact')).toMatchObject({
    source: 'auto',
    summary: 'They told a story about a fox.',
    input_tokens: before?.['input_tokens'],
    output_tokens: 5,
  })
  const [summarizing, going] = rig.model.asked.slice(-2)
  expect(summarizing?.messages[0]?.text).toContain('a long story')
  expect(summarizing?.toolNames).toEqual([])
  expect(going?.messages).toEqual([
    { role: 'user', text: expect.stringMatching(/They told a story about a fox\.\n\nand then\?$/) },
  ])
  expect(pushed).toEqual(['I hear.'])
})

test('A hook may write the summary itself, give the model a hint for it, or forbid it', async () => {
  follow()
  await turn(long)
  rig.onlyAt('pre_compact', { payload: { summary: 'by the hook' } })
  await turn('and then?')
  expect(
    rig.model.asked.filter((asked) => isSummarizing(asked) && asked.index > rig.model.asked.length - 3),
  ).toEqual([])
  expect(JSON.stringify(rig.model.asked.at(-1)?.messages)).toContain('by the hook')

  await turn(long)
  rig.onlyAt('pre_compact', { context: 'keep the names' })
  await turn('and then?')
  expect(rig.model.asked.findLast(isSummarizing)?.messages[0]?.text).toContain('keep the names')

  await turn(long)
  rig.onlyAt('pre_compact', { verdict: 'block', reason: 'no' })
  const { events } = await turn('and then?')
  expect(events).not.toContain('post_compact')
  expect(JSON.stringify(rig.model.asked.at(-1)?.messages)).toContain('a long story')
})

test('A model that finds the conversation too long gets it compacted once, and answers', async () => {
  follow()
  await turn('before')
  let isFull = true
  rig.model.follow((asked) => {
    if (isSummarizing(asked)) return { text: 'short' }
    if (!isFull) return { text: 'now I can' }
    isFull = false
    return {
      fault: 'status',
      status: 400,
      body: '{"error":{"message":"This model\'s maximum context length is 10 tokens."}}',
    }
  })
  const { fired, pushed } = await turn('hi')
  expect(pushed).toEqual(['now I can'])
  expect(bodyOf(fired, 'pre_compact')).toMatchObject({ source: 'overflow' })
  rig.model.follow(() => ({
    fault: 'status',
    status: 400,
    body: '{"error":{"code":"context_length_exceeded","message":"too long"}}',
  }))
  expect((await turn('again')).pushed).toEqual([expect.stringContaining('rejected my request (400)')])
})

test('A model that takes less than it is said to is shown a part of the conversation, and its summary stands for all of it', async () => {
  rig.gate.send({ type: 'new', ...here })
  // A token a character, as in Chinese, and no usage is told.
  let room = Number.POSITIVE_INFINITY
  rig.model.follow((asked) => {
    if (asked.messages.reduce((sum, { text }) => sum + text.length, 0) > room)
      return {
        fault: 'status',
        status: 400,
        body: '{"error":{"message":"This exceeds the available context size."}}',
      }
    return { text: isSummarizing(asked) ? '狐狸' : '好', usage: { input: 0, output: 0 } }
  })
  for (let at = 0; at < 7; at++) await turn('从前有一只狐狸。'.repeat(80))
  room = 3000
  const { fired, pushed } = await turn('后来呢？')
  expect(pushed).toEqual(['好'])
  expect(bodyOf(fired, 'post_compact')).toMatchObject({ source: 'overflow', summary: '狐狸' })
})

test('A failure of another kind compacts nothing', async () => {
  follow()
  await turn('before')
  rig.model.follow(() => ({ fault: 'status', status: 400, body: '{"error":{"message":"bad temperature"}}' }))
  expect((await turn('hi')).events).not.toContain('pre_compact')
})

test('A long turn of tools is compacted on its way, and goes on', async () => {
  let calls = 0
  rig.model.follow((asked) => {
    if (asked.system.startsWith('You summarize')) return { text: `called ${calls} times` }
    return ++calls < 12
      ? {
          toolCalls: [
            { name: 'bash', input: { command: `echo ${calls}; head -c 6000 /dev/zero | tr '\\0' x` } },
          ],
        }
      : { text: 'I hear.' }
  })
  const { events, pushed } = await turn('work')
  expect(events.filter((event) => event === 'post_compact').length).toBeGreaterThan(0)
  expect(pushed).toEqual([expect.stringMatching(/^I (?:hear|stopped)/)])
  expect(
    rig.model.asked
      .slice(-3)
      .some(({ messages }) => JSON.stringify(messages).includes('The summary says what is done')),
  ).toBe(true)
})

/** What the agent says to /compact, and what it fired. */
const compacted = async () => {
  await untilFollowed(rig.gate)
  const [from, said] = [rig.gate.fired.length, rig.gate.pushed.length]
  rig.gate.send({ type: 'compact', ...here })
  await expect.poll(() => rig.gate.pushed.length).toBe(said + 1)
  return { said: rig.gate.pushed.at(-1), fired: rig.gate.fired.slice(from) }
}

test('/compact compacts at once and says how much is kept; what the person said before is then a summary', async () => {
  follow()
  expect((await compacted()).said).toBe('I compacted nothing: the conversation is too short.')
  await turn('a short story')
  const { said, fired } = await compacted()
  expect(said).toMatch(/^I compacted our conversation from about \d+ tokens to about \d+\.$/)
  expect(fired.map(({ event }) => event)).toEqual([
    'pre_compact',
    'pre_llm_call',
    'post_llm_call',
    'on_session_start',
    'post_compact',
  ])
  expect(bodyOf(fired, 'on_session_start')).toMatchObject({ source: 'compact', status: 'started' })
  expect(bodyOf(fired, 'pre_compact')).toMatchObject({ source: 'manual', reason: 'the person asked for it' })
  expect(bodyOf(fired, 'post_compact')).toMatchObject({
    source: 'manual',
    summary: 'They told a story about a fox.',
  })
  expect((await compacted()).said).toBe('I compacted nothing: the conversation is too short.')
  await turn('and then?')
  expect(rig.model.asked.at(-1)?.messages).toEqual([
    { role: 'user', text: expect.stringMatching(/about a fox\.\n\nand then\?$/) },
  ])
})

test('A model that gives no summary takes nothing away, and a hook that refuses the compacted session neither', async () => {
  rig.model.follow((asked) =>
    isSummarizing(asked) ? { toolCalls: [{ name: 'bash', input: { command: 'ls' } }] } : { text: 'I hear.' },
  )
  await turn('a short story')
  expect((await compacted()).said).toBe('I compacted nothing: the model gave no summary.')
  follow()
  rig.onlyAt('on_session_start', { verdict: 'block', reason: 'not so' })
  const refused = await compacted()
  expect(refused.said).toBe('I compacted nothing: not so.')
  expect(refused.fired.map(({ event }) => event)).not.toContain('post_compact')
  await turn('and then?')
  expect(JSON.stringify(rig.model.asked.at(-1)?.messages)).toContain('a short story')
})

test('What a hook says to a compacted session takes the place of what it said at its start', async () => {
  follow()
  rig.onlyAt('on_session_start', { context: 'at the start' })
  await turn('a short story')
  rig.onlyAt('on_session_start', { context: 'after compacting' })
  await compacted()
  await turn('and then?')
  const last = JSON.stringify(rig.model.asked.at(-1)?.messages)
  expect([last.includes('after compacting'), last.includes('at the start')]).toEqual([true, false])
})

test('What a hook says to /compact counts, and a model that fails it is told about; the conversation stays', async () => {
  follow()
  await turn('a short story')
  rig.onlyAt('pre_compact', { verdict: 'block', reason: 'not this one' })
  const blocked = await compacted()
  expect(blocked.said).toBe('I compacted nothing: not this one.')
  expect(blocked.fired).toHaveLength(1)
  rig.gate.script = () => undefined
  rig.model.follow(() => ({ fault: 'status', status: 400, body: '{"error":{"message":"no"}}' }))
  expect((await compacted()).said).toContain('rejected my request (400)')
  follow()
  await turn('and then?')
  expect(JSON.stringify(rig.model.asked.at(-1)?.messages)).toContain('a short story')
})

test('/compact waits for the turn that runs, and /stop ends it as well', async () => {
  let isAsked = false
  rig.model.follow((asked) => {
    isAsked = isSummarizing(asked)
    return isAsked ? { fault: 'silence' } : { text: 'I hear.' }
  })
  const prompt = rig.gate.prompt('a short story')
  const from = rig.gate.pushed.length
  rig.gate.send({ type: 'compact', ...here })
  await rig.gate.ended(prompt)
  await expect.poll(() => isAsked).toBe(true)
  rig.gate.send({ type: 'cancel', ...here })
  await expect.poll(() => rig.gate.pushed.slice(from)).toEqual(['I hear.', 'Stopped.'])
})
