import { actingIn } from '../consent.ts'
import { dirname } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import { databaseQuestion } from '../fixtures/questions.ts'
import { labels, sentMessages, tap } from '../permissions/caller.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import { answerOf, call, refusal, runBridge } from './run-bridge.ts'

let plane: Plane
let from = 0
beforeAll(async () => {
  plane = await startPlane()
  await actingIn(plane.gate.gatekeeper).setSwitch(true)
})
afterAll(() => plane.stop())
beforeEach(() => {
  from = sentMessages(plane).length
})

/** Runs the bridge and gives the card that it brings about and the answer for the client. */
const ask = async (client: string, event: string, stdin: string, more: readonly string[] = []) => {
  const answer = runBridge([client, event, ...more], {
    home: dirname(plane.home),
    env: { HOOKGATE_HOME: plane.home },
    stdin,
  }).then(answerOf)
  const card = (words: string): Promise<OutgoingMessage> =>
    until(`a card with ${words} in ${JSON.stringify(plane.texts().slice(from))}`, () =>
      sentMessages(plane)
        .slice(from)
        .findLast(({ text }) => text.includes(words)),
    )
  return { answer, card }
}
const json = (event: string, fields: object): string =>
  JSON.stringify({ session_id: 's1', cwd: '/', hook_event_name: event, ...fields })

const questions = [databaseQuestion]
const claudeQuestion = call('', { tool_name: 'AskUserQuestion', tool_input: { questions } })

describe('a question of Claude Code', () => {
  test('gets the answer in the arguments of its tool, with the permission to run', async () => {
    const { answer, card } = await ask('claude-code', 'PreToolUse', claudeQuestion)
    const shown = await card('claude-code asks you:')
    expect(labels(shown)).toEqual([['1', '2'], ['In my own words'], ['Do not answer', 'At the terminal']])
    tap(plane, shown, '2')
    expect(await answer).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: { questions, answers: { 'Which database?': 'SQLite' } },
      },
    })
  })

  test('is left to its terminal by one tap, and then nothing is said about it', async () => {
    const { answer, card } = await ask('claude-code', 'PreToolUse', claudeQuestion)
    tap(plane, await card('claude-code asks you:'), 'At the terminal')
    expect(await answer).toBeUndefined()
    expect((await card('Left to the terminal')).text).toContain('claude-code asked:\n│ Which database?')
  })

  test('that nobody answers in time is left to its terminal', async () => {
    const { answer } = await ask('claude-code', 'PreToolUse', claudeQuestion, ['--deadline', '3'])
    expect(await answer).toBeUndefined()
  })

  test('of a person who does not want to answer is refused', async () => {
    const { answer, card } = await ask('claude-code', 'PreToolUse', claudeQuestion)
    tap(plane, await card('claude-code asks you:'), 'Do not answer')
    expect(await answer).toEqual(refusal('The person does not want to answer.'))
  })

  test('stays at its terminal while hooks are off', async () => {
    await actingIn(plane.gate.gatekeeper).setSwitch(false)
    const { answer } = await ask('claude-code', 'PreToolUse', claudeQuestion)
    expect(await answer).toBeUndefined()
    await actingIn(plane.gate.gatekeeper).setSwitch(true)
    expect(plane.texts().slice(from).join()).not.toContain('asks you')
  })
})

test('The question tool of a client that takes no answers is refused, with the answer as the reason', async () => {
  const { answer, card } = await ask(
    'kimi',
    'PreToolUse',
    json('PreToolUse', { tool_name: 'AskUserQuestion', tool_input: { questions }, tool_call_id: 't1' }),
  )
  tap(plane, await card('kimi asks you:'), '1')
  expect(await answer).toEqual(refusal('The person answered: Postgres'))
})

describe('a form of a tool server of Claude Code', () => {
  const elicitation = json('Elicitation', {
    mcp_server_name: 'shop',
    message: 'Which size?',
    mode: 'form',
    requested_schema: {
      type: 'object',
      properties: { size: { type: 'string', enum: ['S', 'M'] }, gift: { type: 'boolean', title: 'A gift?' } },
      required: ['size', 'gift'],
    },
  })

  test('gets the answers with their types', async () => {
    const { answer, card } = await ask('claude-code', 'Elicitation', elicitation)
    tap(plane, await card('(1 of 2)'), '2')
    tap(plane, await card('(2 of 2)'), '1')
    tap(plane, await card('Your answers'), 'Send')
    expect(await answer).toEqual({
      hookSpecificOutput: {
        hookEventName: 'Elicitation',
        action: 'accept',
        content: { size: 'M', gift: true },
      },
    })
  })

  test('gets a no', async () => {
    const { answer, card } = await ask('claude-code', 'Elicitation', elicitation)
    tap(plane, await card('(1 of 2)'), 'Do not answer')
    expect(await answer).toEqual({ hookSpecificOutput: { hookEventName: 'Elicitation', action: 'decline' } })
  })
})
