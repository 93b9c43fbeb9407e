import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import { createScriptedGate, delivered, type ScriptedGate } from './scripted-gate.ts'

let gate: ScriptedGate
beforeAll(async () => {
  gate = await createScriptedGate()
  gate.startHost()
})
afterAll(() => gate.close())
beforeEach(() => {
  gate.script = () => undefined
  gate.replyToPush = () => delivered
  if (gate.isFollowed()) gate.send({ type: 'new', channel: 'web', chat_id: 'main' })
})

/** Says one thing to one event and allows the rest. */
const onlyAt = (event: string, said: JsonObject): void => {
  gate.script = (fired) => (fired === event ? said : undefined)
}
const block = { verdict: 'block', reason: 'rule 7' }
const nowhere = async (file: string): Promise<void> => {
  await expect(stat(join(gate.workspace, file))).rejects.toThrow('ENOENT')
}
const reasonOf = (fired: readonly { event: string; body: JsonObject }[]): unknown =>
  fired.findLast(({ event }) => event === 'on_turn_end')?.body['reason']

test('A blocked session does not begin: the reason is told, and the next message tries again', async () => {
  onlyAt('on_session_start', block)
  const refused = await gate.turn('!touch session.txt')
  expect(refused.events.filter((event) => event !== 'on_session_end')).toEqual([
    'on_session_start',
    'on_turn_end',
  ])
  expect(refused.pushed).toEqual(['I could not start a session: rule 7'])
  expect(reasonOf(refused.fired)).toBe('hook_blocked')
  await nowhere('session.txt')
  gate.script = () => undefined
  expect((await gate.turn('say back')).events).toContain('on_session_start')
})

test('A blocked message does not reach the agent, and the reason is told', async () => {
  onlyAt('on_user_message', block)
  const { events, pushed } = await gate.turn('!touch message.txt')
  expect(events.slice(-2)).toEqual(['on_user_message', 'on_turn_end'])
  expect(pushed).toEqual(['Your message was blocked and did not reach me: rule 7'])
  await nowhere('message.txt')
})

test('The agent works on the message as it was rewritten', async () => {
  onlyAt('on_user_message', { payload: { message: 'say the rewritten' } })
  expect((await gate.turn('say the original')).pushed).toEqual(['the rewritten'])
})

test('A blocked model call is told, and nothing comes of it', async () => {
  onlyAt('pre_llm_call', block)
  const { events, pushed, fired } = await gate.turn('!touch model.txt')
  expect(events.slice(-3)).toEqual(['pre_llm_call', 'on_step_end', 'on_turn_end'])
  expect(fired.at(-2)?.body).toMatchObject({ reason: 'hook_blocked' })
  expect(pushed).toEqual([expect.stringContaining('rule 7')])
  await nowhere('model.txt')
})

test('The model call works on the messages as they were rewritten', async () => {
  onlyAt('pre_llm_call', { payload: { messages: [{ role: 'user', content: 'say from the hook' }] } })
  expect((await gate.turn('say mine')).pushed).toEqual(['from the hook'])
})

test('Contexts of the session, the message and the model call are all known to the agent', async () => {
  gate.script = (event) => {
    const context = {
      on_session_start: 'it is Monday',
      on_user_message: 'she is busy',
      pre_llm_call: 'the site is up',
    }[event]
    return context === undefined ? undefined : { context }
  }
  const [answer] = (await gate.turn('context')).pushed
  expect(answer).toMatch(/it is Monday\n.*she is busy\n.*the site is up/)
  gate.script = () => undefined
  expect((await gate.turn('context')).pushed).toEqual([
    expect.stringMatching(/^This turn I was told:\n– it is Monday$/),
  ])
})

test.each(['block', 'ask'])('A tool does not run on %s, and the reason is the answer', async (verdict) => {
  onlyAt('pre_tool_call', { verdict, reason: 'rule 7' })
  const { events, pushed, fired } = await gate.turn('!touch tool.txt')
  expect(events).not.toContain('post_tool_call')
  expect(pushed).toEqual(['I did not run bash: rule 7'])
  expect(fired.find(({ event }) => event === 'on_stop')?.body).toMatchObject({
    stop_reason: 'tool_rejected',
    tool_names: [],
  })
  await nowhere('tool.txt')
})

test('The tool input that runs is the one that was rewritten', async () => {
  onlyAt('pre_tool_call', { payload: { tool_input: { command: 'echo careful > rewritten.txt' } } })
  const { fired } = await gate.turn('!echo careless > original.txt')
  expect(await readFile(join(gate.workspace, 'rewritten.txt'), 'utf8')).toBe('careful\n')
  await nowhere('original.txt')
  expect(fired.find(({ event }) => event === 'post_tool_call')?.body).toMatchObject({
    tool_input: { command: 'echo careful > rewritten.txt' },
  })
})

test('A tool result is shown as it was rewritten, with the contexts of its hooks', async () => {
  gate.script = (event): JsonObject | undefined => {
    if (event === 'pre_tool_call') return { context: 'before' }
    return event === 'transform_tool_result'
      ? { payload: { tool_result: 'redacted' }, context: 'after' }
      : undefined
  }
  expect((await gate.turn('!echo secret')).pushed).toEqual(['redacted\nbefore\nafter'])
})

test('A block after a tool ends the turn without its result', async () => {
  onlyAt('post_tool_call', block)
  const { events, pushed, fired } = await gate.turn('!echo secret')
  expect(events.slice(-3)).toEqual(['post_tool_call', 'on_step_end', 'on_turn_end'])
  expect(pushed).toEqual(['bash ran, and then a hook ended the turn: rule 7'])
  expect(reasonOf(fired)).toBe('hook_blocked')
})

test('A block that hookgate told the person is not repeated by the agent', async () => {
  gate.script = (event) =>
    event === 'pre_tool_call' ? { verdict: 'block', reason: 'rule 7', told: true } : undefined
  expect((await gate.turn('!touch x.txt')).pushed).toEqual(['I did not run bash.'])
  gate.script = (event) =>
    event === 'post_tool_call' ? { verdict: 'block', reason: 'rule 8', told: true } : undefined
  expect((await gate.turn('!touch x.txt')).pushed).toEqual(['bash ran, and then a hook ended the turn.'])
  gate.script = () => undefined
  expect((await gate.turn('!echo hello')).pushed.join()).toContain('hello')
})

test('A stop that is refused means another round, at most three a turn, and then an honest end', async () => {
  onlyAt('on_stop', block)
  const { fired, pushed } = await gate.turn('!echo once >> rounds.txt; cat rounds.txt')
  const stops = fired.filter(({ event }) => event === 'on_stop').map(({ body }) => body['stop_hook_active'])
  expect(stops).toEqual([false, true, true, true])
  expect(pushed).toEqual([
    expect.stringMatching(/^once\n+\(Hooks asked me 3 times to continue, and I stop here: rule 7\)$/),
  ])
})

test('A withheld message is told once, and that is not told again when it is withheld too', async () => {
  gate.replyToPush = () => ({
    status: 200,
    body: { outcome: 'withheld', reason: 'no secrets', event_id: 'x' },
  })
  expect((await gate.turn('say secret')).pushed).toEqual(['secret', 'My message was withheld: no secrets'])
})

test('A gate that refuses or fails is a block, not a way round it', async () => {
  gate.script = (event) => {
    if (event === 'pre_tool_call') throw new Error('the gate is broken')
    return undefined
  }
  const { pushed } = await gate.turn('!touch fault.txt')
  expect(pushed).toEqual([expect.stringContaining('the gate refused the request')])
  await nowhere('fault.txt')
})

test('A result that no hook could look through is held back', async () => {
  gate.script = (event) => {
    if (event === 'transform_tool_result') throw new Error('the gate is broken')
    return undefined
  }
  const { pushed } = await gate.turn('!echo secret')
  expect(pushed).toEqual([expect.stringContaining('a hook withheld its result')])
  expect(pushed.join()).not.toContain('secret')
})
