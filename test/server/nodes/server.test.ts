import { createHash, createPrivateKey, randomUUID, sign } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Arrival, Members } from '../../../src/server/nodes/members.ts'
import type { NodeServer } from '../../../src/server/nodes/server.ts'
import { readBytes } from '../../../src/server/body.ts'
import { createLink, type Link } from '../../../src/node/link.ts'
import { newKey } from '../../../src/node/identity.ts'
import type { InboxLine } from '../../../src/shared/events/inbox-line.ts'
import { lineEveryMs, nodePaths, silentMs, type NodeLine } from '../../../src/shared/nodes/protocol.ts'
import { membersOf, serveNodes } from '../../node/rig.ts'

const [key, other] = [newKey(), newKey()]
const nodes = new Map([[key.x, 'desk']])

let server: NodeServer
let members: Members
let served: string[]
let tellBuilder: ((line: InboxLine) => void) | undefined
beforeEach(async () => {
  nodes.set(key.x, 'desk')
  served = []
  tellBuilder = undefined
  members = membersOf({
    enrolled: () => [...nodes.values()],
    agentsOf: () => [{ id: 'builder', user: 'agent', make: { kind: 'demo' } }],
    follow: (node, agent, { send, ended }) => {
      if (node !== 'desk' || agent !== 'builder') return undefined
      tellBuilder = send
      return () => {
        tellBuilder = undefined
        ended()
      }
    },
  })
  server = await serveNodes({
    members,
    nodeOf: (publicKey) => nodes.get(publicKey),
    enrol: (code) =>
      Promise.resolve(
        code === 'good'
          ? { ok: true, name: 'desk' }
          : { ok: false, problem: { code: 'node.code', message: 'a wrong code', fix: 'another' } },
      ),
    agent: (node, id) =>
      node === 'desk' && id === 'builder'
        ? async (request, response) => {
            const isTheirs = await readBytes(request, 100).then(
              () => true,
              () => false,
            )
            if (isTheirs) served.push(`${node} ${id} ${request.method} ${request.url}`)
            response.end(isTheirs ? '{}' : '{"error":{"code":"node.body"}}')
          }
        : undefined,
    bridge: (node) => (request, response) => {
      served.push(`${node} bridge ${request.method} ${request.url}`)
      response.end('{}')
      return Promise.resolve()
    },
  })
})
afterEach(() => server.stop())

const linkOf = (of: typeof key, version = '1.0.0'): Link =>
  createLink({ key: of, gates: [`http://127.0.0.1:${server.port}`], version })
const ask = async (link: Link, method: string, path: string, body?: object): Promise<string> => {
  const answer = await link.send({
    method,
    path,
    ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
  })
  const text = await readText(answer)
  const { error } = JSON.parse(text === '' ? '{}' : text) as { error?: { code: string } }
  return `${answer.statusCode} ${error?.code ?? 'ok'}`
}

/** A proof as a program of somebody else could make it. */
const proof = (claims: object, header: object = {}, of = key): string => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: of.x }
  const head = part({ typ: 'dpop+jwt', alg: 'EdDSA', jwk, ...header })
  const text = `${head}.${part(claims)}`
  const signed = sign(null, Buffer.from(text), createPrivateKey({ key: { ...jwk, d: of.d }, format: 'jwk' }))
  return `${text}.${signed.toString('base64url')}`
}
const path = '/v1/node/agents/builder/v1/push'
const sha256Of = (body: string): string => createHash('sha256').update(body).digest('base64url')
const claimsNow = (more: object = {}): object => ({
  htm: 'POST',
  body: sha256Of('{}'),
  htu: `https://gate.example.org${path}`,
  jti: randomUUID(),
  iat: Math.floor(Date.now() / 1000),
  ...more,
})
const sendRaw = async (dpop: string | string[] | undefined, body = '{}'): Promise<string> => {
  const sent = httpRequest({
    port: server.port,
    path,
    method: 'POST',
    agent: false,
    headers: { 'x-hookgate-protocol': '3', ...(dpop === undefined ? {} : { dpop }) },
  })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const { error } = JSON.parse(await readText(answer)) as { error?: { code: string } }
  return error?.code ?? 'ok'
}

test('a node reaches its own agents and its bridges, each under the path of the interface on the machine itself', async () => {
  const link = linkOf(key)
  expect(await ask(link, 'POST', path, {})).toBe('200 ok')
  expect(await ask(link, 'POST', '/v1/node/bridge/claude-code/PreToolUse', {})).toBe('200 ok')
  expect(served).toEqual(['desk builder POST /v1/push', 'desk bridge POST /v1/bridge/claude-code/PreToolUse'])
  expect(await ask(link, 'POST', '/v1/node/agents/main/v1/push', {})).toBe('403 node.agent')
  expect(await ask(link, 'GET', '/v1/push')).toBe('404 path')
})

test('a key that is of no node reaches nothing but the door for codes', async () => {
  const link = linkOf(other)
  for (const [method, where] of [
    ['POST', path],
    ['POST', '/v1/node/lines'],
    ['POST', '/v1/node/inboxes'],
    ['GET', '/'],
  ] as const)
    expect(await ask(link, method, where)).toBe('403 node.unknown')
  expect(await ask(link, 'POST', '/v1/node/enrol', { code: 'bad', key: other.x })).toBe('403 node.code')
  expect(await ask(link, 'POST', '/v1/node/enrol', { code: 'good', key: other.x })).toBe('200 ok')
  expect(served).toEqual([])
})

test('a proof counts once, for its request, in its time, by its own key', async () => {
  const good = proof(claimsNow())
  expect(await sendRaw(good)).toBe('ok')
  const nowS = Math.floor(Date.now() / 1000)
  const wrong: Readonly<Record<string, string | string[] | undefined>> = {
    'used before': good,
    missing: undefined,
    'no token': 'x.y.z',
    'too long': 'x'.repeat(5000),
    'for another method': proof(claimsNow({ htm: 'GET' })),
    'for another path': proof(claimsNow({ htu: 'https://gate.example.org/v1/node/agents/builder/v1/inbox' })),
    'without a body': proof({ ...claimsNow(), body: undefined }),
    'without an id': proof({ ...claimsNow(), jti: undefined }),
    'of another type': proof(claimsNow(), { typ: 'jwt' }),
    'not signed': proof(claimsNow(), { alg: 'none' }),
    'signed by another key': proof(claimsNow(), { jwk: { kty: 'OKP', crv: 'Ed25519', x: key.x } }, other),
  }
  for (const [what, dpop] of Object.entries(wrong))
    expect([what, await sendRaw(dpop)]).toEqual([what, 'node.proof'])
  for (const iat of [nowS - 600, nowS + 600])
    expect(await sendRaw(proof(claimsNow({ iat })))).toBe('node.clock')
  expect(served).toHaveLength(1)
})

test('a body that the node has not signed is not taken, on any path that has one', async () => {
  expect(await sendRaw(proof(claimsNow()), '{"text":"another"}')).toBe('node.body')
  expect(await sendRaw(proof(claimsNow()), '')).toBe('node.body')
  expect(served).toEqual([])
  const bodies = [proof(claimsNow({ body: sha256Of('{"text":"another"}') })), proof(claimsNow({ body: 7 }))]
  expect(await sendRaw(bodies[0], '{"text":"another"}')).toBe('ok')
  expect(await sendRaw(bodies[1])).toBe('node.body')
})

test('another version of the protocol is told in words', async () => {
  const sent = httpRequest({
    port: server.port,
    path: '/v1/node/enrol',
    method: 'POST',
    agent: false,
    headers: { 'x-hookgate-protocol': '99' },
  })
  sent.end('{}')
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  expect(await readText(answer)).toContain(
    'Expected a node that speaks version 3 of the protocol, got version 99.',
  )
})

/** Asks for lines as a node does that knows the state of this number. */
const lines = async (link: Link, number = 0): Promise<readonly NodeLine[]> => {
  const text = await readText(await link.post(nodePaths.lines, { number }))
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as NodeLine)
}
const numberIn = (told: readonly NodeLine[]): number => {
  const last = told.at(-1)
  return last?.type === 'state' ? last.number : 0
}

test('the first answer says which agents the node runs, and then the state, which the next request confirms', async () => {
  const link = linkOf(key)
  const told = await lines(link)
  expect(told).toMatchObject([
    { type: 'hello', node: 'desk', agents: [{ id: 'builder' }] },
    { type: 'hooks', approvals: [] },
    { type: 'state', facts: { isArmed: true } },
  ])
  expect(await members.told(20)).toEqual(['desk'])
  const next = lines(link, numberIn(told))
  expect(await members.told(10_000)).toEqual([])
  expect(members.list()).toMatchObject([
    { node: 'desk', version: '1.0.0', lagMs: expect.any(Number) as number },
  ])
  members.tell()
  const changed = await next
  expect(changed).toMatchObject([{ type: 'state' }])
  expect(await members.told(20)).toEqual(['desk'])
  const after = lines(link, numberIn(changed))
  expect(await members.told(10_000)).toEqual([])
  members.tell()
  const again = await after
  members.tell()
  // What has changed while no request waited is told at once, and not when the time of the request is over.
  const askedMs = performance.now()
  expect(await lines(link, numberIn(again))).toMatchObject([{ type: 'state' }])
  expect(performance.now() - askedMs).toBeLessThan(lineEveryMs / 2)
  // A node that has not got an answer asks as one that begins, and so it loses none of the lines.
  expect(await lines(link)).toMatchObject([{ type: 'hello' }, { type: 'hooks' }, { type: 'state' }])
})

test('an agent of a node gets its lines among those of the node, as long as it listens under the same number', async () => {
  const link = linkOf(key)
  const told = await lines(link)
  const listen = async (inboxes: object): Promise<void> => {
    const answer = await link.post(nodePaths.inboxes, { inboxes })
    expect([answer.statusCode, await readText(answer)]).toEqual([200, '{}'])
  }
  const next = lines(link, numberIn(told))
  await listen({ builder: 7, main: 8 })
  tellBuilder?.({ type: 'ping' })
  expect((await next).slice(0, -1)).toEqual([{ type: 'inbox', number: 7, line: { type: 'ping' } }])
  const first = tellBuilder
  await listen({ builder: 7 })
  expect(tellBuilder).toBe(first)
  await listen({ builder: 9 })
  expect(tellBuilder).not.toBe(first)
  await listen({})
  expect(tellBuilder).toBeUndefined()
  await listen({ builder: 10 })
  // A stranger with a copy of the key is no process that is connected.
  await linkOf(key).post(nodePaths.inboxes, { inboxes: {} })
  expect(tellBuilder).toBeDefined()
  server.cut('desk')
  expect(tellBuilder).toBeUndefined()
})

test('a second process with the same key is refused while the first one is connected', async () => {
  await lines(linkOf(key))
  expect(await ask(linkOf(key), 'POST', nodePaths.lines, { number: 0 })).toBe('409 node.twice')
})

test('a node that is removed loses what it has open, and a node that has lost its gate is named', async () => {
  const link = linkOf(key)
  const told = await lines(link)
  const waits = lines(link, numberIn(told))
  expect(await members.told(10_000)).toEqual([])
  nodes.delete(key.x)
  server.cut('desk')
  await expect(waits.catch(() => [])).resolves.toEqual([])
  expect(members.list()).toEqual([])
  expect(await members.told(1000)).toEqual([])
  expect(await ask(linkOf(key), 'POST', nodePaths.lines, { number: 0 })).toBe('403 node.unknown')

  nodes.set(key.x, 'desk')
  const other = linkOf(key)
  const again = await lines(other)
  const lost = lines(other, numberIn(again)).catch(() => 'lost')
  expect(await members.told(10_000)).toEqual([])
  other.cut()
  expect(await lost).toBe('lost')
  // The broken connection says it, long before the silence does.
  await expect.poll(() => members.list(), { timeout: silentMs / 2 }).toEqual([])
  expect(await members.told(1000)).toEqual(['desk'])
})

test('of two processes with one key that both live an owner is told, and not of one that was started anew', () => {
  let nowMs = 0
  const told: string[] = []
  const fresh = membersOf({
    enrolled: () => ['desk'],
    hasTwin: (node) => void told.push(node),
    elapsedMs: () => nowMs,
  })
  const arrivals = ['a', 'b'].map((instance) => ({ node: 'desk', instance, version: '1' }))
  const [first, second] = arrivals
  if (first === undefined || second === undefined) throw new Error('There are two.')
  const known = new Map<Arrival, number>()
  /** A process asks as it does all the time. False: it is refused. */
  const asks = (arrival: Arrival): boolean =>
    fresh.take(arrival, known.get(arrival) ?? 0, (text) => {
      const state = JSON.parse(text.trim().split('\n').at(-1) || '{}') as { number?: number }
      known.set(arrival, state.number ?? 0)
    }) !== undefined
  expect(asks(first)).toBe(true)
  // The first one was killed, and its connection stands for a while.
  expect(asks(second)).toBe(false)
  nowMs += 60_000
  expect(asks(second)).toBe(true)
  expect(asks(second)).toBe(true)
  expect(told).toEqual([])
  // It had only stood still.
  expect(asks(first)).toBe(false)
  fresh.tell()
  expect(asks(second)).toBe(true)
  expect(told).toEqual(['desk'])
  expect(asks(first)).toBe(false)
  fresh.tell()
  expect(asks(second)).toBe(true)
  expect(told).toEqual(['desk'])
  nowMs += 60 * 60_000
  fresh.tell()
  expect(asks(second)).toBe(true)
  expect(asks(first)).toBe(false)
  fresh.tell()
  expect(asks(second)).toBe(true)
  expect(told).toEqual(['desk', 'desk'])
  fresh.stop()
})

test('a gate that has just started names the nodes that it has not heard, since they may know its predecessor', async () => {
  let nowMs = 5000
  const fresh = membersOf({
    enrolled: () => ['desk', 'shelf'],
    elapsedMs: () => nowMs,
  })
  expect(await fresh.told(1000)).toEqual(['desk', 'shelf'])
  const desk = { node: 'desk', instance: 'a', version: '1' }
  let number = 0
  fresh.take(desk, number, (text) => {
    number = (JSON.parse(text.trim().split('\n').at(-1) ?? '') as { number: number }).number
  })
  const end = fresh.take(desk, number, () => undefined)
  expect(await fresh.told(1000)).toEqual(['shelf'])
  // What a node knows of a switch that is off ends after 30 s without a line.
  nowMs += 40_000
  expect(await fresh.told(1000)).toEqual([])
  end?.()
  fresh.stop()
})
