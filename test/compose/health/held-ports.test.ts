import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from '../../../src/attack/gate/free-port.ts'
import { holdPorts } from '../../../src/compose/health/held-ports.ts'
import type { Config } from '../../../src/config/load.ts'

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    server.close()
    return true
  } catch {
    return false
  }
}
const configOf = (metrics: number, nodes: number): Config =>
  ({ metrics: { port: metrics }, nodes: { host: '127.0.0.1', port: nodes, url: '' } }) as unknown as Config

test('a gate that waits has its ports, and frees them for what needs them', async () => {
  const [metrics, nodes] = [await freePort(), await freePort()]
  const free = await holdPorts(configOf(metrics, nodes))
  expect([await isFree(metrics), await isFree(nodes)]).toEqual([false, false])
  await free()
  expect([await isFree(metrics), await isFree(nodes)]).toEqual([true, true])
})

test('a port that is taken is told with its option, and the others are free again', async () => {
  const [metrics, nodes] = [await freePort(), await freePort()]
  const other = createServer().listen(nodes, '127.0.0.1')
  await once(other, 'listening')
  await expect(holdPorts(configOf(metrics, nodes))).rejects.toMatchObject({
    problem: {
      message: `Expected port ${nodes} on 127.0.0.1 to be free for the nodes, got EADDRINUSE.`,
      fix: expect.stringContaining('"nodes.port"'),
    },
  })
  expect(await isFree(metrics)).toBe(true)
  other.close()
})
