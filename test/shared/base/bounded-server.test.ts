import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import {
  type BoundedServerOptions,
  boundsOf,
  createBoundedServer,
} from '../../../src/shared/base/bounded-server.ts'
import { budgets, type ListenerName } from '../../../src/shared/base/budgets.ts'
import { until } from '../../until.ts'

const sockets: Socket[] = []
const stops: (() => void)[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const stop of stops.splice(0)) stop()
})

type Visitor = Socket & { heard: string }

/** A server that keeps whoever says `known`, and holds the answer of whoever asks for `/wait`. */
const start = async (options: Partial<BoundedServerOptions> = {}) => {
  const waiting: { readonly response: ServerResponse; readonly gone: AbortSignal }[] = []
  const fulls: number[] = []
  const { server, know } = createBoundedServer({
    inAll: 10,
    perAddress: 6,
    full: (count) => void fulls.push(count),
    serve: (request, response, gone) => {
      if (request.headers['x-known'] !== undefined) know(request)
      if (request.url !== '/') waiting.push({ response, gone })
      if (request.url !== '/wait') response.end(request.url === '/large' ? Buffer.alloc(20_000_000) : 'ok')
    },
    ...options,
  })
  stops.push(() => (server.closeAllConnections(), server.close()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const visit = async (text: string, localAddress = '127.0.0.1'): Promise<Visitor> => {
    const socket: Visitor = Object.assign(connect({ port, host: '127.0.0.1', localAddress }), { heard: '' })
    sockets.push(socket)
    socket.on('error', () => undefined).on('data', (chunk) => void (socket.heard += chunk.toString()))
    await once(socket, 'connect')
    socket.write(text)
    return socket
  }
  const ask = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n${headers}\r\n`
  const held = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
  return { waiting, fulls, visit, ask, held }
}

const half = 'GET / HT'
const isOpen = (socket: Socket): boolean => !socket.closed && !socket.destroyed

test('half requests hold no more than their places, and the newest caller gets in', async () => {
  const { visit, ask, held, fulls } = await start()
  const strangers: Visitor[] = []
  for (let at = 0; at < 40; at++) strangers.push(await visit(half))
  await until('the oldest to be cut off', () => strangers.filter(isOpen).length <= 6)
  expect(await held()).toBeLessThanOrEqual(6)
  const caller = await visit(ask('/'))
  await until('its answer', () => caller.heard.includes('ok'))
  expect(fulls).toEqual([1])
})

test.runIf(process.platform === 'linux')('one address takes only its own places', async () => {
  const { visit, held } = await start()
  const other = await visit(half, '127.0.0.2')
  for (let at = 0; at < 30; at++) await visit(half)
  await until('its places', async () => (await held()) === 7)
  expect(isOpen(other)).toBe(true)
})

test('whoever showed who it is stays while strangers come and go, waiting or not', async () => {
  const { visit, ask, waiting } = await start()
  const idle = await visit(ask('/', 'x-known: 1\r\n'))
  const waits = await visit(ask('/wait', 'x-known: 1\r\n'))
  await until('both to be heard', () => idle.heard.includes('ok') && waiting[0])
  for (let at = 0; at < 30; at++) await visit(half)
  const caller = await visit(ask('/'))
  await until('an answer to the newest', () => caller.heard.includes('ok'))
  expect([isOpen(idle), isOpen(waits), waiting[0]?.gone.aborted]).toEqual([true, true, false])
})

test('a stranger that is being answered stays while others ask nothing, if half is free', async () => {
  const { visit, ask, waiting } = await start({ perAddress: 10 })
  const answered = await Promise.all(Array.from({ length: 5 }, () => visit(ask('/wait'))))
  await until('all of them', () => waiting.length === 5)
  for (let at = 0; at < 30; at++) await visit(half)
  expect(answered.every(isOpen)).toBe(true)
  for (let at = 0; at < 30; at++) await visit(ask('/wait'))
  const caller = await visit(ask('/'))
  await until('an answer to the newest', () => caller.heard.includes('ok'))
})

test('where all have shown who they are, the one that asks nothing gives its place', async () => {
  const { visit, ask, waiting } = await start({ isPrivate: true, perAddress: 10 })
  const busy = await Promise.all(Array.from({ length: 8 }, () => visit(ask('/wait'))))
  await until('all of them', () => waiting.length === 8)
  for (let at = 0; at < 20; at++) await visit(half)
  const caller = await visit(ask('/'))
  await until('its answer', () => caller.heard.includes('ok'))
  expect(busy.every(isOpen)).toBe(true)
})

test.each([{ headerMs: 200 }, { requestMs: 200 }])(
  'a header that does not end is waited for no longer than it may take: %j',
  async (bound) => {
    const { visit, held } = await start(bound)
    await visit(half)
    await visit('')
    await until('nobody to be there', async () => (await held()) === 0, 5000)
  },
)

test('a request that does not end is waited for no longer than it may take', async () => {
  const { visit, held } = await start({ requestMs: 200 })
  await visit('POST /wait HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf')
  await until('nobody to be there', async () => (await held()) === 0, 5000)
})

test('who takes nothing of an answer is cut off, and who waits for one is not', async () => {
  const { visit, ask, waiting } = await start({ stalledMs: 150 })
  const waits = await visit(ask('/wait'))
  const reader = await visit(ask('/large'))
  reader.pause()
  await until('the reader to be cut off', () => waiting[1]?.gone.aborted)
  expect([waiting[1]?.response.writableFinished, isOpen(waits)]).toEqual([false, true])
})

test('who got its whole answer is not told of as gone, and who leaves before is', async () => {
  const { visit, ask, waiting } = await start()
  const reader = await visit(ask('/said') + ask('/wait'))
  await until('the whole answer', () => waiting[0]?.response.closed)
  reader.destroy()
  await until('the other one to be gone', () => waiting[1]?.gone.aborted)
  expect(waiting[0]?.gone.aborted).toBe(false)
})

test('who asks on and on without waiting for an answer is cut off', async () => {
  const { visit, ask, waiting } = await start()
  const caller = await visit(ask('/wait').repeat(budgets.requests.perConnection + 1))
  await until('it to be cut off', () => caller.closed)
  expect(waiting).toHaveLength(budgets.requests.perConnection)
  expect(waiting.every(({ gone }) => gone.aborted)).toBe(true)
})

const limits = [64, 256, 1024, 4096, 20_000, Infinity]
test.each(limits)('of %s descriptors the listeners leave what the gate needs', (limit) => {
  const names = Object.keys(budgets.connections) as ListenerName[]
  const agents = 7
  const held = names.reduce((sum, name) => {
    const among = name === 'agent' ? agents : 1
    return sum + among * boundsOf(name, among, limit).inAll
  }, 0)
  const needed = Math.min(budgets.descriptors.reserved, limit / 2)
  expect(held).toBeLessThanOrEqual(Math.max(limit - needed, names.length + agents))
})

test('every listener for HTTP is made with these bounds', () => {
  const files = ['src', 'bots'].flatMap((folder) =>
    globSync('**', { cwd: folder, exclude: ['**/node_modules'] }).map((name) => join(folder, name)),
  )
  const making = /import .*\bcreateServer\b.* from '.*http/
  const makers = files.filter((file) => file.endsWith('.ts') && making.test(readFileSync(file, 'utf8')))
  expect(makers).toEqual(['src/shared/base/bounded-server.ts'])
})
