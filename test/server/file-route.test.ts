import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGateClient } from '../../src/agents/client.ts'
import { createBoundedServer } from '../../src/shared/base/bounded-server.ts'
import { createFileRoute } from '../../src/server/file-route.ts'
import type { AgentPorts } from '../../src/server/ports.ts'
import { type AgentServer, startAgentServer } from '../../src/server/server.ts'

let folder = ''
let server: AgentServer | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookgate-file-route-'))
})
afterEach(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const refuse = (): never => {
  throw new Error('not asked here')
}
const start = async (file?: AgentPorts['file']) => {
  const socketPath = join(folder, 'main.sock')
  server = await startAgentServer({
    agentId: 'main',
    socketPath,
    ports: {
      fire: refuse,
      push: refuse,
      subscribe: () => () => undefined,
      ...(file === undefined ? {} : { file }),
    },
    log: () => undefined,
  })
  return createGateClient(socketPath)
}

test('a file comes over the socket byte for byte, as the agent of the socket', async () => {
  const asked: string[] = []
  const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => index % 253)
  const client = await start((agentId, id) => {
    asked.push(`${agentId} ${id}`)
    return { bytes: () => Promise.resolve(bytes) }
  })
  expect(Buffer.from(await client.file('p.0')).equals(bytes)).toBe(true)
  expect((await client.file('p.0')).length).toBe(3_000_000)
  expect(asked).toEqual(['main p.0', 'main p.0'])
})

test("one that is nobody's or another agent's is refused, and one that cannot be had says why", async () => {
  const client = await start((_agentId, id) =>
    id === 'away' ? { bytes: () => Promise.reject(new Error('Telegram did not give it')) } : undefined,
  )
  await expect(client.file('../../x')).rejects.toThrow(
    'Expected the id of a file that came with a prompt of this agent, got another or one whose turn has ended. Fetch it before the turn ends.',
  )
  await expect(client.file('away')).rejects.toThrow(
    'Expected the messenger to give the file, but Telegram did not give it. Ask the person to send it again.',
  )
  await server?.stop()
  await expect((await start()).file('p.0')).rejects.toThrow('Expected the id')
})

test('one file at a time is in memory, however many are asked for', async () => {
  const released = Promise.withResolvers<void>()
  let open = 0
  let most = 0
  const client = await start(() => ({
    bytes: async () => {
      most = Math.max(most, ++open)
      await released.promise
      open--
      return new Uint8Array(1000)
    },
  }))
  const asked = Array.from({ length: 20 }, () => client.file('p.0'))
  // By the answers to these, those have come in.
  for (let round = 0; round < 40; round++)
    await client.push({ channel: 'web', chat_id: 'main', session_id: 's', text: 'x' })
  expect(most).toBe(1)
  released.resolve()
  expect((await Promise.all(asked)).map(({ length }) => length)).toEqual(Array<number>(20).fill(1000))
  expect(most).toBe(1)
})

test('the next file is fetched when the one before is gone: who does not read holds one', async () => {
  let fetched = 0
  const next = (): Uint8Array => new Uint8Array(++fetched === 1 ? 20_000_000 : 1000)
  const client = await start(() => ({ bytes: () => Promise.resolve(next()) }))
  const unread = request({ socketPath: join(folder, 'main.sock'), path: '/v1/files/p.0', agent: false })
  unread.on('error', () => undefined).end()
  const [response] = (await once(unread, 'response')) as [IncomingMessage]
  response.pause()
  const second = client.file('p.0')
  const push = { channel: 'web', chat_id: 'main', session_id: 's', text: 'x' }
  for (let round = 0; round < 40; round++) await client.push(push)
  expect(fetched).toBe(1)
  unread.destroy()
  expect(await second).toHaveLength(1000)
})

test('who takes too long over a file is cut off, and the next one is served', async () => {
  const ports = { file: () => ({ bytes: () => Promise.resolve(new Uint8Array(20_000_000)) }) }
  const route = createFileRoute('main', ports, { answerMs: 200 })
  const ended: boolean[] = []
  const { server: slow } = createBoundedServer({
    inAll: 10,
    perAddress: 10,
    full: () => undefined,
    serve: (_, response, gone) => {
      void route(response, 'p.0', gone).then(() => ended.push(response.writableFinished))
    },
  })
  slow.listen(join(folder, 'slow.sock'))
  await once(slow, 'listening')
  for (let reader = 0; reader < 2; reader++) {
    const asked = request({ socketPath: join(folder, 'slow.sock'), agent: false })
    asked
      .on('error', () => undefined)
      .on('response', (response) => response.pause())
      .end()
  }
  await expect.poll(() => ended).toEqual([false, false])
  slow.closeAllConnections()
  slow.close()
})
