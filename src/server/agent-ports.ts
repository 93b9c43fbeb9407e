import { createBoundedMap } from '../core/model/base/bounded-map.ts'
import type { EventName } from '../core/model/events/event.ts'
import type { Json, JsonObject } from '../core/model/base/json.ts'
import type { Address, AgentPush, PushRefusal, PushResult } from '../core/model/chat/push.ts'
import type { Fired, Step } from '../core/model/events/step.ts'
import type { FireOptions, Patience } from '../shared/events/patience.ts'
import type { RecordedHook } from '../core/model/hooks/verdict.ts'
import type { BuiltinExchange } from './exchange.ts'
import type { AgentPorts, PushRequest, HttpRefusal, HttpReply } from './ports.ts'

const maxSessions = 10_000

/** The functions of the gate that agents reach through the HTTP interface. */
export interface GatePorts
  extends Pick<AgentPorts, 'subscribe' | 'world' | 'tools'>, Required<Pick<AgentPorts, 'file'>> {
  fire(request: Step & Patience): Promise<Fired>
  push(push: AgentPush, chain: readonly string[]): Promise<PushResult>
  /** Called for every event. The first one that names a prompt means that the agent has started on it. */
  turnBegan(agentId: string, promptId: string): void
  turnEnded(agentId: string, promptId: string): void
  /** Questions to the agent host outside its prompts. Absent: this gate asks none. */
  readonly builtins: Pick<BuiltinExchange, 'subscribe' | 'answer'>
  /** True when the agent may write in this chat. */
  isOwnChat(agentId: string, address: Address): boolean
  /** Returns the handle by which `/hooks` shows a hook to an owner. */
  handle(fingerprint: string): string
  /**
   * Returns the names and descriptions of the active hooks, never their code, for an agent whose session
   * begins. An empty text means that the agent is told nothing.
   */
  disclosed(): string
  newId(): string
  readonly workspace: string
}

const refusalStatus: Readonly<Record<PushRefusal['refused'], HttpRefusal['status']>> = {
  too_large: 413,
  empty: 400,
  form: 400,
  target: 404,
  full: 503,
  disk: 503,
  chat_full: 429,
  loop: 409,
}

const refuse = (status: HttpRefusal['status'], code: string, message: string, fix: string): HttpRefusal => ({
  status,
  error: { code, message, fix },
})

/**
 * Drops what an agent may not claim about an outbound message: the text before, and files. Hooks may only
 * open files that came with a push, never a path that an agent chose.
 */
const asTold = (event: EventName, said: JsonObject): JsonObject => {
  if (event !== 'on_outbound_message') return said
  const { before: _, ...fields } = said
  return { ...fields, files: [] }
}

const text = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Translates the requests of agents into calls of the gate, and the results into HTTP replies. */
export const createAgentPorts = (gate: GatePorts): AgentPorts => {
  const sessions = createBoundedMap<string, Address>(maxSessions)

  const foreign = ({ channel, chat_id }: Address): HttpRefusal =>
    refuse(
      403,
      'chat.foreign',
      `Expected one of this agent's own chats, got ${channel.slice(0, 40)}:${chat_id.slice(0, 60)}.`,
      'Answer in a chat that wrote to this agent.',
    )

  const shown = ({ fingerprint, fired, why, answer }: RecordedHook): JsonObject => {
    const { kind = '', reason, fault } = answer ?? {}
    return {
      handle: gate.handle(fingerprint),
      fired,
      why,
      ...(answer !== undefined && {
        answer: { kind, ...(reason !== undefined && { reason }), ...(fault && { fault: { ...fault } }) },
      }),
    }
  }

  const fire = async (
    agentId: string,
    event: EventName,
    body: JsonObject,
    { deadlineMs, ...options }: FireOptions,
  ): Promise<HttpReply> => {
    const { session_id, cwd, ...said } = body
    const fields = asTold(event, said)
    const sessionId = text(session_id) ?? 'unnamed'
    const channel = text(body['channel'])
    const chatId = text(body['chat_id'])
    const key = JSON.stringify([agentId, sessionId])
    if (channel !== undefined && chatId !== undefined) {
      if (!gate.isOwnChat(agentId, { channel, chat_id: chatId })) return foreign({ channel, chat_id: chatId })
      sessions.set(key, { channel, chat_id: chatId })
    }
    const address = sessions.get(key)
    const promptId = text(body['prompt_id']) ?? ''
    gate.turnBegan(agentId, promptId)
    const fired = await gate.fire({
      agentId,
      event,
      sessionId,
      cwd: text(cwd) ?? gate.workspace,
      fields,
      // An agent on this socket runs the call as the verdict's payload has it.
      ...(event === 'pre_tool_call' ? { takesChange: true as const } : {}),
      takesAnswers: true,
      ...options,
      ...(address === undefined ? {} : { address }),
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
    })
    if (event === 'on_turn_end') gate.turnEnded(agentId, promptId)
    if (fired.kind === 'loop')
      return refuse(
        409,
        'hook.loop',
        `Expected an event that no chain of hooks caused, got ${fired.why}.`,
        'Let the hook answer instead of causing events.',
      )
    const { verdict } = fired
    const contexts = [
      ...verdict.contexts,
      ...(event === 'on_session_start' ? [gate.disclosed()] : []),
    ].filter((text) => text !== '')
    return {
      status: 200,
      body: {
        verdict: verdict.verdict,
        ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
        payload: verdict.payload,
        ...(verdict.stopsTurn === undefined ? {} : { stop_turn: true }),
        ...(verdict.isTold === undefined ? {} : { told: true }),
        ...(verdict.unanswered === undefined ? {} : { unanswered: verdict.unanswered }),
        ...(contexts.length === 0 ? {} : { context: contexts.join('\n\n') }),
        ...(verdict.notes.length === 0 ? {} : { notes: [...verdict.notes] }),
        hooks: verdict.hooks.filter(({ isShadow }) => isShadow !== true).map(shown),
        event_id: verdict.payload.event_id,
      },
    }
  }

  const push = async (agentId: string, { push_id, session_id, ...said }: PushRequest): Promise<HttpReply> => {
    if (!gate.isOwnChat(agentId, said)) return foreign(said)
    const pushed = await gate.push(
      {
        ...said,
        push_id: push_id ?? gate.newId(),
        agent_id: agentId,
        session_id: session_id ?? 'unnamed',
        cwd: gate.workspace,
      },
      [],
    )
    if ('refused' in pushed)
      return refuse(refusalStatus[pushed.refused], `push.${pushed.refused}`, pushed.message, pushed.fix)
    return { status: 200, body: { ...pushed } }
  }

  return {
    fire,
    push,
    file: gate.file,
    ...(gate.world === undefined ? {} : { world: gate.world }),
    ...(gate.tools === undefined ? {} : { tools: gate.tools }),
    subscribe: (agentId, send) => {
      const ends = [gate.builtins.subscribe(agentId, send), gate.subscribe(agentId, send)]
      return () => {
        for (const end of ends) end?.()
      }
    },
    answerBuiltin: (agentId, id, body) => gate.builtins.answer(agentId, id, body),
  }
}
