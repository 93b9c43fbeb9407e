import { expect, test } from 'vitest'
import { createRig } from '../rig.ts'

const socket = 'POST /callback/ws/endpoint'
const info = 'GET /open-apis/bot/v3/info'
const token = 'POST /open-apis/auth/v3/tenant_access_token/internal'

/** The resources of this process that keep it alive, without those of the fake server and of vitest. */
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

test('a wrong secret and a wrong id are told once, in plain words, and the secret is in no log', async () => {
  for (const channel of [{ appSecret: 'wr0ng-secret' }, { appId: 'cli_ffffffffffffffff' }]) {
    const { server, channel: feishu, troubles, logs } = await createRig({ channel })
    await feishu.start()
    await server.waitFor(() => troubles.length > 0)
    expect(troubles).toEqual([
      {
        isBack: false,
        why: 'not connected, the id or the secret of the app is refused. Put both from the page "Credentials & Basic Info" of its developer console into the environment and start hookgate again.',
      },
    ])
    expect(logs()).toContain('feishu connection failed')
    expect(logs()).not.toMatch(/wr0ng-secret|secret-of-the-fake-app/)
    expect(server.calls(token)).toHaveLength(1)
  }
})

test('an app without the right to be a bot is told what to add', async () => {
  const { server, channel, troubles } = await createRig({ channel: { platform: 'feishu' } })
  server.fail(info, 9, { code: 99991672 })
  await channel.start()
  await server.waitFor(() => troubles.length > 0)
  expect(troubles[0]?.why).toContain('the app may not work as a bot')
})

test('a short outage is told to nobody, and what is written meanwhile arrives', async () => {
  const { server, received, troubles, connect, channel, outgoing } = await createRig()
  await connect()
  server.drop()
  server.say('while away')
  await server.waitFor(() => received.length === 1)
  expect([received[0]?.text, troubles]).toEqual(['while away', []])
  expect(await channel.deliver(outgoing('still here'))).toMatchObject({ kind: 'delivered' })
})

test('a refused long connection is tried again, because Feishu is only busy', async () => {
  const { server, channel } = await createRig()
  server.fail(socket, 1, { code: 1000040345, msg: 'system busy', status: 200 })
  await channel.start()
  await server.waitFor(() => server.isConnected())
  expect(server.calls(socket)).toHaveLength(2)
})

test.each(['cut', 'garbage'] as const)('a connection whose beginning is %s is tried again', async (fault) => {
  const { server, channel, logs } = await createRig()
  server.fail(token, 1, fault)
  await channel.start()
  await server.waitFor(() => server.isConnected())
  expect(logs()).toContain('feishu connection failed')
  expect(logs()).toContain('feishu connected')
})

test('an event that comes again while the first is being kept is answered each time', async () => {
  const { server, received, connect } = await createRig()
  await connect()
  server.say('hello')
  await server.waitFor(() => server.acks().length === 1)
  server.repeat(server.acks()[0]?.eventId ?? '')
  await server.waitFor(() => server.acks().length === 2)
  expect(received.map(({ message_id }) => message_id)).toEqual([
    received[0]?.message_id,
    received[0]?.message_id,
  ])
})

test.each(['left', 'unkept'])('an event that is %s is not answered as done', async (why) => {
  const { server, connect } = await createRig({ receive: () => why })
  await connect()
  server.say('hello')
  await server.waitFor(() => server.acks().length > 0)
  expect([server.acks()[0]?.code, server.pending().length]).toEqual([500, 1])
})

test('an event is answered only when the message is on disk', async () => {
  let keep: () => void = () => undefined
  const { server, received, connect } = await createRig({
    receive: () => new Promise<void>((resolve) => (keep = resolve)),
  })
  await connect()
  server.say('hello')
  await server.waitFor(() => received.length === 1)
  expect(server.acks()).toEqual([])
  keep()
  await server.waitFor(() => server.acks().length === 1)
})

test('an event that was not kept before a restart comes again after it', async () => {
  let isKept = false
  const { server, received, connect, channel } = await createRig({
    receive: () => (isKept ? undefined : new Promise(() => undefined)),
  })
  await connect()
  const id = server.say('hello')
  await server.waitFor(() => received.length === 1)
  await channel.stop()
  expect(server.acks()).toEqual([])
  isKept = true
  await channel.start()
  await server.waitFor(() => server.pending().length === 0)
  expect(received.map(({ message_id }) => message_id)).toEqual([id, id])
})

test('an event in pieces, and one of a kind that nobody asked for, are answered', async () => {
  const { server, received, connect } = await createRig({ server: { pieceBytes: 100 } })
  await connect()
  server.inject({ event_type: 'im.message.reaction.created_v1', event: { x: 1 } })
  server.say('x'.repeat(5000))
  await server.waitFor(() => received.length === 1)
  await server.waitFor(() => server.pending().length === 0)
  expect(received[0]?.text).toHaveLength(5000)
})

test.each<[string, (rig: Awaited<ReturnType<typeof createRig>>) => Promise<void>]>([
  ['before it began', async () => undefined],
  [
    'while it asks for a token',
    async ({ server, channel }) => {
      server.fail(token, 1, 'hang')
      await channel.start()
      await server.waitFor(() => server.calls(token).length === 1)
    },
  ],
  [
    'while it asks who it is',
    async ({ server, channel }) => {
      server.fail(info, 1, 'hang')
      await channel.start()
      await server.waitFor(() => server.calls(info).length === 1)
    },
  ],
  [
    'while it asks for a connection',
    async ({ server, channel }) => {
      server.fail(socket, 1, 'hang')
      await channel.start()
      await server.waitFor(() => server.calls(socket).length === 1)
    },
  ],
  [
    'while it waits for the next try',
    async ({ server, channel, logs }) => {
      server.fail(info, 1, { code: 99991672 })
      await channel.start()
      await server.waitFor(() => logs().includes('connection failed'))
    },
  ],
  ['while it is connected', async ({ connect }) => connect()],
  [
    'while it asks for a name',
    async ({ server, connect }) => {
      await connect()
      server.fail('*', 5, 'hang')
      server.say('hi')
      await server.waitFor(() => server.calls('GET /open-apis/contact/v3/users/:user_id').length === 1)
    },
  ],
])('a stop %s ends at once and leaves no timer and no connection', async (_, reach) => {
  const rig = await createRig()
  const before = timers()
  await reach(rig)
  const beganMs = performance.now()
  await rig.channel.stop()
  // A server that hangs is waited for twice as long.
  expect(performance.now() - beganMs).toBeLessThan(10_000)
  await rig.server.waitFor(() => rig.server.connections() === 0)
  await rig.server.waitFor(() => timers() <= before)
  const asked = rig.server.calls().length
  await rig.channel.stop()
  expect(rig.server.calls()).toHaveLength(asked)
})

test('after a stop it can be started again, and two starts make one connection', async () => {
  const { server, channel, received, connect } = await createRig()
  await Promise.all([channel.start(), channel.start()])
  await server.waitFor(() => server.isConnected())
  expect(server.calls(socket)).toHaveLength(1)
  const stopped = channel.stop()
  await Promise.all([stopped, connect()])
  await server.waitFor(() => server.calls(socket).length === 2 && server.isConnected())
  server.say('again')
  await server.waitFor(() => received.length === 1)
  expect(server.connections()).toBe(1)
})
