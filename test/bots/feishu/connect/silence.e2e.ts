import { expect, test } from 'vitest'
import { createRig } from '../rig.ts'

/** The usual times would take this file a minute and a half. */
const patience = { pingS: 1, requestMs: 2000 } as const

test('a connection whose pings get no answer is given up, and a new one takes its place', async () => {
  const { server, received, connect } = await createRig({ server: { pingS: 2 }, channel: { patience } })
  await connect()
  server.mute(true)
  const before = server.calls('POST /callback/ws/endpoint').length
  await server.waitFor(() => server.calls('POST /callback/ws/endpoint').length > before, 120_000)
  server.mute(false)
  server.say('still here')
  await server.waitFor(() => received.length === 1, 60_000)
}, 200_000)

test('a request that gets no answer ends after its time, and the message may have arrived', async () => {
  const { server, channel, outgoing } = await createRig({ channel: { patience } })
  server.fail('POST /open-apis/im/v1/messages', 1, 'hang')
  expect(await channel.deliver(outgoing('hello'))).toMatchObject({ kind: 'retry' })
}, 60_000)
