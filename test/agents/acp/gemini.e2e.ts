import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startModel, type ScriptedModel } from '../../fixtures/model/model.ts'
import type { Reply } from '../../fixtures/model/wire.ts'
import { geminiProgram } from '../../clients/gemini.ts'
import { installPackages } from '../../packages.ts'
import { createScriptedGate, type ScriptedGate, waitUntilGone, numberIn } from '../scripted-gate.ts'

/*
 * The real Gemini CLI behind the real agent host; the model is ours, on loopback. One process for all: it is
 * slow to start.
 */
// No hook with a time limit waits for this.
await installPackages('test/clients')

let model: ScriptedModel
/** Where everything would arrive that is not for loopback. */
let outside: Server
let tries = 0
let gate: ScriptedGate
/** What the model says to the words of the person, and then, once a tool gave something, to that. */
const script = new Map<string, Reply>()

const at = (name: string): string => join(gate.workspace, name)
const exists = (name: string): Promise<boolean> =>
  readFile(at(name)).then(
    () => true,
    () => false,
  )

beforeAll(async () => {
  model = await startModel(({ messages, toolResults }) => {
    if (toolResults.length > 0) return { text: `It gave: ${toolResults.map(({ text }) => text).join()}` }
    const last = messages.at(-1)?.text ?? ''
    return (
      script.get([...script.keys()].find((word) => last.includes(word)) ?? '') ?? {
        text: `You said: ${last.split('\n').at(-1)}`,
      }
    )
  })
  outside = createServer((socket) => {
    tries++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(outside, 'listening')
  const proxy = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`
  gate = await createScriptedGate({
    kind: 'acp',
    command: [process.execPath, geminiProgram, '--acp', '--skip-trust', '-m', 'gemini-2.5-flash'],
    env: {
      GEMINI_API_KEY: 'x',
      GOOGLE_GEMINI_BASE_URL: model.url,
      HTTPS_PROXY: proxy,
      HTTP_PROXY: proxy,
      https_proxy: proxy,
      http_proxy: proxy,
      NO_PROXY: '127.0.0.1',
      no_proxy: '127.0.0.1',
    },
  })
  await mkdir(at('.hookgate/home/.gemini'), { recursive: true })
  await writeFile(
    at('.hookgate/home/.gemini/settings.json'),
    JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    }),
  )
  gate.startHost()
})
afterAll(async () => {
  await gate.close()
  await model.stop()
  outside.close()
})

const shell = (command: string): Reply => ({ toolCalls: [{ name: 'run_shell_command', input: { command } }] })

test('A prompt from the chat is answered', async () => {
  const { pushed, fired } = await gate.turn('good morning')
  expect(pushed).toEqual(['You said: good morning'])
  expect(fired.find(({ event }) => event === 'post_llm_call')?.body['usage']).toEqual({
    input_tokens: 10,
    output_tokens: 5,
  })
})

test('A shell command that a hook blocks does not run, and one that it allows does', async () => {
  script.set('make one', shell('touch one'))
  script.set('make two', shell('touch two'))
  gate.script = (event, body) =>
    event === 'pre_tool_call' && JSON.stringify(body['tool_input']).includes('touch one')
      ? { verdict: 'block', reason: 'not one' }
      : undefined
  const { pushed } = await gate.turn('make one')
  expect(pushed).toContain('I did not run bash: not one')
  expect(await exists('one')).toBe(false)
  const allowed = await gate.turn('make two')
  expect(await exists('two')).toBe(true)
  expect(
    allowed.fired
      .filter(({ event }) => /tool|permission/.test(event))
      .map(({ event, body }) => [event, body['tool_input']]),
  ).toEqual(
    ['pre_tool_call', 'on_permission_request', 'post_tool_call'].map((event) => [
      event,
      { command: 'touch two' },
    ]),
  )
})

test('What Gemini writes goes through hooks, and is written as they changed it', async () => {
  script.set('write it', {
    toolCalls: [{ name: 'write_file', input: { file_path: at('note.txt'), content: 'a secret' } }],
  })
  gate.script = (event, body) => {
    const input = body['tool_input'] as { content?: string }
    return event === 'pre_tool_call' && input.content !== undefined
      ? { payload: { tool_input: { ...input, content: input.content.replace('secret', '***') } } }
      : undefined
  }
  const { fired } = await gate.turn('write it')
  expect(await readFile(at('note.txt'), 'utf8')).toBe('a ***')
  // Asked for, and then done: one question, one result.
  const events = fired
    .filter(({ event, body }) => /tool|permission/.test(event) && body['tool_name'] === 'write_file')
    .map(({ event }) => event)
  expect(events).toEqual(['pre_tool_call', 'on_permission_request', 'post_tool_call'])
})

test('A command of Gemini CLI is reached by its name', async () => {
  gate.script = () => undefined
  expect((await gate.turn('/about')).pushed.join()).toMatch(/version/i)
})

test('Cancel stops Gemini in a running command', async () => {
  script.set('take long', shell('echo $$ > tool.pid; sleep 60'))
  const id = gate.prompt('take long')
  const pid = await numberIn(at('tool.pid'))
  gate.send({ type: 'cancel', channel: 'web', chat_id: 'main' })
  await gate.ended(id)
  await waitUntilGone(pid)
  expect(gate.pushed.at(-1)).toBe('Stopped.')
  gate.script = () => undefined
  expect((await gate.turn('still there')).pushed.join()).toContain('You said: still there')
})

test('Gemini asked nobody but the model on loopback', () => {
  expect(model.others.filter((route) => !route.includes(':countTokens'))).toEqual([])
  expect(tries).toBe(0)
})
