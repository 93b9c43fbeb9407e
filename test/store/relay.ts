/** A relay to a server that can lose its connections. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Relay {
  /** The address of the relay in place of the server's. */
  through(url: string): string
  /** How many connections are open. */
  connections(): number
  /** Ends all connections. New ones are refused until `restore`. */
  cut(): void
  /**
   * Keeps the connections, and passes nothing on until `restore`. A connection that has lost bytes passes
   * nothing on afterwards either.
   */
  silence(): void
  /** The same, but what was sent meanwhile arrives after `restore`, as in a network that was away. */
  hold(): void
  restore(): void
  /** New connections go to another server from now on. */
  turn(to: string): void
  stop(): Promise<void>
}

export const startRelay = async (to: string): Promise<Relay> => {
  let { hostname, port } = new URL(to)
  const sockets = new Set<Socket>()
  let state: 'open' | 'cut' | 'silent' | 'held' = 'open'
  const server = createServer((caller) => {
    const target = connect(Number(port || 5432), hostname)
    let isLost = false
    for (const [socket, other] of [
      [caller, target],
      [target, caller],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.on('data', (bytes: Buffer) => {
        isLost ||= state === 'silent'
        if (!isLost) other.write(bytes)
      })
      if (state === 'held') socket.pause()
    }
    if (state === 'cut') caller.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const own = typeof address === 'object' && address !== null ? address.port : 0
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    connections: () => sockets.size / 2,
    through: (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(own) }).href,
    cut: () => {
      state = 'cut'
      cut()
    },
    silence: () => {
      state = 'silent'
    },
    hold: () => {
      state = 'held'
      for (const socket of sockets) socket.pause()
    },
    restore: () => {
      state = 'open'
      for (const socket of sockets) socket.resume()
    },
    turn: (to) => {
      ;({ hostname, port } = new URL(to))
    },
    stop: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
