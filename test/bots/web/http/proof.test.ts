import { generateKeyPairSync } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createHolder, readProof } from '../../../../bots/web/http/proof.ts'
import { createKey } from '../../../../src/attack/gate/proof.ts'
import { ask, logIn, post, startScripted, tryLogin, type Reply } from '../scripted-web.ts'

test('the example of RFC 9449 is a proof, of the key with the thumbprint that stands there', () => {
  const example =
    'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg'
  const asked = { method: 'POST', url: 'https://server.example.com/token', atMs: 1_562_262_616_000 }
  expect(readProof(example, asked)).toMatchObject({
    isGood: true,
    thumbprint: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I',
    jti: '-BwC3ESc6acc2lTc',
  })
  expect(readProof(example.replace('.eyJqdGki', '.eyJqdGkJ'), asked)).toMatchObject({ isGood: false })
})

test('a proof is remembered for as long as it is good; a full memory takes no new one and forgets none early', () => {
  let nowMs = 0
  const holder = createHolder('x', () => nowMs)
  for (let index = 0; index < 4000; index++)
    expect(holder.spend(`proof ${index}`, index === 0 ? 60_000 : 120_000)).toBeUndefined()
  expect(holder.spend('one more', 120_000)).toBe('too often')
  nowMs = 60_000
  expect(holder.spend('proof 0', 60_000)).toBe('with a proof that was used before')
  nowMs = 60_001
  expect(holder.spend('one more', 120_000)).toBeUndefined()
  expect(holder.spend('and another', 120_000)).toBe('too often')
  expect(holder.spend('proof 3999', 120_000)).toBe('with a proof that was used before')
})

describe('a stolen session', () => {
  let scripted: Awaited<ReturnType<typeof startScripted>>
  let base: string
  let prove: ReturnType<typeof createKey>
  let session: string
  beforeEach(async () => {
    scripted = await startScripted()
    base = scripted.web.url()
    prove = createKey(scripted.now)
    session = (
      JSON.parse((await tryLogin(scripted, scripted.web.mintLogin(), prove)).text) as { session: string }
    ).session
  })
  afterEach(() => scripted.web.stop())

  const say = (headers: Record<string, string>): Promise<Reply> =>
    ask(`${base}/api/say`, { method: 'POST', headers: { origin: base, ...headers }, body: '{"text":"hi"}' })
  const url = (): string => `${base}/api/say`
  const good = (): string => prove('POST', url(), { session })
  const inSeconds = (seconds: number): object => ({ iat: scripted.now() / 1000 + seconds })
  const jwk = (): object =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const coordinate = 'A'.repeat(43)

  test.for([
    ['without any proof', 'without its key', () => ({})],
    ['as a bearer’s', 'without its key', () => ({ authorization: `Bearer ${session}` })],
    [
      'as a bearer’s, with its own proof',
      'without its key',
      () => ({ authorization: `Bearer ${session}`, dpop: good() }),
    ],
    [
      'with a proof by another key',
      'with another key',
      () => ({ dpop: createKey(scripted.now)('POST', url(), { session }) }),
    ],
    [
      'with a proof for another path',
      'another request',
      () => ({ dpop: prove('POST', `${base}/api/press`, { session }) }),
    ],
    [
      'with a proof for another host',
      'another request',
      () => ({ dpop: prove('POST', 'http://evil.example/api/say', { session }) }),
    ],
    [
      'with a proof for another method',
      'another request',
      () => ({ dpop: prove('GET', url(), { session }) }),
    ],
    [
      'with a proof for another session',
      'another session',
      () => ({ dpop: prove('POST', url(), { session: 'another' }) }),
    ],
    ['with a proof for no session', 'another session', () => ({ dpop: prove('POST', url()) })],
    [
      'with a proof whose signature is another’s',
      'forged',
      () => ({ dpop: good().replace(/[^.]*$/, good().split('.')[2] ?? '') }),
    ],
    [
      'with a proof whose claims are another’s',
      'forged',
      () => ({
        dpop: good()
          .split('.')
          .with(1, good().split('.')[1] ?? '')
          .join('.'),
      }),
    ],
    [
      'with a proof that nobody signed',
      'an unreadable',
      () => ({ dpop: prove('POST', url(), { session, header: { alg: 'none' } }).replace(/[^.]*$/, '') }),
    ],
    [
      'with a proof that says it needs no signature',
      'an unreadable',
      () => ({ dpop: prove('POST', url(), { session, header: { alg: 'none' } }) }),
    ],
    [
      'with a token of another type',
      'an unreadable',
      () => ({ dpop: prove('POST', url(), { session, header: { typ: 'JWT' } }) }),
    ],
    [
      'with a proof that shows its private key',
      'an unreadable',
      () => ({ dpop: prove('POST', url(), { session, header: { jwk: jwk() } }) }),
    ],
    [
      'with a secret for a key',
      'an unreadable',
      () => ({
        dpop: prove('POST', url(), { session, header: { alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } } }),
      }),
    ],
    [
      'with a key that is no point of the curve',
      'an unreadable',
      () => ({
        dpop: prove('POST', url(), {
          session,
          header: { jwk: { kty: 'EC', crv: 'P-256', x: coordinate, y: coordinate } },
        }),
      }),
    ],
    [
      'with a header that must be understood',
      'an unreadable',
      () => ({ dpop: prove('POST', url(), { session, header: { crit: ['exp'] } }) }),
    ],
    [
      'with a proof without a name of its own',
      'an unreadable',
      () => ({ dpop: prove('POST', url(), { session, claims: { jti: '' } }) }),
    ],
    [
      'with a proof of 5000 characters',
      'an unreadable',
      () => ({ dpop: prove('POST', url(), { session, claims: { ath: 'x'.repeat(3500) } }) }),
    ],
    ['with something that is no proof', 'an unreadable', () => ({ dpop: 'a.b.c' })],
    ['with two proofs', 'an unreadable', () => ({ dpop: `${good()}, ${good()}` })],
  ] as const)(
    'says nothing %s: its owner hears why, whoever tried it only that there is no session',
    async ([, why, forged]) => {
      const nothing = await say({ authorization: `DPoP ${'a'.repeat(43)}`, dpop: good() })
      expect(scripted.misuses).toEqual([])
      const reply = await say({ authorization: `DPoP ${session}`, ...forged() })
      expect([reply.status, reply.text]).toEqual([401, nothing.text])
      expect(scripted.misuses).toEqual([
        expect.stringMatching(
          new RegExp(`^A session of the web page was tried .*${why}.* and was refused\\.`),
        ),
      ])
      expect(scripted.misuses.join()).not.toContain(session)
      expect(scripted.received).toEqual([])
      expect((await say({ authorization: `DPoP ${session}`, dpop: good() })).status).toBe(202)
    },
  )

  test('a proof is good once', async () => {
    const headers = { authorization: `DPoP ${session}`, dpop: good() }
    const replies = await Promise.all([say(headers), say(headers), say(headers)])
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 401, 401])
    scripted.pass(59_000)
    expect((await say(headers)).status).toBe(401)
    expect(scripted.received.length).toBe(1)
    expect(scripted.misuses).toEqual(Array.from({ length: 3 }, () => expect.stringContaining('used before')))
  })

  test('a proof is good for a minute, by the gate’s clock: the refusal says what it shows, and is no alarm', async () => {
    for (const [seconds, status] of [
      [-60, 202],
      [60, 202],
      [-61, 401],
      [61, 401],
      [-1e9, 401],
      [1e15, 401],
    ] as const) {
      const reply = await say({
        authorization: `DPoP ${session}`,
        dpop: prove('POST', url(), { session, claims: inSeconds(seconds) }),
      })
      expect([seconds, reply.status]).toEqual([seconds, status])
      if (status === 401) expect(Date.parse(reply.headers.date ?? '')).toBe(scripted.now())
    }
    expect(scripted.misuses).toEqual([])
  })

  test('ends nothing: neither its own session nor another', async () => {
    const other = await logIn(scripted)
    for (const path of ['/api/logout', '/api/press', '/api/say'])
      expect(
        (await post(base, path, { everywhere: true }, () => ({ authorization: `Bearer ${session}` }))).status,
      ).toBe(401)
    expect(
      (await ask(`${base}/api/stream`, { headers: { authorization: `Bearer ${session}` } })).status,
    ).toBe(401)
    expect((await say({ authorization: `DPoP ${session}`, dpop: good() })).status).toBe(202)
    expect((await post(base, '/api/say', { text: 'hi' }, other)).status).toBe(202)
  })
})

test('a login opens only for whoever shows a key, and is not used up before', async () => {
  const scripted = await startScripted()
  const base = scripted.web.url()
  const login = scripted.web.mintLogin()
  const url = `${base}/api/login`
  const prove = createKey(scripted.now)
  for (const dpop of [
    '',
    'x',
    prove('GET', url),
    prove('POST', `${base}/api/say`),
    prove('POST', url, { claims: { iat: 1 } }),
  ]) {
    const reply = await post(base, '/api/login', { login }, () => ({ dpop }))
    expect([reply.status, reply.text]).toEqual([401, expect.stringContaining('web.proof')])
  }
  expect((await tryLogin(scripted, login)).status).toBe(200)
  expect(scripted.misuses).toEqual([])
  await scripted.web.stop()
})
