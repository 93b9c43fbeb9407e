import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Config } from '../../config/load.ts'
import { ProblemError } from '../../core/model/gate/problem.ts'

interface NeededPort {
  /** What the port is for, and how gate.yaml calls it. */
  readonly what: string
  readonly option: string
  readonly host: string
  readonly port: number
}

const loopback = '127.0.0.1'

/**
 * The ports without which a gate does not start, besides that of the page. It waits for the port of HTTP
 * hooks while it works.
 */
const portsOf = ({ metrics, nodes, telegram }: Config): readonly NeededPort[] => {
  const webhook = telegram?.webhook
  return [
    ...(metrics === undefined
      ? []
      : [{ what: 'metrics', option: 'metrics.port', host: loopback, port: metrics.port }]),
    ...(nodes === undefined ? [] : [{ ...nodes, what: 'the nodes', option: 'nodes.port' }]),
    ...(webhook === undefined
      ? []
      : [{ ...webhook, what: 'the webhook', option: 'channels.telegram.webhook.port' }]),
  ]
}

const hold = async ({ what, option, host, port }: NeededPort): Promise<Server> => {
  const server = createServer((socket) => socket.destroy())
  server.listen(port, host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException): never => {
    throw new ProblemError({
      code: 'port.taken',
      message: `Expected port ${port} on ${host} to be free for ${what}, got ${error.code ?? error.message}.`,
      fix: `Set another "${option}" in gate.yaml. A gate that waits takes its ports at once, because it needs them when it takes over.`,
    })
  })
  return server
}

/**
 * Takes the ports that a gate needs when it works, so that it can take over at any time. Resolves with a
 * function that frees them. Rejects with a ProblemError when one is taken.
 */
export const holdPorts = async (config: Config): Promise<() => Promise<void>> => {
  const held: Server[] = []
  const free = async (): Promise<void> => {
    for (const server of held.splice(0)) {
      server.close()
      await once(server, 'close')
    }
  }
  try {
    for (const needed of portsOf(config)) held.push(await hold(needed))
    return free
  } catch (error) {
    await free()
    throw error
  }
}
