import type { JsonObject } from '../../core/model/base/json.ts'
import type { Prompt } from '../../core/model/events/record.ts'

/** A file of a prompt. `GET /v1/files/<id>` returns its bytes until the turn about it ends. */
export interface InboxFile {
  readonly id: string
  readonly name: string
  readonly type: string
  /** The size in bytes. 0: unknown. */
  readonly size: number
}

/**
 * An owner's commands to an agent beside messages: stop, start a new session, set the goal, clear the goal,
 * compact the conversation.
 */
export type AgentControl = 'cancel' | 'new' | 'goal' | 'goal_off' | 'compact'
/** Where an agent reads its inbox, as a stream of lines. */
export const inboxPath = '/v1/inbox'

/** One line of `GET /v1/inbox`: a message of the gate to an agent host. */
export type InboxLine =
  | ({ readonly type: 'prompt' } & Pick<
      Prompt,
      | 'prompt_id'
      | 'channel'
      | 'chat_id'
      | 'sender_id'
      | 'sender_name'
      | 'text'
      | 'inGroup'
      | 'message_id'
      | 'isGoal'
    > & { readonly files?: readonly InboxFile[] })
  | { readonly type: AgentControl; readonly channel: string; readonly chat_id: string }
  /**
   * A request of a `builtin` hook that reads files or git. The answer goes to `POST /v1/builtins/<id>`, once.
   */
  | {
      readonly type: 'builtin'
      readonly id: string
      readonly name: string
      readonly args: readonly string[]
      readonly cwd: string
      readonly payload: JsonObject
    }
  | { readonly type: 'ping' }
