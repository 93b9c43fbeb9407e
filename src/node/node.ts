import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { linesOf, textOf, type IncomingMessage } from '../shared/base/http.ts'
import type { ChannelPorts } from '../core/model/chat/channel.ts'
import type { SwitchFacts } from '../shared/gate/client.ts'
import { isObject, parseJson, type JsonObject } from '../core/model/base/json.ts'
import { createMutex } from '../core/model/base/mutex.ts'
import { messageOf, ProblemError } from '../core/model/gate/problem.ts'
import { nodeName } from '../core/model/nodes/node.ts'
import {
  knownForMs,
  nodePaths,
  silentMs,
  type NodeAgent,
  type NodeLine,
  type NodeQuestion,
} from '../shared/nodes/protocol.ts'
import { identityPath } from './identity.ts'
import type { Inboxes } from './inboxes.ts'
import { refusalFrom, type Link } from './link.ts'

const firstRetryMs = 200
const longestRetryMs = 2000
const maxLineUnits = 16 * 1024 * 1024

const words = z.array(z.string())
/** The parts that use it check it. */
const AnyObject = z.custom<JsonObject>(isObject)
const Make = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('demo') }),
  z.object({
    kind: z.literal('openai'),
    model: z.string(),
    contextTokens: z.number(),
    maxSteps: z.number(),
  }),
  z.object({ kind: z.literal('acp'), command: words, env: z.record(z.string(), z.string()) }),
])
const Line = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    node: z.string().regex(nodeName),
    agents: z.array(
      z.object({ id: z.string().regex(/^[a-z][a-z0-9_-]{0,30}$/), user: z.string(), make: Make }),
    ),
  }),
  z.object({ type: z.literal('hooks'), approvals: z.array(AnyObject) }),
  z.object({
    type: z.literal('question'),
    id: z.string().regex(/^[\w-]{1,64}$/),
    question: z.discriminatedUnion('ask', [
      z.object({ ask: z.literal('prepare'), entry: AnyObject }),
      z.object({
        ask: z.literal('hook'),
        fingerprint: z.string(),
        payload: AnyObject,
        timeoutMs: z.number(),
        chain: words,
      }),
    ]),
  }),
  z.object({ type: z.literal('end'), id: z.string() }),
  z.object({ type: z.literal('inbox'), number: z.int(), line: AnyObject }),
  z.object({
    type: z.literal('state'),
    number: z.int(),
    facts: z.object({
      isArmed: z.boolean(),
      offUntilMs: z.number().exactOptional(),
      unreachable: z.enum(['owner', 'deny', 'allow']),
    }),
  }),
])

/** Reads a line of the gate. Undefined: a type of a later gate, which is ignored. */
const lineOf = (text: string): NodeLine | undefined =>
  Line.safeParse(parseJson(text)).data as NodeLine | undefined

export interface NodePorts {
  readonly home: string
  readonly link: Link
  readonly inboxes: Inboxes
  /** Runs exactly these agents from now on, and tells the gate what the workspace proposes. */
  runAgents(agents: readonly NodeAgent[]): Promise<void>
  /** Makes exactly these hooks ready. Rejects when the gate cannot be reached. */
  takeHooks(approvals: readonly JsonObject[]): Promise<void>
  /** Answers a question of the gate. Rejects for a question that it cannot answer. */
  answer(question: NodeQuestion, signal: AbortSignal): Promise<JsonObject>
  /** Writes what the bridges of this machine do while the gate is away. Throws an Error. */
  writeSwitch(facts: SwitchFacts): void
  /** Tells the person at the console. */
  say(line: string): void
  now(): number
  readonly log: ChannelPorts['log']
  readonly signal: AbortSignal
}

/** These refusals do not end by themselves, so the node ends. */
const lasting: readonly string[] = ['node.unknown', 'node.protocol', 'node.proof', 'node.headers']

/**
 * Keeps this machine connected to its gate until `signal` aborts. Rejects with a ProblemError when the gate
 * refuses the machine, for example because an owner removed it.
 */
export const runNode = async (ports: NodePorts): Promise<void> => {
  const { home, link, inboxes, log, say, signal } = ports
  let retryMs = firstRetryMs
  let isTold = false

  const questions = new Map<string, AbortController>()
  /** A question takes its time, and the lines after it do not wait. */
  const answerLater = async (id: string, question: NodeQuestion): Promise<void> => {
    const end = new AbortController()
    questions.set(id, end)
    try {
      const body = await ports.answer(question, AbortSignal.any([signal, end.signal]))
      const answer = await link.post(`${nodePaths.answers}${id}`, body, signal)
      answer.resume()
    } catch (error) {
      log('warn', 'a question of the gate could not be answered', { why: messageOf(error) })
    } finally {
      questions.delete(id)
    }
  }

  const takeLine = async (line: Exclude<NodeLine, { type: 'state' }>): Promise<void> => {
    if (line.type === 'hello') {
      await ports.runAgents(line.agents)
      const count = line.agents.length
      const agents = count === 0 ? 'no agent' : line.agents.map(({ id }) => id).join(', ')
      say(`Connected to ${link.gate()} as ${line.node}. It runs ${agents} here, and bridges are served.`)
      isTold = false
      return
    }
    if (line.type === 'hooks') return await ports.takeHooks(line.approvals)
    if (line.type === 'question') return void answerLater(line.id, line.question)
    if (line.type === 'inbox') return inboxes.take(line.number, line.line)
    questions.get(line.id)?.abort()
  }

  /** One after another, so that the gate has the newest in the end. */
  const inTurn = createMutex()
  const tellInboxes = async (isOver: AbortSignal): Promise<void> => {
    if (isOver.aborted) return
    const answer = await link.post(nodePaths.inboxes, { inboxes: inboxes.listening() }, isOver)
    // Read to its end, it gives its connection back.
    await textOf(answer, maxLineUnits)
    if (answer.statusCode !== 200) throw new Error('it did not take the agents of this machine')
  }

  /** Asks for lines again and again, until the gate is lost. Each request says which state is known here. */
  const listen = async (): Promise<void> => {
    const lost = new AbortController()
    const isSilent = (): void => {
      lost.abort(new Error(`it has said nothing for ${silentMs / 1000} s`))
      link.cut()
    }
    const isOver = AbortSignal.any([signal, lost.signal])
    const told = (): Promise<void> => inTurn(() => tellInboxes(isOver))
    const begin = async (): Promise<void> => {
      inboxes.onChange(() => void told().catch((error: unknown) => lost.abort(error)))
      if (Object.keys(inboxes.listening()).length > 0) await told()
    }
    let timer: NodeJS.Timeout | undefined
    const hear = (): void => {
      clearTimeout(timer)
      timer = setTimeout(isSilent, silentMs)
    }
    let known = 0
    try {
      do {
        hear()
        const response = await link.post(nodePaths.lines, { number: known }, isOver)
        if (response.statusCode !== 200) return await refused(response)
        if (known > 0) retryMs = firstRetryMs
        known = 0
        let isNew = false
        for await (const text of linesOf(response, maxLineUnits)) {
          const line = lineOf(text)
          if (line === undefined) continue
          clearTimeout(timer)
          if (line.type === 'state') {
            ports.writeSwitch({ ...line.facts, knownUntilMs: ports.now() + knownForMs })
            known = line.number
          } else await takeLine(line)
          isNew ||= line.type === 'hello'
          hear()
        }
        // The connection of the answer is free now, so that this needs no other one.
        if (isNew) await begin()
      } while (known > 0)
    } finally {
      clearTimeout(timer)
      inboxes.onChange(() => undefined)
    }
  }

  const refused = async (response: IncomingMessage): Promise<void> => {
    const { code, message, fix } = await refusalFrom(response)
    if (code === 'node.clock') return link.setClock(response)
    if (lasting.includes(code)) {
      // Without a gate the clients of this machine are refused.
      ports.writeSwitch({ isArmed: true, unreachable: 'deny' })
      const file = identityPath(home)
      throw new ProblemError({
        code,
        message,
        fix: code === 'node.unknown' ? `${fix} Remove ${file} before that.` : fix,
      })
    }
    throw new Error(`${message} ${fix}`)
  }

  while (!signal.aborted) {
    try {
      await listen()
    } catch (error) {
      if (error instanceof ProblemError) throw error
      if (signal.aborted) return
      // An aborted request says that it was aborted, and its cause says why.
      const why = messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error)
      if (!isTold)
        say(`The gate at ${link.gate()} does not serve this node now (${why}). It tries again and again.`)
      isTold = true
      log('debug', 'the gate does not serve this node', { gate: link.gate(), why })
      // Of several gates one works, so each of them is tried before the next wait.
      if (!link.turn()) continue
    }
    await delay(retryMs, undefined, { signal }).catch(() => undefined)
    retryMs = Math.min(retryMs * 2, longestRetryMs)
  }
}
