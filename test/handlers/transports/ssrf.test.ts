import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { Agent } from 'undici'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { createAddressPolicy } from '../../../src/handlers/transports/addresses.ts'
import {
  createConnector,
  TargetRefused,
  type ConnectorPorts,
} from '../../../src/handlers/transports/connector.ts'
import { createHttpTransport } from '../../../src/handlers/transports/http.ts'
import { resolveProblem, urlProblem } from '../../../src/handlers/transports/target.ts'
import type { Transport } from '../../../src/handlers/transports/transport.ts'
import { json, startServer, type Answering, type HookServer } from '../../fixtures/http-hook/server.ts'
import { until } from '../../until.ts'
import { armed, eventOf } from '../armed.ts'
import { spellings, type Spelling } from './spellings.ts'

/**
 * There is no internet here: to these tests 127.0.0.2 is a public address, and nothing else in 127.0.0.0/8
 * is.
 */
const publicIp = '127.0.0.2'
const policy: ConnectorPorts['policy'] = (address) =>
  address === publicIp ? undefined : createAddressPolicy(false)(address)
const strict = { allowLocal: false, policy } as const

let inside: HookServer
let outside: HookServer
let answer: Answering = json({})
beforeAll(async () => {
  inside = await startServer(json({ decision: 'allow', reason: 'inside' }))
  outside = await startServer((response, received) => answer(response, received), {
    host: publicIp,
    port: inside.port,
  })
})
afterAll(async () => {
  await inside.stop()
  await outside.stop()
})

let touched: number
const endings: (() => Promise<unknown>)[] = []
beforeEach(() => {
  touched = inside.connections()
  answer = json({})
})
afterEach(async () => {
  for (const end of endings.splice(0)) await end()
})

const speech = { stdin: () => '{"event":"x"}', env: () => ({}) }
const transportOf = (ports: Partial<ConnectorPorts>): Required<Transport> => {
  const transport = createHttpTransport({ ...strict, speech, env: {}, now: Date.now, ...ports })
  endings.push(transport.stop)
  return transport
}
const askWith = (transport: Transport, url: string) =>
  transport.ask(armed('hook', { type: 'http', command: url }), eventOf('on_user_message'), {
    timeoutMs: 5000,
    chain: [],
  })
const ask = (url: string, ports: Partial<ConnectorPorts> = {}) => askWith(transportOf(ports), url)

/** Straight to the connector, past every check of the URL's text. */
const bare = async (url: string, ports: Partial<ConnectorPorts> = {}): Promise<number> => {
  const { origin, pathname, search } = new URL(url)
  const agent = new Agent({ connect: createConnector({ ...strict, ...ports }) })
  try {
    const { statusCode, body } = await agent.request({ origin, path: pathname + search, method: 'GET' })
    await body.dump()
    return statusCode
  } finally {
    await agent.destroy()
  }
}
const at = (url: string): string => url.replaceAll('PORT', String(inside.port))
/** A name server that gives these answers, one after another, and the last one for ever. */
const resolver = (...answers: readonly (readonly string[])[]) => {
  const asked: string[] = []
  return {
    asked,
    lookup: (name: string) => Promise.resolve(answers[Math.min(asked.push(name), answers.length) - 1] ?? []),
  }
}
/** What has a server at all, and not the one that is allowed. */
const isForConnector = ({ url }: Spelling): boolean => {
  const parsed = URL.parse(url.replace('PORT', '80'))
  return (
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    ![publicIp, `${publicIp}.`].includes(parsed.hostname)
  )
}
const reached = (): number => inside.connections() - touched

describe('no spelling of a forbidden server reaches it', () => {
  test.each(spellings)('$what: $url', async ({ url, lookedUp }: Spelling) => {
    const ports = lookedUp === undefined ? {} : resolver(lookedUp)
    expect(urlProblem(at(url), strict)).toMatchObject({
      code: expect.stringMatching(/^url\./),
      message: expect.stringMatching(/^Expected /),
      fix: expect.stringMatching(/\.$|…$/),
    })
    expect((await ask(at(url), ports)).failure?.kind).toBe('refused')
    expect(reached()).toBe(0)
  })

  test.each(spellings.filter(isForConnector))(
    'the connector by itself refuses $what: $url',
    async ({ url, lookedUp }) => {
      await expect(bare(at(url), resolver(lookedUp ?? ['127.0.0.1']))).rejects.toThrow(TargetRefused)
      expect(reached()).toBe(0)
    },
  )

  test.each(spellings.filter(({ isReached }) => isReached))(
    'where local servers are open, the connector does reach $what: $url',
    async ({ url }) => {
      expect(
        await bare(at(url), {
          allowLocal: true,
          policy: createAddressPolicy(true),
          lookup: () => Promise.resolve(['127.0.0.1']),
        }),
      ).toBe(200)
      expect(reached()).toBe(1)
    },
  )
})

test('the table is long enough to mean something', () => {
  expect(spellings.length).toBeGreaterThanOrEqual(60)
  expect(spellings.filter(({ isReached }) => isReached).length).toBeGreaterThanOrEqual(15)
})

describe('the one setting that opens local servers', () => {
  test('opens this machine and private networks', async () => {
    const { policy: _, ...rules } = { ...strict, allowLocal: true }
    const transport = createHttpTransport({ ...rules, speech, env: {}, now: Date.now })
    endings.push(transport.stop)
    expect(await askWith(transport, inside.origin)).toMatchObject({
      exitCode: 0,
      stdout: '{"decision":"allow","reason":"inside"}',
    })
    expect(reached()).toBe(1)
    for (const url of [
      'http://10.0.0.1/',
      'http://192.168.1.1/',
      'http://[fd12::1]/',
      'http://printer.local/',
      'http://localhost/',
    ])
      expect(urlProblem(url, rules)).toBeUndefined()
  })

  test.each([
    'http://169.254.169.254/',
    'http://169.254.170.2/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00:ec2::254]/',
    'http://[fd20:ce::254]/',
    'http://168.63.129.16/',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://metadata.google.internal/',
    'http://metadata/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[fe80::1]/',
  ])("opens no cloud's metadata service: %s", (url) => {
    expect(urlProblem(url, { allowLocal: true })?.code).toBe('url.target')
  })
})

test.each([
  'https://guard.example.com/hook?token=abc',
  'http://8.8.8.8/',
  'https://[2606:4700::1111]/x',
  'https://guard.example.com:8443/',
  'https://guard.example.com:443/',
  'HTTPS://Guard.Example.com/',
  'https://xn--bcher-kva.example/',
  'https://1.1.1.1',
  'https://metadata.example.com/',
  'https://guard.example.com./',
])('a public server passes: %s', (url) => {
  expect(urlProblem(url, { allowLocal: false })).toBeUndefined()
})

test('a server outside is reached, by address and by name', async () => {
  expect(await ask(outside.origin)).toMatchObject({ exitCode: 0, stdout: '{}' })
  expect(await ask(at('http://guard.example:PORT/'), resolver([publicIp]))).toMatchObject({
    exitCode: 0,
    stdout: '{}',
  })
})

describe('names', () => {
  const url = () => at('http://guard.example:PORT/')

  test.each<[string, readonly string[]]>([
    ['a private address', ['127.0.0.1']],
    ['a public one and a private one', [publicIp, '127.0.0.1']],
    ['a private one and a public one', ['127.0.0.1', publicIp]],
    ['a mapped IPv6 address', ['::ffff:127.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['IPv6 loopback', ['::1']],
    ['a scoped address', ['fe80::1%lo']],
    ['0.0.0.0', ['0.0.0.0']],
    ['metadata', ['169.254.169.254']],
    ['words', ['127.1']],
    ['octal', ['0177.0.0.1']],
  ])('a name that leads to %s is refused, at load and at the call', async (_, addresses) => {
    expect((await resolveProblem(url(), { ...strict, ...resolver(addresses) }))?.code).toBe('url.target')
    expect((await ask(url(), resolver(addresses))).failure?.kind).toBe('refused')
    expect(reached()).toBe(0)
  })

  test('a name that changes between load and call is judged again', async () => {
    const dns = resolver([publicIp], ['127.0.0.1'])
    expect(await resolveProblem(url(), { ...strict, ...dns })).toBeUndefined()
    expect((await ask(url(), dns)).failure).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining('127.0.0.1'),
    })
    expect(reached()).toBe(0)
  })

  test('a name that changes between lookup and connection leads where it was judged: it is looked up once', async () => {
    const dns = resolver([publicIp], ['127.0.0.1'])
    const before = outside.received.length
    expect((await ask(url(), dns)).failure).toBeUndefined()
    expect([outside.received.length - before, dns.asked.length, reached()]).toEqual([1, 1, 0])
  })

  test('a name that changes while a connection is kept does not lead inside', async () => {
    const transport = transportOf(resolver([publicIp], ['127.0.0.1']))
    const before = outside.connections()
    for (let call = 0; call < 3; call++) {
      expect((await askWith(transport, url())).failure).toBeUndefined()
      // The connection is free for the next one a moment after its answer is read.
      await new Promise(setImmediate)
    }
    expect([outside.connections() - before, reached()]).toEqual([1, 0])
    transport.retire(new Set())
    expect((await askWith(transport, url())).failure?.kind).toBe('refused')
    expect(reached()).toBe(0)
  })

  test('a name without an address is a warning at load and a fault at the call; a name server without end is not waited for', async () => {
    expect((await resolveProblem(url(), { ...strict, ...resolver([]) }))?.code).toBe('url.unresolved')
    expect(
      (await resolveProblem(url(), { ...strict, lookup: () => Promise.reject(new Error('ENOTFOUND')) }))
        ?.code,
    ).toBe('url.unresolved')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const late = resolveProblem(url(), { ...strict, lookup: () => new Promise(() => undefined) })
    await vi.advanceTimersByTimeAsync(3000)
    expect((await late)?.code).toBe('url.unresolved')
    vi.useRealTimers()
    expect(
      (await ask(url(), { lookup: () => Promise.reject(new Error('getaddrinfo ENOTFOUND guard.example')) }))
        .failure,
    ).toMatchObject({ kind: 'network', detail: expect.stringContaining('ENOTFOUND') })
  })

  test("the system's own name server is asked when no other is given", async () => {
    expect(await resolveProblem('http://localhost/', { allowLocal: true })).toBeUndefined()
    expect((await resolveProblem('http://nowhere.invalid/', { allowLocal: false }))?.code).toBe(
      'url.unresolved',
    )
  })
})

describe('redirects', () => {
  const locations = [
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://inside.example:PORT/',
    '//127.0.0.1:PORT/',
    'http://2130706433:PORT/',
  ]
  test.each(
    [301, 302, 303, 307, 308].flatMap((status) => locations.map((location) => ({ status, location }))),
  )('$status to $location is not followed', async ({ status, location }) => {
    answer = (response) => response.writeHead(status, { location: at(location) }).end()
    const { failure } = await ask(outside.origin, resolver(['127.0.0.1']))
    expect(failure).toMatchObject({
      kind: 'output',
      detail: expect.stringContaining(`${status}, a redirect`),
    })
    expect(reached()).toBe(0)
  })
})

test('no proxy of the environment is used', async () => {
  const names = [
    'HTTP_PROXY',
    'http_proxy',
    'HTTPS_PROXY',
    'https_proxy',
    'ALL_PROXY',
    'all_proxy',
    'NODE_USE_ENV_PROXY',
  ]
  const before = names.map((name) => [name, process.env[name]] as const)
  for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : inside.origin
  try {
    expect((await ask(outside.origin)).failure).toBeUndefined()
    expect((await ask(at('http://guard.example:PORT/'), resolver([publicIp]))).failure).toBeUndefined()
    expect(reached()).toBe(0)
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
})

test('a connection that one setting opened is not used under another', async () => {
  const open = transportOf({ allowLocal: true, policy: createAddressPolicy(true) })
  expect((await askWith(open, inside.origin)).failure).toBeUndefined()
  const before = inside.received.length
  expect((await ask(inside.origin)).failure?.kind).toBe('refused')
  expect(inside.received.length).toBe(before)
})

describe('the peer that answers', () => {
  let listener: Server
  let bytes = 0
  let accepted = 0
  beforeAll(async () => {
    listener = createServer((socket) => {
      accepted += 1
      socket
        .on('data', (chunk) => {
          bytes += chunk.length
        })
        .on('error', () => undefined)
    })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => new Promise((resolve) => listener.close(resolve)))
  const port = (): number => (listener.address() as AddressInfo).port

  test.each(['http', 'https'])('is judged before a byte is written to it: %s', async (scheme) => {
    const before = accepted
    // A network that leads elsewhere than the address that was dialled.
    const elsewhere: ConnectorPorts['dial'] = () => connect({ host: '127.0.0.1', port: port() })
    for (const host of [publicIp, 'guard.example']) {
      const { failure } = await ask(`${scheme}://${host}:${port()}/`, {
        dial: elsewhere,
        ...resolver([publicIp]),
      })
      expect(failure).toMatchObject({
        kind: 'refused',
        detail: expect.stringContaining('answered by 127.0.0.1'),
      })
    }
    await until('both connections', () => accepted === before + 2)
    expect(bytes).toBe(0)
  })

  test('is one that the name leads to, public or not', async () => {
    const third = '127.0.0.3'
    const wide: ConnectorPorts['policy'] = (address) => (address === third ? undefined : policy?.(address))
    const { failure } = await ask(at('http://guard.example:PORT/'), {
      policy: wide,
      dial: () => connect({ host: publicIp, port: outside.port }),
      ...resolver([third]),
    })
    expect(failure).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining('the name does not resolve to it'),
    })
  })
})
