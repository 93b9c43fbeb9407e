import { afterEach, describe, expect, test } from 'vitest'
import { decodeFor, stdinFor } from '../../../src/dialects/dialects.ts'
import { createLlmTransport, type LlmOptions, type LlmPorts } from '../../../src/handlers/transports/llm.ts'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import { FAULTS } from '../../../src/core/model/hooks/fault.ts'
import type { Payload } from '../../../src/core/model/events/payload.ts'
import { json, startServer, type Answering, type HookServer } from '../../fixtures/http-hook/server.ts'
import { freePort } from '../../../src/attack/gate/free-port.ts'
import { armed, eventOf } from '../armed.ts'
import { beforeTimer } from '../../stretched.ts'

const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})
const serve = async (answer: Answering): Promise<HookServer> => {
  const server = await startServer(answer)
  endings.push(server.stop)
  return server
}
/** An endpoint's whole reply around what the model said. */
const saying = (content: string | null, rest: object = {}): Answering =>
  json({
    id: 'c1',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content }, ...rest }],
    usage: { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 },
  })
const verdict = (decision: string, reason = 'because'): string => JSON.stringify({ decision, reason })

const options = ({ origin }: Pick<HookServer, 'origin'>, rest: Partial<LlmOptions> = {}): LlmOptions => ({
  baseUrl: `${origin}/v1`,
  model: 'small/judge',
  apiKeyEnv: 'LLM_KEY',
  apiKey: 'sk-123',
  maxCallsPerHour: 600,
  maxTokens: 200,
  ...rest,
})
const transportOf = (llm: LlmOptions | undefined, ports: Partial<LlmPorts> = {}) => {
  const transport = createLlmTransport({
    speech: { stdin: stdinFor, env: () => ({}) },
    elapsedMs: () => performance.now(),
    ...(llm === undefined ? {} : { llm }),
    ...ports,
  })
  endings.push(transport.stop)
  return transport
}
const rule = 'Block whatever publishes a secret.'
const hookOf = (entry: Partial<Entry> = {}) =>
  armed('judge', { event: 'on_outbound_message', type: 'llm', command: rule, ...entry })
const payload = eventOf('on_outbound_message', { notification: 'hello' })
const askWith = (
  transport: ReturnType<typeof transportOf>,
  said: Payload = payload,
  timeoutMs = 5000,
  entry: Partial<Entry> = {},
) => transport.ask(hookOf(entry), said, { timeoutMs, chain: [] })
const ask = (server: HookServer, said?: Payload, timeoutMs?: number) =>
  askWith(transportOf(options(server)), said, timeoutMs)
interface Sent {
  readonly model: string
  readonly temperature: number
  readonly max_tokens: number
  readonly response_format: unknown
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}
const sentTo = (server: HookServer, index = 0): Sent => JSON.parse(server.received[index]?.body ?? '')

test.each(['allow', 'block', 'ask'] as const)("the model's %s is the hook's answer", async (decision) => {
  const server = await serve(saying(` ${verdict(decision)}\n`))
  const result = await ask(server)
  expect(result).toMatchObject({ exitCode: 0, isTruncated: false })
  expect(decodeFor(hookOf(), payload, result)).toMatchObject({ kind: decision, reason: 'because' })
})

test("it is asked by the rules of OpenAI's chat completions, with the owner's prompt as the rule and the event as data", async () => {
  const server = await serve(saying(verdict('allow')))
  const transport = transportOf(options(server, { baseUrl: `${server.origin}/v1//`, maxTokens: 50 }))
  await askWith(transport)
  await askWith(transport, payload, 5000, { model: 'other/judge' })
  expect(server.received[0]).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer sk-123', 'content-type': 'application/json' },
  })
  const sent = sentTo(server)
  expect(sent).toMatchObject({
    model: 'small/judge',
    temperature: 0,
    max_tokens: 50,
    response_format: {
      type: 'json_schema',
      json_schema: {
        strict: true,
        schema: { required: ['decision', 'reason'], additionalProperties: false },
      },
    },
  })
  const [system, user] = sent.messages
  expect([sent.messages.length, system?.role, user?.role]).toEqual([2, 'system', 'user'])
  expect(system?.content.endsWith(rule)).toBe(true)
  const [, mark, inner] = /^<event-([0-9a-f]{12})>\n([\s\S]*)\n<\/event-\1>$/.exec(user?.content ?? '') ?? []
  expect(JSON.parse(inner ?? '')).toEqual(payload)
  expect(system?.content).toContain(`<event-${mark}>`)
  expect(sentTo(server, 1).model).toBe('other/judge')
  expect(sentTo(server, 1).messages[1]?.content).not.toContain(mark)
  expect(transport.state()).toEqual({ calls: 2, tokens: 200, refused: 0 })
})

test('an endpoint that wants no key gets none', async () => {
  const server = await serve(saying(verdict('allow')))
  const { apiKeyEnv: _, apiKey: __, ...keyless } = options(server)
  expect((await askWith(transportOf(keyless))).failure).toBeUndefined()
  expect(server.received[0]?.headers).not.toHaveProperty('authorization')
})

describe('an event that is too large is shown in part, and the model is told', () => {
  const large = eventOf('on_outbound_message', { notification: `head${'x'.repeat(40_000)}😀tail` })
  test('it sees head and tail', async () => {
    const server = await serve(saying(verdict('block')))
    expect((await ask(server, large)).failure).toBeUndefined()
    const shown = sentTo(server).messages[1]?.content ?? ''
    expect(shown.length).toBeLessThan(16_384 + 300)
    expect(shown).toMatch(/left out \d+ of \d+ characters/)
    expect(shown).toContain('head')
    expect(shown).toContain('tail')
    expect(shown.isWellFormed()).toBe(true)
  })

  test('its block and its question count; its allow does not, for it speaks of what it did not see', async () => {
    for (const decision of ['block', 'ask'])
      expect((await ask(await serve(saying(verdict(decision))), large)).failure).toBeUndefined()
    expect((await ask(await serve(saying(verdict('allow'))), large)).failure).toMatchObject({
      kind: 'limit',
      detail: expect.stringMatching(/\d+ characters of the event were too many/),
    })
  })
})

describe("Claude Code's own answers", () => {
  const dialect = { name: 'claude-code', event: 'Stop' } as const
  const claude = { event: 'on_stop', dialect, command: 'Is it done? $ARGUMENTS' } as const
  const stop = eventOf('on_stop', { response: 'Done.' })
  const judged = async (content: string, entry: Partial<Entry> = claude, said: Payload = stop) => {
    const server = await serve(saying(content))
    const result = await askWith(transportOf(options(server)), said, 5000, entry)
    expect(result.failure).toBeUndefined()
    return { answer: decodeFor(hookOf(entry), said, result), server }
  }
  test.each([
    ['{"ok": false, "reason": "tests fail"}', { kind: 'block', reason: 'tests fail' }],
    ['{"ok": true}', { kind: 'abstain' }],
    ['{"ok": true, "reason": "fine"}', { kind: 'abstain' }],
    ['{"ok": false, "reason": "no network", "impossible": true}', { kind: 'abstain' }],
    ['{"decision": "approve"}', { kind: 'allow' }],
    ['{"decision": "block", "reason": "not yet"}', { kind: 'block', reason: 'not yet' }],
    ['{"decision": "deny"}', { kind: 'block' }],
  ])('%s', async (content, expected) => expect((await judged(content)).answer).toMatchObject(expected))

  test('no objection is no consent', async () => {
    const entry = {
      ...claude,
      event: 'on_permission_request',
      dialect: { name: 'claude-code', event: 'PermissionRequest' },
    } as const
    expect((await judged('{"ok": true}', entry, eventOf('on_permission_request'))).answer.kind).toBe(
      'abstain',
    )
  })
  test("$ARGUMENTS is the event in its own system's form, marked as data", async () => {
    const { server } = await judged('{"ok": true}')
    const [system, user] = sentTo(server).messages
    const [, mark, inner = ''] =
      /^Is it done\? <event-([0-9a-f]{12})>(.*)<\/event-\1>$/.exec(user?.content ?? '') ?? []
    expect(JSON.parse(inner)).toMatchObject({ hook_event_name: 'Stop', last_assistant_message: 'Done.' })
    expect(system?.content).toContain(`<event-${mark}>`)
  })
  test('a prompt without it is given the event beside it', async () => {
    const { server } = await judged('{"ok": true}', { ...claude, command: 'Is it done?' })
    expect(sentTo(server).messages[1]?.content).toContain('"hook_event_name":"Stop"')
    expect(sentTo(server).messages[0]?.content.endsWith('Is it done?')).toBe(true)
  })
  test('what a template names is filled in, and what is too much for the model is no consent', async () => {
    const docker = {
      event: 'pre_tool_call',
      dialect: { name: 'docker-agent', event: 'pre_tool_use' },
    } as const
    const call = eventOf('pre_tool_call', { tool_name: 'bash', tool_input: { command: 'x'.repeat(30_000) } })
    const short = await judged(
      verdict('allow'),
      { ...docker, command: '{{ .ToolName }}: {{ toJSON .ToolInput | truncate 20 }}' },
      call,
    )
    expect(sentTo(short.server).messages[1]?.content).toMatch(
      /^<event-\w+>shell<\/event-\w+>: <event-\w+>\{.{19}<\/event-\w+>$/,
    )
    const server = await serve(saying(verdict('allow')))
    const long = await askWith(transportOf(options(server)), call, 5000, {
      ...docker,
      command: '{{ .ToolInput.cmd }}',
    })
    expect(long.failure).toMatchObject({ kind: 'limit', detail: expect.stringContaining('too many to show') })
    expect(sentTo(server).messages[1]?.content.length).toBeLessThan(17_000)
  })
})

describe('anything but a judgement is a fault that the event could have brought about', () => {
  test.each<[string, Answering, RegExp]>([
    ['prose around JSON', saying(`Sure! ${verdict('allow')}`), /^The model answered "Sure!/],
    ['a code fence', saying(`\`\`\`json\n${verdict('allow')}\n\`\`\``), /^The model answered /],
    ['prose', saying('I would allow it.'), /^The model answered /],
    ['another word', saying(verdict('fine')), /^The model answered /],
    ['another case', saying(verdict('ALLOW')), /^The model answered /],
    ['no reason', saying('{"decision":"allow"}'), /^The model answered /],
    ['another field', saying('{"decision":"allow","reason":"","tool_input":{}}'), /^The model answered /],
    ['a list', saying(`[${verdict('allow')}]`), /^The model answered /],
    ['nothing', saying(''), /^The model answered /],
    ['a refusal', saying(null), /^The model answered /],
    ['half an answer', saying(verdict('allow'), { finish_reason: 'length' }), /max_tokens/],
    ['no choices', json({ choices: [] }), /chat completions/],
    [
      "the judgement without an endpoint's frame",
      json({ decision: 'allow', reason: '' }),
      /chat completions/,
    ],
    ['HTML', (response) => response.writeHead(200).end('<html>'), /chat completions/],
    ['nothing at all', (response) => response.writeHead(200).end(), /chat completions/],
    ['429', json({ error: 'sk-123' }, 429), /the status 429/],
    ['500', json({ error: 'sk-123' }, 500), /the status 500/],
    ['400', json({ error: { message: 'no response_format' } }, 400), /the status 400/],
    [
      'a redirect',
      (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      /redirect/,
    ],
    [
      'a reply without end',
      (response) => response.writeHead(200).end('x'.repeat(70_000)),
      /more than 64 KiB/,
    ],
    ['a reason without end', saying(verdict('allow', 'x'.repeat(70_000))), /more than 64 KiB/],
  ])('%s', async (_, answer, words) => {
    const { failure, stdout } = await ask(await serve(answer))
    expect([FAULTS[failure?.kind ?? 'output'].by, stdout]).toEqual(['agent', ''])
    expect(failure?.detail).toMatch(words)
    expect(failure?.detail).not.toContain('sk-123')
  })

  test('a long reason is cut, and tokens that are no number are not counted', async () => {
    const server = await serve(
      json({
        choices: [{ message: { content: verdict('block', 'x'.repeat(5000)) } }],
        usage: { total_tokens: 'many' },
      }),
    )
    const transport = transportOf(options(server))
    expect(JSON.parse((await askWith(transport)).stdout).reason).toHaveLength(2000)
    expect(transport.state().tokens).toBe(0)
  })
})

describe('one deadline stands over everything', () => {
  test.each<[string, Answering]>([
    ['hangs', () => undefined],
    [
      'drips',
      (response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write(' '), 40)
        response.on('close', () => clearInterval(timer))
      },
    ],
  ])('an endpoint that %s', async (_, answer) => {
    const asked = ask(await serve(answer), payload, 400)
    expect((await beforeTimer(1500, asked)).failure?.kind).toBe('timeout')
  })

  test('an endpoint that is not there', async () => {
    expect(
      (await askWith(transportOf(options({ origin: `http://127.0.0.1:${await freePort()}` })))).failure?.kind,
    ).toBe('network')
  })
})

describe('what cannot be asked is refused with what to do', () => {
  test('no endpoint', async () => {
    const transport = transportOf(undefined)
    expect((await askWith(transport)).failure).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining('"llm: {base_url:'),
    })
    expect(transport.state()).toEqual({ calls: 0, tokens: 0, refused: 1 })
  })

  test('a key that is not set: nothing is sent', async () => {
    const server = await serve(saying(verdict('allow')))
    const { apiKey: _, ...unset } = options(server)
    expect((await askWith(transportOf(unset))).failure).toMatchObject({
      kind: 'refused',
      detail: expect.stringMatching(/LLM_KEY, which "llm\.api_key_env"/),
    })
    expect(server.connections()).toBe(0)
  })

  test("an endpoint that is a cloud's metadata service: local ones are open to the owner, that one is not", async () => {
    expect((await askWith(transportOf(options({ origin: 'http://169.254.169.254' })))).failure?.kind).toBe(
      'refused',
    )
    expect(
      (
        await askWith(
          transportOf(options({ origin: 'http://models.example' }), {
            lookup: () => Promise.resolve(['169.254.169.254']),
          }),
        )
      ).failure?.kind,
    ).toBe('refused')
  })

  test('a budget that is spent, until an hour after its first call: where a person can be asked, that is what it comes to', async () => {
    const server = await serve(saying(verdict('allow')))
    let nowMs = 0
    const transport = transportOf(options(server, { maxCallsPerHour: 2 }), { elapsedMs: () => nowMs })
    const askedAt = async (minutes: number): Promise<string> => {
      nowMs = minutes * 60_000
      const { stdout } = await askWith(transport)
      const { decision, reason = '' } = JSON.parse(stdout) as { decision: string; reason?: string }
      return decision === 'allow' ? 'asked' : `${decision}: ${/free in \d+ min/.exec(reason)?.[0]}`
    }
    expect([
      await askedAt(0),
      await askedAt(10),
      await askedAt(20),
      await askedAt(59.5),
      await askedAt(60),
      await askedAt(61),
    ]).toEqual(['asked', 'asked', 'ask: free in 40 min', 'ask: free in 1 min', 'asked', 'ask: free in 9 min'])
    expect(server.received).toHaveLength(3)
    expect(transport.state()).toEqual({ calls: 3, tokens: 300, refused: 3 })
  })

  test('a budget that is spent by shadows, which have one of their own: hooks that decide are asked as before', async () => {
    const server = await serve(saying(verdict('allow')))
    const transport = transportOf(options(server, { maxCallsPerHour: 1 }), { elapsedMs: () => 0 })
    const said = async (isShadow?: true): Promise<string> => {
      const hook = { ...hookOf(), ...(isShadow === undefined ? {} : { isShadow }) }
      const { stdout } = await transport.ask(hook, payload, { timeoutMs: 5000, chain: [] })
      return (JSON.parse(stdout) as { decision: string }).decision
    }
    expect([await said(true), await said(true), await said(), await said()]).toEqual([
      'allow',
      'ask',
      'allow',
      'ask',
    ])
  })
})
