import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { createTokenCheck } from '../../../bridge/token.ts'
import { createSwitchWriter } from '../../../bridge/switch-writer.ts'
import { prepareFolders } from '../../../config/first-start.ts'
import type { Config } from '../../../config/load.ts'
import { version } from '../../../config/version.ts'
import { takeHome } from '../../../shared/disk/lock.ts'
import type { ChannelPorts } from '../../../core/model/chat/channel.ts'
import { isObject, parseJson } from '../../../core/model/base/json.ts'
import type { IncomingMessage } from '../../../shared/base/http.ts'
import { messageOf, ProblemError } from '../../../core/model/gate/problem.ts'
import { nodeName } from '../../../core/model/nodes/node.ts'
import { nodePaths } from '../../../shared/nodes/protocol.ts'
import { identityPath, newKey, readIdentity, writeIdentity, type Identity } from '../../../node/identity.ts'
import { createInboxes } from '../../../node/inboxes.ts'
import { createLink, refusalFrom, type Link } from '../../../node/link.ts'
import { runNode } from '../../../node/node.ts'
import { createRelay } from '../../../node/relay.ts'
import { httpAdmission, httpPath, listenForHttp } from '../../../server/bridge.ts'
import { refusalOf, writeReply } from '../../../server/reply.ts'
import { listenPrivately } from '../../../server/socket.ts'
import { createNodeWork } from './work.ts'

export interface NodeOptions {
  /** The addresses of the gate. Empty: those of the last time. */
  readonly gates: readonly string[]
  readonly code: string | undefined
  /** True when the person says that the network to the gate is one that nobody else reads or changes. */
  readonly isTrustedNetwork: boolean
  say(line: string): void
  readonly log: ChannelPorts['log']
  readonly signal: AbortSignal
}

const isLoopback = ({ hostname }: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

const checkGate = (gate: string, isTrustedNetwork: boolean): void => {
  const url = URL.parse(gate)
  const wrong = (what: string, fix: string): ProblemError =>
    new ProblemError({ code: 'node.gate', message: `Expected ${what}, got "${gate.slice(0, 200)}".`, fix })
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== ''
  )
    throw wrong(
      'the address of a gate, such as https://gate.example.org',
      'Take it from the answer to /nodes add.',
    )
  if (url.protocol === 'http:' && !isLoopback(url) && !isTrustedNetwork)
    throw wrong(
      'an https:// address, because others could read and change what goes to the gate',
      'Put a proxy with TLS in front of the gate. In a network that only your machines use, such as a VPN, add --trusted-network.',
    )
}

const nodeIn = (text: string): string => {
  const value = parseJson(text)
  const name = isObject(value) ? value['node'] : undefined
  if (typeof name === 'string' && nodeName.test(name)) return name
  throw new ProblemError({
    code: 'node.answer',
    message: 'Expected the name of this node from the gate, got something else.',
    fix: 'Look at the address of the gate, and type /nodes.',
  })
}

/** Lets this machine in with a code, and keeps its key. */
const enrol = async (home: string, gates: readonly string[], code: string): Promise<Identity> => {
  const key = newKey()
  const link = createLink({ key, gates, version: version() })
  /** Of several gates one works. */
  const ask = (): Promise<IncomingMessage> =>
    link.post(nodePaths.enrol, { code, key: key.x }).catch((error: unknown) => {
      if (!link.turn()) return ask()
      throw new ProblemError({
        code: 'node.away',
        message: `Expected a gate at ${gates.join(' or ')}, but it cannot be reached (${messageOf(error)}).`,
        fix: 'Check the address, and that the gate runs with nodes in its gate.yaml. The code still counts.',
      })
    })
  const answer = await ask()
  if (answer.statusCode !== 200) throw new ProblemError(await refusalFrom(answer))
  const name = nodeIn(await readText(answer))
  const identity = { name, gates, key }
  writeIdentity(home, identity)
  return identity
}

const identityOf = async ({ home }: Config, options: NodeOptions): Promise<Identity> => {
  const { gates, code, isTrustedNetwork } = options
  for (const gate of gates) checkGate(gate, isTrustedNetwork)
  const kept = readIdentity(home)
  const file = identityPath(home)
  if (code === undefined) {
    if (kept === undefined)
      throw new ProblemError({
        code: 'node.new',
        message: 'Expected a code, because this machine is no node yet, got none.',
        fix: 'Type /nodes add and a name in a chat with hookgate, and start the line that it answers.',
      })
    if (gates.length === 0) return kept
    writeIdentity(home, { ...kept, gates })
    return { ...kept, gates }
  }
  if (kept !== undefined)
    throw new ProblemError({
      code: 'node.known',
      message: `Expected a machine that is no node yet, got one that is the node ${kept.name}.`,
      fix: `Start "hookgate node" without a code, or remove ${file} first.`,
      file,
    })
  if (gates.length === 0)
    throw new ProblemError({
      code: 'node.gate',
      message: 'Expected the address of a gate beside the code, got none.',
      fix: 'Start the line that /nodes add answers, with --gate.',
    })
  return await enrol(home, gates, code)
}

/** Serves the clients of this machine that call HTTP hooks, as a gate does. Returns its end. */
const serveHttp = async (
  { home, bridge: { port } }: Config,
  link: Link,
  { say, log }: NodeOptions,
): Promise<() => void> => {
  if (port === 0) return () => undefined
  const admit = httpAdmission(createTokenCheck(home))
  const relay = createRelay({
    link,
    kind: 'loopback',
    refuses: (request, response) => {
      try {
        admit(request)
        return false
      } catch (error) {
        writeReply(response, refusalOf(error, log, { agent: 'bridge' }), true)
        return true
      }
    },
    pathOf: (path) =>
      path.startsWith(httpPath) ? `${nodePaths.bridge}${path.slice(httpPath.length)}` : undefined,
    log,
  })
  const endTries = await listenForHttp(relay, {
    port,
    after: (delayMs, run) => void setTimeout(run, delayMs).unref(),
    taken: (isTaken) =>
      say(
        isTaken
          ? `Port ${port} is taken: clients that call HTTP hooks are not served here. It is tried again every few seconds. Set another one in gate.yaml of this machine, bridge: {http: {port: …}}.`
          : `Port ${port} is free again: clients that call HTTP hooks are served.`,
      ),
  })
  return () => {
    endTries()
    relay.closeAllConnections()
    relay.close()
  }
}

/**
 * `hookgate node`: serves the agents and the bridges of this machine, and the gate on another machine judges
 * them. Rejects with a ProblemError when this machine cannot be a node.
 */
export const runAsNode = async (config: Config, options: NodeOptions): Promise<void> => {
  const { home, workspace } = config
  const { log, signal } = options
  prepareFolders(home, workspace)
  const lock = takeHome(home)
  try {
    const { key, gates } = await identityOf(config, options)
    const link = createLink({ key, gates, version: version() })
    const inboxes = createInboxes()
    const work = createNodeWork(config, { link, inboxes }, log)
    const relay = createRelay({
      link,
      kind: 'bridge',
      pathOf: (path) =>
        path.startsWith('/v1/bridge/') ? `${nodePaths.bridge}${path.slice('/v1/bridge/'.length)}` : undefined,
      log,
    })
    const writeSwitch = createSwitchWriter(home)
    // Until the gate has told its state, the clients of this machine are refused.
    writeSwitch({ isArmed: true, unreachable: 'owner' })
    await listenPrivately(relay, join(home, 'run', 'bridge.sock'))
    const endHttp = await serveHttp(config, link, options)
    try {
      await runNode({ ...options, home, link, inboxes, ...work, writeSwitch, now: Date.now, signal })
    } finally {
      await work.stop()
      endHttp()
      relay.closeAllConnections()
      relay.close()
    }
  } finally {
    lock.release()
  }
}
