import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Asked } from '../../src/node/link.ts'
import { createRelay, maxRelayedBytes } from '../../src/node/relay.ts'
import { maxEventBytes } from '../../src/server/body.ts'
import { maxPushBytes } from '../../src/server/push-request.ts'

test('a relay hands a request on when it is whole, since the node signs it', async () => {
  const asked: Asked[] = []
  const answer = Object.assign(Readable.from(['{}']), { statusCode: 200, headers: {} }) as IncomingMessage
  const relay = createRelay({
    link: {
      send: (one) => {
        asked.push(one)
        return Promise.resolve(answer)
      },
    },
    kind: 'agent',
    pathOf: (path) => `/there${path}`,
    log: () => undefined,
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  const { port } = relay.address() as AddressInfo
  const sent = httpRequest({ port, path: '/v1/push', method: 'POST', agent: false })
  sent.write('{"text":')
  sent.end('"hello"}')
  const [answered] = (await once(sent, 'response')) as [IncomingMessage]
  expect(await readText(answered)).toBe('{}')
  expect(asked).toMatchObject([{ method: 'POST', path: '/there/v1/push', headers: { 'content-length': 16 } }])
  expect(String(asked[0]?.body)).toBe('{"text":"hello"}')
  relay.close()
})

test('a body that a relay cuts is too large for the gate, which says so', () =>
  expect(maxRelayedBytes).toBeGreaterThan(Math.max(maxEventBytes, maxPushBytes)))
