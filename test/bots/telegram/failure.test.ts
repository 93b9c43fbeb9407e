import { GrammyError, HttpError } from 'grammy'
import { expect, test } from 'vitest'
import { readFailure } from '../../../bots/telegram/failure.ts'

const network = (code: string, message: string) =>
  readFailure(new HttpError('Network request failed', Object.assign(new Error(message), { code })), [])

test.each([
  ['ECONNREFUSED', ''],
  ['ENOTFOUND', 'request to https://x/bot1:secret/sendMessage failed, reason: getaddrinfo ENOTFOUND x'],
  [
    'ETIMEDOUT',
    'request to https://x/bot1:secret/sendMessage failed, reason: connect ETIMEDOUT 10.0.0.1:443',
  ],
  [
    'EHOSTUNREACH',
    'request to https://x/bot1:secret/sendMessage failed, reason: connect EHOSTUNREACH 10.0.0.1:443',
  ],
  [
    'CERT_HAS_EXPIRED',
    'request to https://x/bot1:secret/sendMessage failed, reason: certificate has expired',
  ],
])('%s before the request means that it did not leave', (code, message) => {
  expect(network(code, message)).toEqual({ kind: 'unsent', code })
})

test.each([
  ['ECONNRESET', 'request to https://x/bot1:secret/sendMessage failed, reason: read ECONNRESET'],
  ['ETIMEDOUT', 'request to https://x/bot1:secret/sendMessage failed, reason: read ETIMEDOUT'],
  ['EPIPE', 'request to https://x/bot1:secret/sendMessage failed, reason: write EPIPE'],
  ['EHOSTUNREACH', 'request to https://x/bot1:secret/sendMessage failed, reason: read EHOSTUNREACH'],
])('%s after the connection stood means that the request may have arrived', (code, message) => {
  expect(network(code, message)).toEqual({ kind: 'lost', code })
})

test('an answer without an error code, or an error of any other kind, is lost and never throws', () => {
  const strange = new GrammyError('Call failed', { ok: false } as never, 'sendMessage', {})
  for (const error of [strange, new TypeError('x'), 'a string', null, undefined, { code: 7 }]) {
    expect(readFailure(error, ['secret'])).toMatchObject({ kind: 'lost' })
  }
})

test('a description is cut to 200 characters, and secrets are cut out of it', () => {
  const error = new GrammyError(
    'Call failed',
    { ok: false, error_code: 400, description: `secret ${'x'.repeat(500)}` },
    'sendMessage',
    {},
  )
  const failure = readFailure(error, ['secret'])
  expect(failure).toMatchObject({
    kind: 'refused',
    code: 400,
    description: expect.stringMatching(/^… x+$/) as string,
  })
  expect(failure.kind === 'refused' && failure.description.length).toBe(200)
})
