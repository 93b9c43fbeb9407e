import { once } from 'node:events'
import {
  connect as connectTcp,
  isIP,
  type LookupFunction,
  type Socket,
  type TcpNetConnectOpts,
} from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { plainAddress } from './addresses.ts'
import { hostFlaw, hostOf, policyOf, systemLookup, type Lookup, type TargetRules } from './target.ts'

/** From the first packet to the end of the TLS handshake, in milliseconds. */
const connectMs = 10_000

/**
 * hookgate did not connect, or it closed the connection before it wrote a byte. The message is for the
 * person.
 */
export class TargetRefused extends Error {}

export interface ConnectorPorts extends TargetRules {
  readonly lookup?: Lookup
  /** `net.connect`, unless a test has another network. */
  readonly dial?: (options: TcpNetConnectOpts) => Socket
  /** A certificate authority beside the system's, in PEM. */
  readonly ca?: string
}

const refused = (what: string, why: string): TargetRefused =>
  new TargetRefused(`Hooks may not reach ${what}: ${why}. Nothing was sent. Name another server in "url".`)

/** Does no lookup: it returns the addresses that were checked, so that exactly these are dialled. */
const pinned =
  (addresses: readonly string[]): LookupFunction =>
  (_, options, done) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first] = found
    if (options.all === true) done(null, found)
    else done(null, first?.address ?? '', first?.family)
  }

/**
 * A connector for undici that checks where a hook connects: the host's text, every address of a name, and the
 * peer that answered. The peer is checked before anything is written, including a TLS greeting. Redirects
 * need no check: undici's plain `request` follows none, and any other request would use this connector again.
 */
export const createConnector = ({
  lookup = systemLookup,
  dial = connectTcp,
  ca,
  ...rules
}: ConnectorPorts): buildConnector.connector => {
  const policy = policyOf(rules)

  const addressesOf = async (host: string): Promise<readonly string[]> => {
    const flaw = hostFlaw(host, rules)
    if (flaw !== undefined) throw refused(JSON.stringify(host), flaw)
    if (isIP(host) !== 0) return [host]
    const addresses = await lookup(host)
    if (addresses.length === 0) throw new Error(`${host} has no address`)
    for (const address of addresses) {
      const flaw = policy(address)
      if (flaw !== undefined) throw refused(`${JSON.stringify(host)}, which resolves to ${address}`, flaw)
    }
    return addresses
  }

  const checkPeer = (socket: Socket, host: string, addresses: readonly string[]): void => {
    const peer = socket.remoteAddress
    const flaw =
      peer === undefined
        ? 'the connection is closed'
        : (policy(peer) ??
          (addresses.map(plainAddress).includes(plainAddress(peer))
            ? undefined
            : 'the name does not resolve to it'))
    if (flaw !== undefined) throw refused(`${JSON.stringify(host)} answered by ${peer ?? 'nobody'}`, flaw)
  }

  const open = async (hostname: string, port: number, isTls: boolean): Promise<Socket | TLSSocket> => {
    const host = hostOf(hostname)
    const addresses = await addressesOf(host)
    const signal = AbortSignal.timeout(connectMs)
    const socket = dial({ host, port, lookup: pinned(addresses), noDelay: true, keepAlive: true })
    // This listener is needed until undici adds its own, and after a refusal.
    socket.on('error', () => undefined)
    try {
      await once(socket, 'connect', { signal })
      checkPeer(socket, host, addresses)
      if (!isTls) return socket
      const tls = connectTls({
        socket,
        host,
        ALPNProtocols: ['http/1.1'],
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(ca === undefined ? {} : { ca }),
      })
      tls.on('error', () => undefined)
      await once(tls, 'secureConnect', { signal })
      return tls
    } catch (error) {
      socket.destroy()
      throw signal.aborted ? new Error(`no connection within ${connectMs / 1000} s`, { cause: error }) : error
    }
  }

  const connect = async (
    { hostname, port, protocol }: buildConnector.Options,
    done: buildConnector.Callback,
  ): Promise<void> => {
    const isTls = protocol === 'https:'
    let socket: Socket | TLSSocket
    try {
      socket = await open(hostname, port === '' ? (isTls ? 443 : 80) : Number(port), isTls)
    } catch (error) {
      done(error instanceof Error ? error : new Error('unknown'), null)
      return
    }
    done(null, socket)
  }
  return (options, done) => void connect(options, done)
}
