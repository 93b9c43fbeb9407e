import { BroadcastChannel } from 'node:worker_threads'
import { afterAll, describe, expect, test } from 'vitest'
import { createScanner } from '../../../src/handlers/builtins/redact/scanner.ts'
import { redact } from '../../../src/handlers/builtins/redact/redact.ts'
import { overlapUnits, pieceUnits } from '../../../src/handlers/builtins/redact/secrets/pieces.ts'
import { replaceSpans } from '../../../src/handlers/builtins/redact/span.ts'
import type { EventName } from '../../../src/core/model/events/event.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { eventOf } from '../armed.ts'
import { random, secrets } from './secrets.ts'

/** It has its time here: how long it may take is looked at in the tier `load`. */
const scanner = createScanner({ batchWithinMs: 20_000 })
afterAll(() => scanner.stop())

const redacted = async (text: string): Promise<string> => {
  const scan = await scanner.scan([text], { timeoutMs: 20_000 })
  if ('failure' in scan) throw new Error(scan.failure.detail)
  return replaceSpans(text, scan.spans[0] ?? [])
}
const ask = (event: EventName, fields: JsonObject) =>
  redact(eventOf(event, fields), scanner, { timeoutMs: 20_000 })

describe('a secret', () => {
  test.each(Object.entries(secrets))(
    'of kind %s is taken out where it stands, whole, and a second look finds nothing',
    async (kind, make) => {
      const secret = make()
      const once = await redacted(`before ${secret} after`)
      expect(once).toBe(`before [redacted: ${kind}] after`)
      expect(await redacted(once)).toBe(once)
    },
  )

  test.each([
    ['a named AWS key', () => random(40), (secret: string) => `AWS_SECRET_ACCESS_KEY = "${secret}"`],
    [
      'an npm token in a file',
      () => random(36),
      (secret: string) => `//packages.example/:_authToken=${secret}\n`,
    ],
    [
      'a token in a GitHub address',
      () => random(40),
      (secret: string) => `https://${secret}:x-oauth-basic@github.com/a/b`,
    ],
    ['a bearer token', () => `${random(30)}7`, (secret: string) => `Authorization: Bearer ${secret}`],
    [
      'a named private key in hex',
      () => random(64, '0123456789abcdef'),
      (secret: string) => `private_key: "0x${secret}"`,
    ],
  ])('leaves no letter behind: %s', async (_what, make, around) => {
    const secret = make()
    const said = await redacted(around(secret))
    expect(said).toContain('[redacted: ')
    expect(said).not.toContain(secret.slice(-6))
    expect(said).not.toContain(secret.slice(0, 6))
  })

  test('is found whatever the text says about scanners, and after a byte order mark', async () => {
    const secret = secrets['github']?.() ?? ''
    expect(await redacted(`secretlint-disable\n${secret}`)).toBe('secretlint-disable\n[redacted: github]')
    expect(await redacted(`\ufeff${secret} x`)).toBe('\ufeff[redacted: github] x')
  })

  test('is found as a key of several lines inside JSON text', async () => {
    const text = JSON.stringify({ key: secrets['private key']?.(), other: 1 })
    expect(JSON.parse(await redacted(text))).toEqual({ key: '[redacted: private key]', other: 1 })
  })

  test.each([-20, -1, 0, 1, 20])('that lies across the border of two parts is found (%i)', async (shift) => {
    for (const border of [pieceUnits, pieceUnits - overlapUnits, 2 * pieceUnits - overlapUnits]) {
      const secret = secrets['github']?.() ?? ''
      const before = 'word '.repeat(40_000).slice(0, border - 20 + shift)
      const said = await redacted(`${before} ${secret} ${'word '.repeat(20_000)}`)
      expect(said.slice(before.length + 1, before.length + 30)).toMatch(/^\[redacted: github\] word/)
    }
  })

  test('that is longer than a small key and lies across a border is found', async () => {
    const secret = secrets['private key']?.() ?? ''
    const said = await redacted(
      `${'word '.repeat(40_000).slice(0, pieceUnits - 700)} ${secret} ${'word '.repeat(20_000)}`,
    )
    expect(said).toContain(' [redacted: private key] word')
    expect(said).not.toContain('PRIVATE KEY-----')
  })
})

test('What is almost a wallet’s key is left alone: its checksum does not hold', async () => {
  const key = '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ'
  expect(await redacted(`key ${key}`)).toBe('key [redacted: private key]')
  expect(await redacted(`key ${key.slice(0, -1)}K`)).toBe(`key ${key.slice(0, -1)}K`)
})

describe('the answer', () => {
  const github = `ghp_${random(36)}`
  test.each<[EventName, JsonObject, JsonObject]>([
    [
      'pre_tool_call',
      { tool_input: { command: `echo ${github}`, env: { A: [github, 1, null] }, other: 'x' } },
      { tool_input: { command: 'echo [redacted: github]', env: { A: ['[redacted: github]', 1, null] } } },
    ],
    [
      'pre_llm_call',
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: github }] },
          { role: 'user', content: 'hi' },
        ],
      },
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: '[redacted: github]' }] },
          { role: 'user', content: 'hi' },
        ],
      },
    ],
    ['transform_tool_result', { tool_result: `a ${github}` }, { tool_result: 'a [redacted: github]' }],
    [
      'on_outbound_message',
      { notification: github, parts: [{ field: 'caption', text: 'x' }] },
      { notification: '[redacted: github]' },
    ],
    [
      'on_outbound_message',
      { notification: 'x', parts: [{ field: 'caption', text: github }] },
      { parts: [{ field: 'caption', text: '[redacted: github]' }] },
    ],
    ['on_user_message', { message: github }, { message: '[redacted: github]' }],
  ])(
    'at %s rewrites the fields where secrets stand and keeps their shape',
    async (event, fields, rewrite) => {
      const said = await ask(event, fields)
      const { systemMessage, ...rest } = 'answer' in said ? said.answer : {}
      expect(rest).toEqual(rewrite)
      if (event !== 'pre_llm_call')
        expect(systemMessage).toMatch(/^redact_secrets removed \d secrets? \(github\)\.$/)
    },
  )

  test('is no opinion where nothing was found', async () => {
    expect(await ask('on_user_message', { message: 'hello' })).toEqual({ answer: {} })
  })

  test('is a fault where a secret is the name of a field: nothing can be rewritten there', async () => {
    expect(await ask('pre_tool_call', { tool_input: { [github]: 1 } })).toMatchObject({
      failure: { kind: 'rewrite', detail: expect.stringContaining('name of a field') },
    })
  })
})

describe('the answer about personal data', () => {
  const askPersonal = (event: EventName, fields: JsonObject) =>
    redact(eventOf(event, fields), scanner, { timeoutMs: 20_000, subject: 'personal' })

  test.each<[EventName, JsonObject, JsonObject]>([
    [
      'on_outbound_message',
      {
        notification: 'Ann and Bob: ann@mail.example, bob@mail.example, 030 9018200',
        parts: [
          { field: 'phone', text: '0309018200' },
          { field: 'id', text: '0309018200' },
        ],
        files: [{ name: 'a.txt', path: '/nowhere' }],
      },
      {
        notification:
          'Ann and Bob: [redacted: email address], [redacted: email address], [redacted: phone number]',
        parts: [
          { field: 'phone', text: '[redacted: phone number]' },
          { field: 'id', text: '0309018200' },
        ],
        systemMessage: 'redact_pii removed 2 email addresses, 2 phone numbers.',
      },
    ],
    [
      'on_user_message',
      { message: 'Pay 4111 1111 1111 1111' },
      { message: 'Pay [redacted: card number]', systemMessage: 'redact_pii removed 1 card number.' },
    ],
    [
      'transform_tool_result',
      { tool_result: 'IBAN DE89370400440532013000' },
      { tool_result: 'IBAN [redacted: bank account]', systemMessage: 'redact_pii removed 1 bank account.' },
    ],
    [
      'pre_llm_call',
      { messages: [{ role: 'user', content: 'a@b.co' }] },
      { messages: [{ role: 'user', content: '[redacted: email address]' }] },
    ],
    ['on_user_message', { message: `ghp_${random(36)}` }, {}],
  ])('at %s rewrites %j and counts what it took out', async (event, fields, answer) => {
    expect(await askPersonal(event, fields)).toEqual({ answer })
  })

  test('reads a long name of a field in short, because it stands before each text of a list', async () => {
    const seen: string[] = []
    const scan = async (texts: readonly string[]) => (seen.push(...texts), { spans: texts.map(() => []) })
    const fields = { tool_result: { ['x'.repeat(9000)]: Array.from({ length: 9 }, () => 'text') } }
    const options = { timeoutMs: 1000, subject: 'personal' } as const
    await redact(eventOf('transform_tool_result', fields), { ...scanner, scan }, options)
    expect(seen.filter((text) => text.length > 100)).toEqual(['x'.repeat(9000)])
  })

  test('is a fault where personal data is the name of a field', async () => {
    expect(await askPersonal('transform_tool_result', { tool_result: { 'a@b.co': 1 } })).toMatchObject({
      failure: { kind: 'rewrite', detail: expect.stringContaining('name of a field holds personal data') },
    })
  })
})

describe('a rule that does not finish', () => {
  const spinning = () =>
    createScanner({ batchWithinMs: 100, program: new URL('../../fixtures/scanner/spin.ts', import.meta.url) })
  test('is killed with its thread and is a fault of kind timeout, and the next question gets a new thread', async () => {
    const slow = spinning()
    const first = await slow.scan(['some text here'], { timeoutMs: 5000 })
    expect(first).toMatchObject({
      failure: { kind: 'timeout', detail: expect.stringContaining('did not finish') },
    })
    expect(slow.threadId()).toBeUndefined()
    const heard = new BroadcastChannel('spin')
    const { promise: quiet, resolve } = Promise.withResolvers<string>()
    const timer = setTimeout(resolve, 200, 'nothing')
    heard.addEventListener('message', () => resolve('it still runs'))
    expect(await quiet).toBe('nothing')
    clearTimeout(timer)
    heard.close()
    expect(await slow.scan(['some text here'], { timeoutMs: 5000 })).toMatchObject({
      failure: { kind: 'timeout' },
    })
    await slow.stop()
  })

  test('keeps to the hook’s own time where that is shorter, and to an owner who revoked it', async () => {
    const slow = createScanner({
      program: new URL('../../fixtures/scanner/spin.ts', import.meta.url),
      batchWithinMs: 60_000,
    })
    expect(await slow.scan(['some text here'], { timeoutMs: 500 })).toMatchObject({
      failure: { kind: 'timeout' },
    })
    const abort = new AbortController()
    const asked = slow.scan(['some text here'], { timeoutMs: 60_000, signal: abort.signal })
    abort.abort()
    expect(await asked).toMatchObject({ failure: { kind: 'killed' } })
    await slow.stop()
  })
})
