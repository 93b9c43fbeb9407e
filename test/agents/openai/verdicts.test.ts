import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { inTurn } from '../../fixtures/model/model.ts'
import type { Said } from '../../fixtures/model/wire.ts'
import { useOpenai } from './rig.ts'

const rig = useOpenai({ maxSteps: 6 })
const turn = (text: string) => rig.gate.turn(text)
const bash = (...commands: readonly string[]): Said => ({
  toolCalls: commands.map((command) => ({ name: 'bash', input: { command } })),
})
const results = (): readonly string[] => rig.model.asked.at(-1)?.toolResults.map(({ text }) => text) ?? []
const lastPrompt = (): string => JSON.stringify(rig.model.asked.at(-1)?.messages)
const nowhere = async (file: string): Promise<void> => {
  await expect(stat(join(rig.gate.workspace, file))).rejects.toThrow('ENOENT')
}
const eventsOf = (fired: readonly { event: string; body: JsonObject }[], event: string) =>
  fired.filter((one) => one.event === event).map(({ body }) => body)

test('A blocked tool does not run; the model is told why, the rest of the batch runs, and the model recovers', async () => {
  rig.gate.script = (event, body) =>
    event === 'pre_tool_call' && JSON.stringify(body).includes('forbidden')
      ? { verdict: 'block', reason: 'rule 7', context: 'Rule 7 allows that on Mondays.' }
      : undefined
  rig.model.follow(
    inTurn(bash('touch forbidden.txt', 'echo allowed > allowed.txt'), { text: 'I left that out.' }),
  )
  const { pushed } = await turn('do both')
  expect(results()).toEqual(['I did not run bash: rule 7\nRule 7 allows that on Mondays.', 'No output.'])
  expect(pushed).toEqual(['I left that out.'])
  await nowhere('forbidden.txt')
  expect(await readFile(join(rig.gate.workspace, 'allowed.txt'), 'utf8')).toBe('allowed\n')
})

test('The rewritten input runs, the rewritten result is what the model sees, and contexts come with it', async () => {
  rig.gate.script = (event): JsonObject | undefined => {
    if (event === 'pre_tool_call')
      return {
        payload: { tool_input: { command: 'echo careful | tee rewritten.txt' } },
        context: 'be gentle',
        notes: ['for the person alone'],
      }
    if (event === 'transform_tool_result')
      return { payload: { tool_result: 'redacted' }, context: 'after', notes: ['for the person alone'] }
    return undefined
  }
  rig.model.follow(inTurn(bash('echo careless > original.txt'), { text: 'done' }))
  await turn('go')
  expect(results()).toEqual(['redacted\nbe gentle\nafter'])
  expect(await readFile(join(rig.gate.workspace, 'rewritten.txt'), 'utf8')).toBe('careful\n')
  await nowhere('original.txt')
  expect(lastPrompt()).not.toContain('for the person alone')
})

test('A block after a tool ends the turn: the rest of the batch does not run and the model learns of it later', async () => {
  rig.onlyAt('post_tool_call', { verdict: 'block', reason: 'enough' })
  rig.model.follow(inTurn(bash('echo 1', 'touch second.txt'), { text: 'I see.' }))
  const { pushed, fired } = await turn('go')
  expect(pushed).toEqual(['bash ran, and then a hook ended the turn: enough'])
  expect(fired.at(-1)?.body).toMatchObject({ reason: 'hook_blocked' })
  await nowhere('second.txt')
  rig.gate.script = () => undefined
  await turn('and now?')
  expect(results()).toEqual([
    'bash ran, and then a hook ended the turn: enough',
    'Not run: the turn ended before this call.',
  ])
})

test('A hook that ends the turn with words for the model leaves those to the model; the person is told its reason', async () => {
  rig.onlyAt('transform_tool_result', { stop_turn: true, reason: 'enough seen', context: 'for the model' })
  rig.model.follow(inTurn(bash('echo output'), { text: 'I see.' }))
  const { pushed, fired } = await turn('go')
  expect(pushed).toEqual(['bash ran, and then a hook ended the turn: enough seen'])
  expect(fired.at(-1)?.body).toMatchObject({ reason: 'hook_blocked' })
  rig.onlyAt('pre_tool_call', {
    verdict: 'block',
    stop_turn: true,
    reason: 'not today',
    context: 'for the model',
  })
  rig.model.follow(inTurn(bash('echo output'), { text: 'I see.' }))
  expect((await turn('again')).pushed).toEqual(['I did not run bash: not today'])
  rig.gate.script = () => undefined
  await turn('and now?')
  expect(lastPrompt()).toMatch(/output\\n\\nfor the model.*not today\\nfor the model/)
})

test('Rewritten messages go into that model call only', async () => {
  let isFirst = true
  rig.gate.script = (event) => {
    if (event !== 'pre_llm_call' || !isFirst) return undefined
    isFirst = false
    return { payload: { messages: [{ role: 'user', content: 'my number is [number]' }] } }
  }
  rig.model.follow(inTurn({ text: 'hello' }))
  await turn('my number is 12345')
  expect(rig.model.asked.at(-1)?.messages).toEqual([{ role: 'user', text: 'my number is [number]' }])
  await turn('and again')
  expect(rig.model.asked.at(-1)?.messages[0]).toEqual({ role: 'user', text: 'my number is 12345' })
})

test('Messages that hooks leave without a call or without a result still make a conversation', async () => {
  rig.onlyAt('pre_llm_call', {
    payload: {
      messages: [
        { role: 'tool', content: 'nobody asked', tool_call_id: 'x' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            { id: 'a', name: 'bash', input: {} },
            { id: 'b', name: 'bash', input: {} },
          ],
        },
        { role: 'tool', content: 'only b', tool_call_id: 'b' },
        { role: 'system', content: 'take care' },
      ],
    },
  })
  rig.model.follow(inTurn({ text: 'hello' }))
  expect((await turn('hi')).pushed).toEqual(['hello'])
  expect(rig.model.asked.at(-1)?.messages.map(({ text }) => text)).toEqual([
    expect.stringContaining('nobody asked'),
    '',
    'The result is not known.',
    'only b',
    expect.stringContaining('take care'),
  ])
})

test('The context of the session lasts, that of a message its turn, that of a call this call', async () => {
  rig.gate.script = (event, body) => {
    const context =
      event === 'pre_llm_call' && body['iteration'] === 1
        ? 'the site is up'
        : { on_session_start: 'it is Monday', on_user_message: 'she is busy' }[event]
    return context === undefined ? undefined : { context }
  }
  rig.model.follow(inTurn(bash('true'), { text: 'ok' }))
  await turn('go')
  const [first, second] = rig.model.asked.slice(-2).map(({ messages }) => JSON.stringify(messages))
  expect(first).toMatch(/it is Monday.*she is busy.*the site is up/)
  expect(second).toMatch(/it is Monday.*she is busy/)
  expect(second).not.toContain('the site is up')
  rig.gate.script = () => undefined
  await turn('again')
  expect(lastPrompt()).toContain('it is Monday')
  expect(lastPrompt()).not.toContain('she is busy')
})

test('A claim that is refused goes back to the model with the reason, and what passes in the end is told', async () => {
  let claims = 0
  rig.gate.script = (event) =>
    event === 'on_completion_claim' && ++claims === 1
      ? { verdict: 'block', reason: 'nothing was published', context: 'publish first' }
      : undefined
  rig.model.follow(
    inTurn({ text: 'I published it.' }, bash('echo published'), {
      toolCalls: [{ name: 'done', input: { summary: 'published' } }],
    }),
  )
  const { pushed, fired } = await turn('publish the site')
  expect(pushed).toEqual(['published'])
  expect(eventsOf(fired, 'on_completion_claim')).toMatchObject([
    { goal: 'publish the site', summary: 'I published it.', tool_names: [], blocked_count: 0 },
    { goal: 'publish the site', summary: 'published', tool_names: ['bash'], blocked_count: 1 },
  ])
  expect(lastPrompt()).toContain(
    'My claim that the task is done was refused: nothing was published\\npublish first\\nThe task is not done yet.',
  )
})

test('The third refusal is an honest end', async () => {
  rig.onlyAt('on_completion_claim', { verdict: 'block', reason: 'it is not there', context: 'for the model' })
  rig.model.follow(
    inTurn(
      { text: 'All done.' },
      { toolCalls: [{ name: 'done', input: { summary: 'really done' } }] },
      { text: 'It is finished, I swear.' },
    ),
  )
  const { pushed, fired } = await turn('publish the site')
  expect(pushed).toEqual([
    'My claim that the task is done was refused: it is not there\nThat was refusal 3 of 3. I stop here, and the task is not done.',
  ])
  expect(fired.at(-1)?.body).toMatchObject({ reason: 'capped', step_count: 3 })
})

test('Talk is no claim, an end after tools is one', async () => {
  rig.model.follow(inTurn({ text: 'Good morning!' }))
  expect(eventsOf((await turn('hi')).fired, 'on_completion_claim')).toEqual([])
  rig.model.follow(inTurn(bash('true'), { text: 'Here you are.' }))
  expect(eventsOf((await turn('look')).fired, 'on_completion_claim')).toMatchObject([
    { summary: 'Here you are.' },
  ])
})

test('A stop that is refused means another round with the reason, at most three a turn', async () => {
  rig.onlyAt('on_stop', { verdict: 'block', reason: 'look again', context: 'at the log' })
  rig.model.follow(inTurn({ text: 'Nothing to see.' }))
  const { pushed, fired } = await turn('look')
  expect(eventsOf(fired, 'on_stop').map((body) => body['stop_hook_active'])).toEqual([
    false,
    true,
    true,
    true,
  ])
  expect(lastPrompt()).toMatch(/look again.*at the log/)
  expect(pushed).toEqual([
    'Nothing to see.\n(Hooks asked me 3 times to continue, and I stop here: look again)',
  ])
})

test('As many model calls as one message gets, and then an honest end that says so', async () => {
  rig.model.follow(() => bash('true'))
  const { pushed, fired, events } = await turn('go on for ever')
  expect(pushed).toEqual([
    'I stopped after 6 steps, which is the limit for one message. I am not finished. Write to me if I should continue.',
  ])
  expect(events.slice(-4)).toEqual(['on_max_iterations', 'on_notification', 'on_stop', 'on_turn_end'])
  expect(eventsOf(fired, 'on_max_iterations')).toMatchObject([{ iterations: 6 }])
  expect(eventsOf(fired, 'on_stop')).toMatchObject([{ stop_reason: 'max_steps' }])
  rig.model.follow(inTurn({ text: 'I go on.' }))
  expect((await turn('go on')).pushed).toEqual(['I go on.'])
})

const withholdsSecret = (more: JsonObject = {}) => {
  rig.gate.replyToPush = (text) => ({
    status: 200,
    body: text.includes('hunter2')
      ? { outcome: 'withheld', reason: 'a password', event_id: 'x', ...more }
      : { outcome: 'delivered', event_id: 'y' },
  })
}

test('A withheld answer goes back to the model with the reason, and its next answer leaves', async () => {
  withholdsSecret()
  rig.model.follow(inTurn({ text: 'It is hunter2' }, { text: 'I cannot say it here.' }))
  const { pushed, fired } = await turn('what is it?')
  expect(pushed).toEqual(['It is hunter2', 'I cannot say it here.'])
  expect(lastPrompt()).toContain('because a hook withheld it: a password')
  expect(eventsOf(fired, 'on_turn_end')).toMatchObject([{ reason: 'normal', step_count: 2 }])
})

test('An answer that is withheld twice is told as such, and the model knows', async () => {
  withholdsSecret()
  rig.model.follow(inTurn({ text: 'It is hunter2' }))
  expect((await turn('what is it?')).pushed).toEqual([
    'It is hunter2',
    'It is hunter2',
    'My message was withheld: a password',
  ])
  rig.model.follow(inTurn({ text: 'ok' }))
  await turn('well?')
  expect(lastPrompt()).toContain('That answer was not sent to the person.')
})

test('Where hookgate told the person already, the agent does not repeat the reason', async () => {
  withholdsSecret({ told: true })
  rig.model.follow(inTurn({ text: 'It is hunter2' }))
  expect((await turn('what is it?')).pushed).toEqual(['It is hunter2', 'It is hunter2'])
  rig.onlyAt('pre_llm_call', { verdict: 'block', reason: 'not now', told: true })
  expect((await turn('and now?')).pushed).toEqual([])
  rig.onlyAt('on_user_message', { verdict: 'block', reason: 'not that', told: true })
  expect((await turn('and then?')).pushed).toEqual([])
})
