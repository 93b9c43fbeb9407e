import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import type { AskedModel } from '../../fixtures/model/model.ts'
import type { Reply } from '../../fixtures/model/wire.ts'
import { numberIn, waitUntilGone } from '../scripted-gate.ts'
import { useOpenai } from './rig.ts'

const rig = useOpenai()
const isSub = ({ system }: Pick<AskedModel, 'system'>): boolean =>
  system.includes('You are a subagent of the agent')
const start: Reply = {
  toolCalls: [{ name: 'subagent', input: { task: 'count the files', name: 'counter' } }],
}

/** The main agent delegates once and then repeats what it was given; the subagent does as it is told. */
const follow = (sub: (results: readonly string[]) => Reply): void =>
  rig.model.follow((asked) => {
    const results = asked.toolResults.map(({ text }) => text)
    if (isSub(asked)) return sub(results)
    return results.length === 0 ? start : { text: `I was told: ${results.join()}` }
  })

test('A subagent works in a session of its own with the same tools, and its answer is the result', async () => {
  follow((results) =>
    results.length === 0
      ? { toolCalls: [{ name: 'bash', input: { command: 'echo 42' } }] }
      : { text: `There are ${results.join().trim()} files.` },
  )
  const { fired, pushed } = await rig.gate.turn('how many?')
  expect(pushed).toEqual(['I was told: There are 42 files.'])
  const main = fired.find(({ event }) => event === 'on_user_message')?.body['session_id']
  const inside = fired.filter(({ body }) => body['parent_session_id'] === main)
  expect(inside.map(({ event }) => event)).toEqual([
    'on_subagent_start',
    'pre_llm_call',
    'post_llm_call',
    'pre_tool_call',
    'post_tool_call',
    'transform_tool_result',
    'on_step_end',
    'pre_llm_call',
    'post_llm_call',
    'on_step_end',
    'on_subagent_stop',
  ])
  expect(inside[0]?.body).toMatchObject({
    subagent_name: 'counter',
    subagent_type: 'general',
    task_description: 'count the files',
  })
  expect(new Set(inside.map(({ body }) => body['session_id'])).size).toBe(1)
  expect(inside[0]?.body['session_id']).not.toBe(main)
  const [away, back] = fired.filter(({ event }) => event === 'on_agent_switch')
  expect(away?.body).toMatchObject({
    session_id: main,
    from_agent: 'main',
    to_agent: 'counter',
    kind: 'transfer_task',
  })
  expect(back?.body).toMatchObject({
    session_id: main,
    from_agent: 'counter',
    to_agent: 'main',
    kind: 'transfer_task_return',
  })
  const asked = rig.model.asked.findLast(isSub)
  expect(asked?.messages[0]).toEqual({ role: 'user', text: 'count the files' })
  expect(asked?.toolNames).toContain('bash')
  expect(asked?.toolNames).not.toContain('subagent')
  // What it did counts when the agent claims that it is done.
  expect(fired.find(({ event }) => event === 'on_completion_claim')?.body['tool_names']).toEqual([
    'bash',
    'subagent',
  ])
})

test('A hook may forbid a subagent, tell it something, or not be content with its end', async () => {
  follow(() => ({ text: 'forty-two' }))
  rig.onlyAt('on_subagent_start', { verdict: 'block', reason: 'no helpers' })
  const asked = rig.model.asked.length
  const { events, pushed } = await rig.gate.turn('how many?')
  expect(pushed).toEqual(['I was told: Failed: no subagent was started: no helpers'])
  expect(events).not.toContain('on_agent_switch')
  expect(rig.model.asked.slice(asked).some(isSub)).toBe(false)

  let isFirst = true
  rig.gate.script = (event): JsonObject | undefined => {
    if (event === 'on_subagent_start') return { context: 'count only text' }
    if (event !== 'on_subagent_stop' || !isFirst) return undefined
    isFirst = false
    return { verdict: 'block', reason: 'count again' }
  }
  rig.gate.send({ type: 'new', channel: 'web', chat_id: 'main' })
  await rig.gate.turn('how many?')
  const last = JSON.stringify(rig.model.asked.findLast(isSub)?.messages)
  expect(last).toContain('count only text')
  expect(last).toContain('count again')
})

test('A subagent that does not end is ended, and a model that fails it is a failed tool', async () => {
  follow(() => ({ toolCalls: [{ name: 'bash', input: { command: 'true' } }] }))
  const endless = await rig.gate.turn('how many?')
  expect(endless.pushed).toEqual([
    expect.stringContaining('the subagent stopped after 8 steps and is not finished'),
  ])
  expect(endless.events).toContain('on_max_iterations')
  rig.gate.send({ type: 'new', channel: 'web', chat_id: 'main' })
  follow(() => ({ fault: 'status', status: 400, body: '{"error":{"message":"no"}}' }))
  const failed = await rig.gate.turn('how many?')
  expect(failed.pushed).toEqual([expect.stringContaining('rejected my request (400)')])
  expect(failed.events.filter((event) => event === 'on_subagent_stop')).toHaveLength(1)
  expect(rig.gate.fired.findLast(({ event }) => event === 'on_agent_switch')?.body['kind']).toBe(
    'transfer_task_return',
  )
  expect(rig.gate.fired.at(-1)?.body).toMatchObject({ reason: 'normal' })
})

test('A hook that keeps a subagent from thinking ends it, and a stop ends it with its tools; its end is told each time', async () => {
  follow(() => ({ toolCalls: [{ name: 'bash', input: { command: 'echo $$ > sub.pid; sleep 60' } }] }))
  rig.gate.script = (event, body) =>
    event === 'pre_llm_call' && 'parent_session_id' in body
      ? { verdict: 'block', reason: 'not for helpers' }
      : undefined
  const blocked = await rig.gate.turn('how many?')
  expect(blocked.pushed).toEqual([
    'I was told: Failed: A hook blocked the request to the model: not for helpers',
  ])
  expect(blocked.fired.find(({ event }) => event === 'on_subagent_stop')?.body).toMatchObject({
    subagent_name: 'counter',
    response: 'A hook blocked the request to the model: not for helpers',
  })
  rig.gate.script = () => undefined
  rig.gate.send({ type: 'new', channel: 'web', chat_id: 'main' })
  const from = rig.gate.fired.length
  const prompt = rig.gate.prompt('how many?')
  const pid = await numberIn(join(rig.gate.workspace, 'sub.pid'))
  rig.gate.send({ type: 'cancel', channel: 'web', chat_id: 'main' })
  await rig.gate.ended(prompt)
  await waitUntilGone(pid)
  expect(rig.gate.pushed.at(-1)).toBe('Stopped.')
  expect(
    rig.gate.fired
      .slice(from)
      .map(({ event }) => event)
      .slice(-5),
  ).toEqual(['on_step_end', 'on_subagent_stop', 'on_agent_switch', 'on_step_end', 'on_turn_end'])
})
