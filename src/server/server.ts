import type { IncomingMessage, ServerResponse } from 'node:http'
import { yieldIfLarge } from '../core/model/base/yield-if-large.ts'
import { boundsOf } from '../shared/base/bounded-server.ts'
import { budgets } from '../shared/base/budgets.ts'
import type { ChannelPorts } from '../core/model/chat/channel.ts'
import { inboxPath } from '../shared/events/inbox-line.ts'
import { EVENT_NAMES, isEventName } from '../core/model/events/event.ts'
import { nearest } from '../shared/base/nearest.ts'
import { maxEventBytes, readObject } from './body.ts'
import { checkEvent, fireOptions } from './fields.ts'
import { createFileRoute, filesPath } from './file-route.ts'
import { answerMcp, maxCallBytes, mcpPath, writeMcp } from './mcp/route.ts'
import { createToolRun } from './mcp/run-tools.ts'
import { createListener, type Attend, type Attendance } from './listener.ts'
import type { FireForAgent, ModelProxy } from './model-proxy/model-proxy.ts'
import { maxPushBytes, pushRequest } from './push-request.ts'
import { createSubscriberSlot, pingEveryMs, type SubscriberSlot } from './subscriber.ts'
import { type AgentPorts, RefusedError, type HttpReply } from './ports.ts'
import { writeLargeReply, writeReply } from './reply.ts'
import { listenPrivately } from './socket.ts'

const eventsPath = '/v1/events/'
const builtinsPath = '/v1/builtins/'
const modelPath = '/v1/model/chat/completions'
const worldPath = '/v1/world'
const hostHeader = 'x-hookgate-host'
const maxBuiltinBytes = 64 * 1024

export interface AgentServerOptions {
  readonly agentId: string
  /** Absent: the agent runs on a node, and the listener for nodes hands its requests over. */
  readonly socketPath?: string
  /**
   * What the gate's own host of this agent sends with each request. It gives room and no right. Absent: the
   * host is elsewhere.
   */
  readonly hostKey?: string
  /** The user who may open the socket. Absent: this user. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
  readonly ports: AgentPorts
  /** The proxy to the model of this agent. Absent: it has no model. */
  readonly model?: Pick<ModelProxy, 'forward'> | undefined
  readonly log: ChannelPorts['log']
  /** The number of agents that share the connection limit. Absent: this agent has all of it. */
  readonly agents?: number
  readonly pingEveryMs?: number
}

export interface AgentServer extends Pick<SubscriberSlot, 'follow'> {
  readonly attend: Attend
  /** Refuses new requests, gives running ones 2 s to end, and removes the socket. */
  stop(): Promise<void>
}

const noSuchPath = (method: string, path: string): RefusedError =>
  new RefusedError(
    404,
    'path',
    `Expected POST ${eventsPath}<event>, POST /v1/push, POST ${builtinsPath}<id>, POST ${modelPath}, ` +
      `POST ${mcpPath}, GET ${filesPath}<id>, GET ${worldPath} or GET /v1/inbox, ` +
      `got ${method} ${path.slice(0, 80)}.`,
    'Use one of the eight.',
  )

const worldReply = ({ world }: AgentPorts): HttpReply => {
  if (world === undefined) {
    const message = 'Expected a gate that says where its hooks run, got one that does not.'
    throw new RefusedError(404, 'world.none', message, 'Try the hook without it.')
  }
  return { status: 200, body: { ...world } }
}

const eventOf = (path: string): (typeof EVENT_NAMES)[number] => {
  const name = path.slice(eventsPath.length)
  if (isEventName(name)) return name
  const near = nearest(name, EVENT_NAMES)
  throw new RefusedError(
    404,
    'event',
    `Expected the name of an event, got "${name.slice(0, 60)}".`,
    near === undefined ? 'The names are in the reference.' : `Did you mean "${near}"?`,
  )
}

/**
 * Starts the HTTP interface of one agent on the socket of that agent. It checks shapes and limits and passes
 * requests on. It judges nothing, and no request can change the gate.
 */
export const startAgentServer = async (options: AgentServerOptions): Promise<AgentServer> => {
  const { agentId, socketPath, hostKey, ports, log } = options
  const inbox = createSubscriberSlot({
    subscribe: (send) => ports.subscribe(agentId, send),
    pingEveryMs: options.pingEveryMs ?? pingEveryMs,
  })
  const sendFile = createFileRoute(agentId, ports)

  /**
   * These requests are not counted as in flight, because the events in flight may wait for exactly this
   * answer.
   */
  const takeAnswer = async (request: IncomingMessage, id: string): Promise<HttpReply> => {
    const body = await readObject(request, maxBuiltinBytes)
    if (ports.answerBuiltin?.(agentId, id, body) === true) return { status: 200, body: {} }
    throw new RefusedError(
      404,
      'builtin.unknown',
      'Expected the id of a question that waits for this agent, got an unknown id, or one that was answered or has expired.',
      'Answer each builtin line of the inbox once.',
    )
  }

  const push = async (request: IncomingMessage): Promise<HttpReply> => {
    listener.takeRoom(request, maxPushBytes)
    return await ports.push(agentId, pushRequest(await readObject(request, maxPushBytes)))
  }

  /** Hooks judge the request to the model and see the answer, as with every event of this agent. */
  const askModel = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (options.model === undefined)
      throw new RefusedError(
        404,
        'model.none',
        'Expected an agent with a model of its own, got one without.',
        'Say "kind: openai" with "base_url" and "model" in gate.yaml.',
      )
    listener.takeRoom(request, maxEventBytes)
    const { chain = [] } = fireOptions(request.headers)
    const fire: FireForAgent = (event, body) => ports.fire(agentId, event, body, { chain })
    await options.model.forward(await readObject(request), fire, response)
  }

  /**
   * A client of MCP asks for tools, or calls one. A call reaches nothing that the other paths do not reach.
   */
  const serveMcp = async (
    request: IncomingMessage,
    response: ServerResponse,
    { signal, waits }: Attendance,
  ): Promise<void> => {
    if (ports.tools === undefined) throw noSuchPath(String(request.method), mcpPath)
    listener.checkRoom(request)
    const { chain = [] } = fireOptions(request.headers)
    listener.takeRoom(request, maxCallBytes)
    const message = await readObject(request, maxCallBytes)
    // A call takes the thread as long as a large value does, so one of them runs between two turns.
    await yieldIfLarge(maxCallBytes)
    const call = createToolRun(agentId, ports, ports.tools, { chain, signal, waits }, log)
    await writeMcp(response, await answerMcp(ports.tools.version, request, message, call))
  }

  const carryOut = async (
    request: IncomingMessage,
    path: string,
    { signal, waits }: Attendance,
  ): Promise<HttpReply> => {
    if (request.method === 'POST' && path.startsWith(builtinsPath))
      return await takeAnswer(request, path.slice(builtinsPath.length))
    listener.checkRoom(request)
    if (request.method !== 'POST') throw noSuchPath(String(request.method), path)
    if (path === '/v1/push') return await push(request)
    if (!path.startsWith(eventsPath)) throw noSuchPath('POST', path)
    const event = eventOf(path)
    const fire = fireOptions(request.headers)
    listener.takeRoom(request, maxEventBytes)
    const body = await readObject(request)
    await yieldIfLarge(body)
    checkEvent(event, body)
    return await ports.fire(
      agentId,
      event,
      body,
      fire.askMs === undefined ? fire : { ...fire, signal, waits },
    )
  }

  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    attendance: Attendance,
  ): Promise<void> => {
    const path = String(request.url).split('?')[0] ?? ''
    if (path === inboxPath && request.method === 'GET') inbox.open(response)
    else if (path === mcpPath && request.method === 'POST') await serveMcp(request, response, attendance)
    // There is no stream beside the answers, and a client of MCP asks for one.
    else if (path === mcpPath) response.writeHead(405, { allow: 'POST', 'content-length': 0 }).end()
    else if (path.startsWith(filesPath) && request.method === 'GET') {
      await sendFile(response, path.slice(filesPath.length), attendance.signal)
    } else if (path === worldPath && request.method === 'GET') {
      writeReply(response, worldReply(ports), listener.isStopping())
    } else if (path === modelPath && request.method === 'POST') await askModel(request, response)
    else await writeLargeReply(response, await carryOut(request, path, attendance), listener.isStopping())
  }

  const listener = createListener({
    maxInFlight: budgets.requests.perAgent,
    isOwn: ({ headers }) => hostKey !== undefined && headers[hostHeader] === hostKey,
    connections: boundsOf('agent', options.agents),
    isPrivate: true,
    agent: agentId,
    log,
    serve,
  })
  if (socketPath !== undefined) await listenPrivately(listener.server, socketPath, options.owner)
  return { attend: listener.attend, follow: inbox.follow, stop: () => listener.stop(() => inbox.close()) }
}
