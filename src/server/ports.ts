import type { EventName } from '../core/model/events/event.ts'
import type { ToldWorld } from '../shared/hooks/hook-world.ts'
import type { JsonObject } from '../core/model/base/json.ts'
import type { Address, AgentPush } from '../core/model/chat/push.ts'
import type { InboxLine } from '../shared/events/inbox-line.ts'
import type { FireOptions } from '../shared/events/patience.ts'
import type { ToolPorts } from './mcp/tool-ports.ts'

/** The reason why a request was refused. Every error body has the shape `{error: {code, message, fix}}`. */
export interface HttpRefusal {
  readonly status: 400 | 403 | 404 | 409 | 413 | 429 | 502 | 503
  readonly error: { readonly code: string; readonly message: string; readonly fix: string }
}

/** The answer of the gate to one request. It becomes the HTTP status and body unchanged. */
export type HttpReply = { readonly status: 200; readonly body: JsonObject } | HttpRefusal

/** A push as an agent requests it. The gate checks whether the chat belongs to the agent. */
export interface PushRequest
  extends Address, Pick<AgentPush, 'type' | 'text' | 'marks' | 'parts' | 'files' | 'target'> {
  readonly push_id?: string
  readonly session_id?: string
}

/** The functions that the server calls. The socket decides which agent is calling, never the request. */
export interface AgentPorts {
  fire(agentId: string, event: EventName, body: JsonObject, options: FireOptions): Promise<HttpReply>
  push(agentId: string, request: PushRequest): Promise<HttpReply>
  /** Starts to send the agent its inbox lines, the waiting ones first. The returned function ends it. */
  subscribe(agentId: string, send: (line: InboxLine) => void): () => void
  /**
   * Returns a file of a prompt that this agent works on. The bytes are fetched on demand. Absent: no prompt
   * has files.
   */
  file?(agentId: string, id: string): { bytes(): Promise<Uint8Array> } | undefined
  /**
   * Says where hooks run, for a person who tries one. It holds no secret. Absent: the gate does not say it.
   */
  readonly world?: ToldWorld
  /** What the tools for clients of MCP need. Absent: there are none. */
  readonly tools?: ToolPorts
  /**
   * Passes on the answer of the agent host to a `builtin` line. Returns false when no such question waits for
   * this agent. Absent: no question ever waits.
   */
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
