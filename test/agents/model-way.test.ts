import { afterAll, beforeAll, expect, test } from 'vitest'
import { startModel, type ScriptedModel } from '../fixtures/model/model.ts'
import type { Reply } from '../fixtures/model/wire.ts'
import { startPlane, until, type Plane } from '../plane.ts'

const key = 'sk-of-the-owner-alone'

/**
 * What a tool of the agent runs: it asks the model itself, as often as it is told, and tells what came of
 * each.
 */
const script = `
const { request } = require('node:http')
const [socketPath, content, times] = process.argv.slice(2)
const body = JSON.stringify({ model: 'the-dearest', messages: [{ role: 'user', content }] })
const ask = () => new Promise((done) => {
  request({ socketPath, path: '/v1/model/chat/completions', method: 'POST' }, (answer) => {
    answer.resume().on('end', () => done(answer.statusCode))
  }).end(body)
})
Promise.all([...Array(Number(times))].map(ask)).then((all) => console.log('ANSWERS ' + all.sort().join(' ')))
`
const guard = '#!/bin/sh\necho \'{"decision":"block","reason":"rule 7"}\'\n'

/** All calls that the hour has room for; the first test and what goes before it take six. */
const perHour = 16

let plane: Plane
let model: ScriptedModel
let reply: Reply = { text: 'Fine.' }

/** The whole gate with a real agent host, a model on loopback and a guard that the owner approved. */
beforeAll(async () => {
  model = await startModel(({ messages, toolResults }) =>
    messages.at(-1)?.text === 'work' ? reply : { text: toolResults[0]?.text ?? 'alone' },
  )
  const way = `base_url: "${model.url}/v1", model: some-model, api_key_env: MODEL_KEY`
  const agent = `{kind: openai, ${way}, max_calls_per_hour: ${perHour}}`
  const hooks = 'hooks: [{event: pre_llm_call, matcher: FORBIDDEN, command: ./guard.sh}]\n'
  const files = { 'ask.cjs': script, 'guard.sh': guard }
  plane = await startPlane(hooks, files, { MODEL_KEY: key }, 'none', {}, `agents: {main: ${agent}}\n`)
  await plane.ask('/hooks on', (text) => text.includes('ON'))
  await plane.ask('/hooks approve pre_llm_call ./guard.sh', (text) => text.includes('Approved'))
  // The agent's first words cost more than all others: its host is started, and its library loaded.
  await plane.ask('work', (text) => text.includes('Fine.'))
}, 60_000)
afterAll(async () => {
  await plane.stop()
  await model.stop()
})

/** Has the agent run the script, and gives what it printed. */
const tool = (content: string, times: number): Promise<string> => {
  const command = `'${process.execPath}' ask.cjs '${plane.home}/run/main.sock' ${content} ${times}`
  reply = { toolCalls: [{ name: 'bash', input: { command } }] }
  return plane.ask('work', (text) => text.includes('ANSWERS'))
}

test('A tool that asks the model itself is judged and recorded, and reaches no other model', async () => {
  expect(await tool('FORBIDDEN', 3)).toContain('ANSWERS 403 403 403')
  expect(model.asked.filter(({ messages }) => messages.some(({ text }) => text === 'FORBIDDEN'))).toEqual([])
  const records = await plane.gate.store.records({ limit: 100 })
  const blocked = records.filter(({ subject, outcome }) => subject === 'pre_llm_call' && outcome === 'block')
  expect(blocked).toHaveLength(3)
  expect(blocked[0]?.reason).toContain('rule 7')
  expect(await tool('harmless', 1)).toContain('ANSWERS 200')
  expect(new Set(model.asked.map(({ model }) => model))).toEqual(new Set(['some-model']))
})

test('An hour has a bound for an agent and its tools, and the owner hears of half and of all', async () => {
  expect(await tool('harmless', 4)).toContain('ANSWERS 200 200 200 200')
  await until('word of the half', () =>
    plane.texts().find((text) => /Half of the hourly limit is used/.test(text)),
  )
  plane.say('work')
  await until('word of the end', () =>
    plane.texts().find((text) => /further calls are refused until the hour ends/.test(text)),
  )
  expect(model.asked.length).toBeLessThanOrEqual(perHour)
})
