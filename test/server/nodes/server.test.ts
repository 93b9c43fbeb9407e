import { createHash, createPrivateKey, randomUUID, sign } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMembers, type Members } from '../../../src/server/nodes/members.ts'
import { startNodeServer, type NodeServer } from '../../../src/server/nodes/server.ts'
import { readBytes } from '../../../src/server/body.ts'
import { createLink, type Link } from '../../../src/node/link.ts'
import { newKey } from '../../../src/node/identity.ts'
import { freePort } from '../../../src/attack/gate/free-port.ts'

const [key, other] = [newKey(), newKey()]
const nodes = new Map([[key.x, 'desk']])

let server: NodeServer
let members: Members
let served: string[]
beforeEach(async () => {
  nodes.set(key.x, 'desk')
  served = []
  members = createMembers({
    enrolled: () => [...nodes.values()],
    agentsOf: () => [{ id: 'builder', user: 'agent', make: { kind: 'demo' } }],
    approvalsOf: () => [],
    questions: { subscribe: () => () => undefined },
    facts: () => ({ isArmed: true, unreachable: 'owner' }),
    hasTwin: () => undefined,
    elapsedMs: () => performance.now(),
  })
  server = await startNodeServer({
    host: '127.0.0.1',
    port: await freePort(),
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
    propose: () => undefined,
    answer: () => false,
    file: () => undefined,
    bridge: (node) => (request, response) => {
      served.push(`${node} bridge ${request.method} ${request.url}`)
      response.end('{}')
      return Promise.resolve()
    },
    elapsedMs: () => performance.now(),
    log: () => undefined,
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
    headers: { 'x-hookgate-protocol': '2', ...(dpop === undefined ? {} : { dpop }) },
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
    ['GET', '/v1/node/stream'],
    ['POST', '/v1/node/beat'],
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
    'Expected a node that speaks version 2 of the protocol, got version 99.',
  )
})

test('the stream says first which agents the node runs, and then the state, which the node confirms', async () => {
  const link = linkOf(key)
  const stream = await link.send({ method: 'GET', path: '/v1/node/stream' })
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const lines = (): readonly { type: string; number?: number }[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { type: string; number?: number })
  await expect.poll(() => lines().length).toBe(3)
  const [hello, hooks, state] = lines()
  expect(hello).toMatchObject({ type: 'hello', node: 'desk', agents: [{ id: 'builder' }] })
  expect(hooks).toMatchObject({ type: 'hooks', approvals: [] })
  expect(state).toMatchObject({ type: 'state', facts: { isArmed: true } })
  expect(await members.told(20)).toEqual(['desk'])
  expect(await ask(link, 'POST', '/v1/node/beat', { number: state?.number })).toBe('200 ok')
  expect(await members.told(10_000)).toEqual([])
  expect(members.list()).toMatchObject([
    { node: 'desk', version: '1.0.0', lagMs: expect.any(Number) as number },
  ])
  stream.destroy()
})

test('a second process with the same key is refused while the first one is connected', async () => {
  const stream = await linkOf(key).send({ method: 'GET', path: '/v1/node/stream' })
  expect(await ask(linkOf(key), 'GET', '/v1/node/stream')).toBe('409 node.twice')
  stream.destroy()
})

test('a node that is removed loses what it has open, and a node that has lost its gate is named', async () => {
  const link = linkOf(key)
  const stream = await link.send({ method: 'GET', path: '/v1/node/stream' })
  const closed = once(stream.resume(), 'close')
  nodes.delete(key.x)
  server.cut('desk')
  await closed
  expect(members.list()).toEqual([])
  expect(await members.told(1000)).toEqual([])
  expect(await ask(link, 'GET', '/v1/node/stream')).toBe('403 node.unknown')

  nodes.set(key.x, 'desk')
  const again = await link.send({ method: 'GET', path: '/v1/node/stream' })
  const gone = once(again, 'close')
  again.destroy()
  await gone
  await expect.poll(() => members.list()).toEqual([])
  expect(await members.told(1000)).toEqual(['desk'])
})

test('of two processes with one key that both live an owner is told, and not of one that was started anew', () => {
  let nowMs = 0
  const told: string[] = []
  const fresh = createMembers({
    enrolled: () => ['desk'],
    agentsOf: () => [],
    approvalsOf: () => [],
    questions: { subscribe: () => () => undefined },
    facts: () => ({ isArmed: true, unreachable: 'owner' }),
    hasTwin: (node) => void told.push(node),
    elapsedMs: () => nowMs,
  })
  const [first, second] = ['a', 'b'].map((instance) => ({ node: 'desk', instance, version: '1' }))
  if (first === undefined || second === undefined) throw new Error('There are two.')
  fresh.open(
    first,
    () => undefined,
    () => undefined,
  )
  // The first one was killed, and its connection stands for a while.
  expect(fresh.mayOpen(second)).toBe(false)
  nowMs += 60_000
  expect(fresh.mayOpen(second)).toBe(true)
  fresh.open(
    second,
    () => undefined,
    () => undefined,
  )
  fresh.beat('desk', 1)
  expect(told).toEqual([])
  // It had only stood still.
  expect(fresh.mayOpen(first)).toBe(false)
  fresh.beat('desk', 2)
  expect(told).toEqual(['desk'])
  expect(fresh.mayOpen(first)).toBe(false)
  fresh.beat('desk', 3)
  expect(told).toEqual(['desk'])
  nowMs += 60 * 60_000
  fresh.beat('desk', 4)
  expect(fresh.mayOpen(first)).toBe(false)
  fresh.beat('desk', 5)
  expect(told).toEqual(['desk', 'desk'])
  fresh.stop()
})

test('a gate that has just started names the nodes that it has not heard, since they may know its predecessor', async () => {
  let nowMs = 5000
  const fresh = createMembers({
    enrolled: () => ['desk', 'shelf'],
    agentsOf: () => [],
    approvalsOf: () => [],
    questions: { subscribe: () => () => undefined },
    facts: () => ({ isArmed: true, unreachable: 'owner' }),
    hasTwin: () => undefined,
    elapsedMs: () => nowMs,
  })
  expect(await fresh.told(1000)).toEqual(['desk', 'shelf'])
  const end = fresh.open(
    { node: 'desk', instance: 'a', version: '1' },
    () => undefined,
    () => undefined,
  )
  fresh.beat('desk', 1)
  expect(await fresh.told(1000)).toEqual(['shelf'])
  // What a node knows of a switch that is off ends after 30 s without a line.
  nowMs += 40_000
  expect(await fresh.told(1000)).toEqual([])
  end()
  fresh.stop()
})
