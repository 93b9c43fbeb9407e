import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { boundsOf } from '../../shared/base/bounded-server.ts'
import type { ChannelPorts } from '../../core/model/chat/channel.ts'
import { isObject, type JsonObject } from '../../core/model/base/json.ts'
import { type Acted, ProblemError, type Problem } from '../../core/model/gate/problem.ts'
import { nodePaths, nodeProtocol } from '../../shared/nodes/protocol.ts'
import { bridgePath } from '../bridge.ts'
import { readObject } from '../body.ts'
import { createListener, type Attend } from '../listener.ts'
import { RefusedError, type HttpReply } from '../ports.ts'
import { writeReply } from '../reply.ts'
import type { Arrival, Members } from './members.ts'
import { createProofCheck } from './proof.ts'

const maxEnrolBytes = 4096
const maxLinesBytes = 256
const maxInboxesBytes = 64 * 1024
const maxProposalBytes = 8 * 1024 * 1024
/** An answer may hold the files of an entry, in base64. */
const maxAnswerBytes = 32 * 1024 * 1024
const anInstance = /^[\w-]{1,64}$/
const aVersion = /^[\w.+-]{1,64}$/

export interface NodeServerOptions {
  readonly host: string
  readonly port: number
  readonly members: Members
  /** The name of the node that has this public key. */
  nodeOf(publicKey: string): string | undefined
  /** Lets in the machine that has a code of /nodes add. `from` is the address of the caller. */
  enrol(code: string, publicKey: string, from: string): Promise<Acted<{ readonly name: string }>>
  /** The interface of an agent that this node runs. */
  agent(node: string, id: string): Attend | undefined
  /** Takes what the workspace of a node proposes. Returns why that is not possible, or undefined. */
  propose(node: string, body: JsonObject): Problem | undefined
  /** Returns false when no question with this id waits for this node. */
  answer(node: string, id: string, body: JsonObject): boolean
  /** The bytes of a sealed file of a hook that this node runs. */
  file(node: string, sha256: string): Buffer | undefined
  /** The interface for the bridges of this node. */
  bridge(node: string): Attend
  readonly elapsedMs: () => number
  /** So long a connection stays open on which a node asks nothing. Absent: as long as on other listeners. */
  readonly keepAliveMs?: number
  readonly log: ChannelPorts['log']
}

export interface NodeServer {
  readonly port: number
  /** Ends everything that a node has open here, because it is a node no longer. */
  cut(node: string): void
  stop(): Promise<void>
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const checkProtocol = ({ headers }: IncomingMessage): void => {
  const theirs = text(headers['x-hookgate-protocol']).slice(0, 20)
  if (theirs === String(nodeProtocol)) return
  throw new RefusedError(
    409,
    'node.protocol',
    `Expected a node that speaks version ${nodeProtocol} of the protocol, got ${theirs === '' ? 'none' : `version ${theirs}`}.`,
    'Install the same version of hookgate on the gate and on the node.',
  )
}

const arrivalOf = (node: string, { headers }: IncomingMessage): Arrival => {
  const [instance, version] = [text(headers['x-hookgate-instance']), text(headers['x-hookgate-version'])]
  if (anInstance.test(instance) && aVersion.test(version)) return { node, instance, version }
  throw new RefusedError(
    400,
    'node.headers',
    'Expected the headers of a node, got others.',
    'Use "hookgate node".',
  )
}

const noSuchPath = (method: string, path: string): RefusedError =>
  new RefusedError(
    404,
    'path',
    `Expected a path for nodes, got ${method} ${path.slice(0, 80)}.`,
    'Use "hookgate node". It knows the paths.',
  )

/** Answers a request by another interface, as if it had come in there under this path. */
const handOver = async (
  attend: Attend,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> => {
  request.url = path
  await attend(request, response, gone)
}

/**
 * Starts the interface for nodes. Everybody who reaches the port may try a code. Everything else needs a
 * proof with the key of a node. Rejects with a ProblemError when the port cannot be used.
 */
export const startNodeServer = async (options: NodeServerOptions): Promise<NodeServer> => {
  const { host, port, members, nodeOf, log } = options
  const checkProof = createProofCheck(options.elapsedMs)
  /** The answers that nodes wait for. Several nodes may share a connection, where a proxy serves them. */
  const underWay = new Map<string, Set<ServerResponse>>()
  const note = (node: string, response: ServerResponse): void => {
    const answers = underWay.get(node) ?? new Set()
    underWay.set(node, answers.add(response))
    response.once('close', () => {
      answers.delete(response)
      if (answers.size === 0 && underWay.get(node) === answers) underWay.delete(node)
    })
  }

  const enrol = async (request: IncomingMessage): Promise<HttpReply> => {
    const { code, key } = await readObject(request, maxEnrolBytes)
    const done = await options.enrol(text(code), text(key), request.socket.remoteAddress ?? '')
    if (done.ok) return { status: 200, body: { node: done.name } }
    const { code: problem, message, fix } = done.problem
    return { status: 403, error: { code: problem, message, fix } }
  }

  /** Answers when there are lines for the node. Until then this is the one connection that it has here. */
  const giveLines = async (
    arrival: Arrival,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const { number } = await readObject(request, maxLinesBytes)
    // The node may have gone, or was removed, while its request was read.
    if (response.destroyed) return
    const end = members.take(arrival, typeof number === 'number' ? number : 0, (lines) => {
      const headers = { 'content-type': 'application/x-ndjson', 'content-length': Buffer.byteLength(lines) }
      response.writeHead(200, headers).end(lines)
    })
    if (end === undefined)
      throw new RefusedError(
        409,
        'node.twice',
        `Expected one process as the node ${arrival.node}, got a second one.`,
        'Stop the other process, or let this machine in under a name of its own: /nodes add.',
      )
    response.once('close', end)
  }

  const serveNode = async (
    node: string,
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> => {
    const method = String(request.method)
    if (path.startsWith(nodePaths.bridge)) {
      const rest = path.slice(nodePaths.bridge.length)
      return await handOver(options.bridge(node), `${bridgePath}${rest}`, request, response, gone)
    }
    if (path.startsWith(nodePaths.agents)) {
      const [id = '', ...rest] = path.slice(nodePaths.agents.length).split('/')
      const attend = options.agent(node, id)
      if (attend === undefined)
        throw new RefusedError(
          403,
          'node.agent',
          `Expected an agent that runs on ${node}, got "${id.slice(0, 60)}".`,
          'Name the node of the agent in gate.yaml.',
        )
      return await handOver(attend, `/${rest.join('/')}`, request, response, gone)
    }
    if (path.startsWith(nodePaths.files) && method === 'GET') {
      const bytes = options.file(node, path.slice(nodePaths.files.length))
      if (bytes === undefined) throw noSuchPath(method, path)
      response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
      return
    }
    if (method !== 'POST') throw noSuchPath(method, path)
    if (path === nodePaths.lines) return await giveLines(arrivalOf(node, request), request, response)
    const done = (): void => writeReply(response, { status: 200, body: {} }, listener.isStopping())
    if (path === nodePaths.proposals) {
      listener.takeRoom(request, maxProposalBytes)
      const problem = options.propose(node, await readObject(request, maxProposalBytes))
      if (problem === undefined) return done()
      throw new RefusedError(400, problem.code, problem.message, problem.fix)
    }
    if (path.startsWith(nodePaths.answers)) {
      listener.takeRoom(request, maxAnswerBytes)
      const id = path.slice(nodePaths.answers.length)
      // An answer that nobody waits for any more is no fault of the node.
      options.answer(node, id, await readObject(request, maxAnswerBytes))
      return done()
    }
    if (path !== nodePaths.inboxes) throw noSuchPath(method, path)
    const { inboxes } = await readObject(request, maxInboxesBytes)
    const listening = Object.entries(isObject(inboxes) ? inboxes : {}).flatMap(
      ([agent, number]): readonly [string, number][] => (typeof number === 'number' ? [[agent, number]] : []),
    )
    members.listen(arrivalOf(node, request), new Map(listening))
    done()
  }

  const listener = createListener({
    maxInFlight: Infinity,
    connections: boundsOf('node'),
    ...(options.keepAliveMs === undefined ? {} : { keepAliveMs: options.keepAliveMs }),
    isPrivate: false,
    agent: 'nodes',
    log,
    serve: async (request, response, { signal }) => {
      checkProtocol(request)
      const path = String(request.url).split('?')[0] ?? ''
      if (path === nodePaths.enrol && request.method === 'POST')
        return writeReply(response, await enrol(request), listener.isStopping())
      const node = nodeOf(await checkProof(request, (key) => nodeOf(key) !== undefined))
      // An owner may have removed the node while its proof was checked.
      if (node === undefined) throw noSuchPath('a request', 'of no node')
      listener.know(request)
      note(node, response)
      await serveNode(node, path, request, response, signal)
    },
  })
  const { server } = listener
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch {
    throw new ProblemError({
      code: 'nodes.port',
      message: `Expected port ${port} on ${host} to be free for the nodes, but it could not be used.`,
      fix: 'Name another port in gate.yaml: nodes: {port: …}.',
    })
  }
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    cut: (node) => {
      members.remove(node)
      for (const response of underWay.get(node) ?? []) response.destroy()
    },
    stop: () => listener.stop(members.stop),
  }
}
