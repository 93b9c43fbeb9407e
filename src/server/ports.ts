import type { EventName } from '../model/events/event.ts'
import type { ToldWorld } from '../model/hooks/hook-world.ts'
import type { JsonObject } from '../model/base/json.ts'
import type { Address, AgentPush } from '../model/chat/push.ts'
import type { InboxLine } from '../model/events/record.ts'
import type { FireOptions } from '../model/events/step.ts'

/** Why a request was not carried out. The shape of every error body: `{error: {code, message, fix}}`. */
export interface HttpRefusal {
  readonly status: 400 | 403 | 404 | 409 | 413 | 429 | 502 | 503
  readonly error: { readonly code: string; readonly message: string; readonly fix: string }
}

/** What the gate says to one request; it becomes the HTTP status and body as it is. */
export type HttpReply = { readonly status: 200; readonly body: JsonObject } | HttpRefusal

/** A push as an agent asks for it; whether the chat is its own is for the gate to say. */
export interface PushRequest
  extends Address, Pick<AgentPush, 'type' | 'text' | 'marks' | 'parts' | 'files' | 'target'> {
  readonly push_id?: string
  readonly session_id?: string
}

/** What the server is given. Which agent speaks is decided by the socket, never by the request. */
export interface AgentPorts {
  fire(agentId: string, event: EventName, body: JsonObject, options: FireOptions): Promise<HttpReply>
  push(agentId: string, request: PushRequest): Promise<HttpReply>
  /** Begins to send the agent its lines, those that waited first. The returned function ends it. */
  subscribe(agentId: string, send: (line: InboxLine) => void): () => void
  /** A file of a prompt that this agent works on; its bytes are fetched when asked for. Absent: no prompt has any. */
  file?(agentId: string, id: string): { bytes(): Promise<Uint8Array> } | undefined
  /** Where hooks run, for who tries one. Nothing of it is secret. Absent: not told. */
  readonly world?: ToldWorld
  /** The agent host's answer to a `builtin` line. False when no such question waits for this agent; absent: none ever does. */
  answerBuiltin?(agentId: string, id: string, body: JsonObject): boolean
}

/** Ends a request with its refusal. */
export class RefusedError extends Error {
  readonly refusal: HttpRefusal
  constructor(status: HttpRefusal['status'], code: string, message: string, fix: string) {
    super(message)
    this.name = 'RefusedError'
    this.refusal = { status, error: { code, message, fix } }
  }
}
