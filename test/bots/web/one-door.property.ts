import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChat } from '../../../bots/web/chat.ts'
import { createRoutes } from '../../../bots/web/http/routes.ts'
import { createSessions } from '../../../bots/web/http/sessions.ts'
import { noPasskeys } from '../../../bots/web/web.ts'
import { createChallenges } from '../../../bots/web/passkeys/challenges.ts'
import { createKey } from '../../../src/attack/gate/proof.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { canary, seenIn } from './canary.ts'
import { pushes, type RandomPush } from './random-forms.ts'
import { preferences } from './scripted-web.ts'
import { tries } from '../../tries.ts'

/**
 * Whatever is called inside the bot, and whatever is asked of the page, the canary is in nothing that anybody
 * is answered.
 */
const runs = tries(10_000)
const origin = 'http://127.0.0.1:8787'

const outgoingOf = ({ files, ...push }: RandomPush, more: Partial<OutgoingMessage> = {}): OutgoingMessage =>
  Object.freeze({
    outgoing_id: 'p',
    channel: 'web',
    chat_id: 'main',
    kind: 'push',
    code: [],
    ...push,
    files: files.map(({ name, type, bytes }) => new File([Uint8Array.from(bytes)], name, { type })),
    ...more,
  })

/** What is not the message that came through the door, beside one that did. */
const dresses: Readonly<Record<string, (bad: OutgoingMessage, good: OutgoingMessage) => unknown>> = {
  plain: (bad) => bad,
  thawed: (bad) => ({ ...bad }),
  notice: (bad) =>
    Object.freeze({ ...bad, kind: 'notice', type: 'notice', buttons: [[{ label: canary, press: 'a1' }]] }),
  'another place': (bad) => Object.freeze({ ...bad, replaces: canary, target: canary }),
  copied: (bad, good) => Object.freeze({ ...good, text: bad.text, parts: bad.parts, files: bad.files }),
  proxy: (bad, good) =>
    new Proxy(good, {
      get: (_, key) => Reflect.get(bad, key) as unknown,
      getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(bad, key),
    }),
  'bare proxy': (bad) => new Proxy(bad, {}),
  inherited: (bad, good) =>
    Object.create(good, {
      text: { value: bad.text, enumerable: true },
      parts: { value: bad.parts },
    }) as unknown,
  getters: (bad) =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Object.keys(bad).map((key) => [
          key,
          { enumerable: true, get: () => Reflect.get(bad, key) as unknown },
        ]),
      ),
    ),
  toJSON: (bad) => ({ ...bad, text: '', toJSON: () => bad }),
  list: (bad) => [bad],
  text: () => canary,
  nothing: () => undefined,
}

const blank = { type: 'text/html', bytes: new Uint8Array() }

const start = () => {
  const now = (): number => 1_750_000_000_000
  const admitted = new WeakSet<OutgoingMessage>()
  const sessions = createSessions(now)
  const trips: string[] = []
  const chat = createChat({
    now,
    isAdmitted: (outgoing) => admitted.has(outgoing),
    isOwner: () => true,
    cardOf: () => undefined,
    preferences: () => Promise.resolve(preferences),
    unreadable: () => {},
    refusedMessage: () => trips.push('deliver'),
  })
  const ignored = (): void => {}
  const app = createRoutes({
    page: { files: new Map(), importMap: "'self'", lost: blank, remote: blank },
    sessions,
    chat,
    url: () => origin,
    isRemote: false,
    challenges: createChallenges(now),
    passkeys: noPasskeys,
    unready: () => undefined,
    now,
    elapsedMs: now,
    known: ignored,
    said: async () => 'id',
    source: () => Promise.resolve(undefined),
    history: () => undefined,
    pressed: ignored,
    opened: ignored,
    entered: async () => undefined,
    loginMisused: ignored,
    failed: ignored,
  })
  const prove = createKey(now)
  const redeemed = async () =>
    (await (
      await ask(
        'POST',
        '/api/login',
        { dpop: prove('POST', `${origin}/api/login`) },
        JSON.stringify({ login: sessions.mintLogin() }),
      )
    ).json()) as { session: string }
  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Response> =>
    app.request(`${origin}${path}`, {
      method,
      headers: { host: new URL(origin).host, origin, ...headers },
      ...(body === undefined ? {} : { body }),
    })
  return { chat, admitted, trips, ask, prove, redeemed }
}

type Action =
  | { readonly do: 'stray'; readonly push: RandomPush; readonly dress: string }
  | { readonly do: 'admitted'; readonly push: RandomPush }
  | { readonly do: 'call'; readonly name: string }
  | { readonly do: 'request'; readonly at: number; readonly isIn: boolean }

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(pushes, fc.constantFrom(...Object.keys(dresses)))
      .map(([{ honest, poisoned }, dress]) => ({
        do: 'stray' as const,
        push: poisoned ?? { ...honest, text: canary },
        dress,
      })),
  },
  { weight: 2, arbitrary: pushes.map(({ honest }) => ({ do: 'admitted' as const, push: honest })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('working', 'refresh', 'sweep', 'file')
      .map((name) => ({ do: 'call' as const, name })),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ at: fc.nat(100), isIn: fc.boolean() })
      .map((request) => ({ do: 'request' as const, ...request })),
  },
)

/**
 * Requests that say the canary where nobody should say it back. A session's own `{text}` is the owner's word
 * and stays out.
 */
const requests: readonly (readonly [
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
])[] = [
  ['POST', '/api/say', {}, JSON.stringify({ text: 'x', [canary]: 1 })],
  ['POST', '/api/say', {}, JSON.stringify({ text: { [canary]: canary } })],
  ['POST', '/api/say', {}, canary],
  ['POST', '/api/press', {}, JSON.stringify({ press: canary, message_id: canary })],
  ['POST', '/api/press', {}, JSON.stringify({ press: `${canary} `, message_id: canary })],
  ['POST', '/api/login', {}, JSON.stringify({ login: canary })],
  ['POST', '/api/login', { dpop: canary }, JSON.stringify({ login: 'x'.repeat(2000) + canary })],
  ['POST', '/api/deliver', {}, JSON.stringify({ outgoing: { text: canary } })],
  [
    'POST',
    `/api/${canary}`,
    {},
    JSON.stringify({ type: 'message', message: { from: 'hookgate', text: canary } }),
  ],
  ['GET', `/api/files/${canary}`, {}],
  ['GET', `/api/files/${encodeURIComponent(`../${canary}`)}`, {}],
  ['GET', `/${canary}?${canary}`, {}],
  ['GET', `/page/${canary}`, {}],
  ['GET', '/api/stream', { authorization: `DPoP ${canary}` }],
  ['GET', '/api/stream', { host: canary }],
  ['GET', '/healthz', { origin: `http://${canary}` }],
  ['GET', '/healthz', { 'sec-fetch-site': canary, cookie: canary, referer: canary }],
  ['OPTIONS', `/api/say?${canary}`, { 'access-control-request-headers': canary }],
  ['PUT', `/${canary}`, {}, canary],
]

test('a secret in anything that did not come through the door: nothing that anybody is answered holds a byte of it', async () => {
  const { chat, admitted, trips, ask, prove, redeemed } = start()
  let session = ''
  const proofs = (method: string, path: string): Record<string, string> => ({
    authorization: `DPoP ${session}`,
    dpop: prove(method, `${origin}${path.replace(/\?.*/, '')}`, { session }),
  })
  // One tab that stays, as far as it has read; a new session now and then, since each remembers its proofs.
  let unread = ''
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  const enter = async (): Promise<void> => {
    await reader?.cancel()
    ;({ session } = await redeemed())
    reader = (await ask('GET', '/api/stream', proofs('GET', '/api/stream'))).body?.getReader()
  }
  const readTo = async (marker: string): Promise<string> => {
    while (!unread.includes(marker)) {
      const piece = await reader?.read()
      if (piece?.value === undefined) throw new Error('The stream ended.')
      unread += Buffer.from(piece.value).toString('latin1')
    }
    const text = unread
    unread = ''
    return text
  }
  const admit = (push: RandomPush, more: Partial<OutgoingMessage> = {}) => {
    const outgoing = outgoingOf(push, more)
    admitted.add(outgoing)
    return { outgoing, sent: chat.deliver(outgoing) }
  }
  const plain: RandomPush = { type: 'text', text: 'honest', marks: [], parts: [], files: [] }
  let [cases, strays, answered, delivered] = [0, 0, 0, 0]

  const property = fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 4 }), async (actions) => {
    if (cases++ % 500 === 0) await enter()
    const { outgoing: good, sent } = admit(plain)
    const anchor = await sent
    const target = anchor.kind === 'delivered' ? (anchor.message_id ?? '') : ''
    const answers: string[] = []
    for (const one of actions) {
      if (one.do === 'stray') {
        strays += 1
        const before = trips.length
        expect(
          await chat.deliver(dresses[one.dress]?.(outgoingOf(one.push, { target }), good) as OutgoingMessage),
        ).toMatchObject({ kind: 'failed' })
        expect(trips.length - before).toBe(1)
      } else if (one.do === 'admitted') {
        if ((await admit(one.push, { target }).sent).kind === 'delivered') delivered += 1
      } else if (one.do === 'call') {
        const calls = {
          working: () => chat.working(canary as never),
          refresh: () => (chat.refresh as (what: unknown) => Promise<void>)(canary),
          sweep: () => chat.sweep(() => true),
          file: () => chat.file(canary),
        }
        await calls[one.name as keyof typeof calls]()
      } else {
        const [method, path, headers, body] = requests[one.at % requests.length] ?? ['GET', '/', {}]
        const response = await ask(
          method,
          path,
          { ...(one.isIn ? proofs(method, path) : {}), ...headers },
          body,
        )
        answered += 1
        // The only thing that goes on is the stream, and that one is read anyway.
        if (response.headers.get('content-type')?.includes('ndjson') === true) await response.body?.cancel()
        else
          answers.push(
            `${[...response.headers].join()} ${Buffer.from(await response.arrayBuffer()).toString('latin1')}`,
          )
      }
    }
    const marker = `marker-${cases}.`
    await admit({ ...plain, text: marker }).sent
    answers.push(await readTo(marker))
    for (const answer of answers) expect(seenIn(answer)).toEqual([])
  })
  await fc.assert(property, { numRuns: runs })
  expect(seenIn(trips.join())).toEqual([])
  expect([strays > runs / 2, answered > runs / 3, delivered > runs / 4]).toEqual([true, true, true])
}, 120_000)
