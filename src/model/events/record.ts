import type { budgets } from '../base/budgets.ts'
import type { JsonObject } from '../base/json.ts'
import type { Address, Outcome } from '../chat/push.ts'
import type { RecordedHook } from '../hooks/verdict.ts'

/**
 * One row of the event history. It never holds a message's text or a rewritten value:
 * `length` and `sha256` stand for them.
 */
export interface EventRecord {
  readonly event_id: string
  readonly atMs: number
  /**
   * `event`: judged by hooks; `push`, `notice`: what became of one; `gate`: an owner's act; `question`: one about a tool
   * call that ended without an owner's word; `refusal`: somebody tried; `alarm`: the owners were warned about the gate
   * itself; `trouble`: ours.
   */
  readonly kind: 'event' | 'push' | 'notice' | 'gate' | 'question' | 'refusal' | 'alarm' | 'trouble'
  /** The event's name, or what was done or tried, in stable words. */
  readonly subject: string
  readonly outcome: string
  readonly reason?: string
  readonly agent_id?: string
  readonly session_id?: string
  readonly channel?: string
  readonly chat_id?: string
  /** The hooks that were asked, or that were not for another reason than their matcher. */
  readonly hooks?: readonly RecordedHook[]
  /** How many further hooks in force did not match. */
  readonly missed?: number
  readonly revision?: number
  readonly length?: number
  readonly sha256?: string
  readonly durationMs?: number
}

/** What a record is to its owner. No class takes another's room, so nobody can wash out what the owner has to read. */
export type RecordClass = keyof typeof budgets.records

const isFault = ({ hooks = [] }: EventRecord): boolean => hooks.some(({ answer }) => answer?.kind === 'fault')

const stopped: ReadonlySet<string> = new Set(['block', 'ask', 'denied', 'parked', 'withheld', 'held'])
const failed: ReadonlySet<string> = new Set(['failed', 'unknown'])

/** The class of a record. An agent can bring about all but `acts` and `alarms`. */
export const classOf = (record: EventRecord): RecordClass => {
  const { kind, subject, outcome } = record
  switch (kind) {
    case 'gate':
      return 'acts'
    case 'alarm':
      return subject === 'login' ? 'logins' : 'alarms'
    case 'refusal':
      return 'refused'
    case 'trouble':
      return 'faults'
    case 'event':
    case 'push':
    case 'notice':
    case 'question':
      if (stopped.has(outcome)) return 'blocked'
      return failed.has(outcome) || isFault(record) ? 'faults' : 'rest'
  }
}

/** A push or notice that was allowed and waits to leave, or is held. Written before it is sent, deleted when delivered. */
export interface OutboxItem {
  readonly id: string
  /** Order within the chat; grows. */
  readonly seq: number
  readonly channel: string
  readonly chat_id: string
  readonly kind: 'push' | 'notice'
  /** `sending`: a send had begun; after a crash its outcome is unknown. */
  readonly state: 'queued' | 'sending' | 'held'
  /** The gate's revision under which `body` was judged. */
  readonly revision: number
  readonly createdAtMs: number
  /** What the dispatcher needs to send or judge again, as JSON text. */
  readonly body: string
}

/** What became of a push that is no longer in the outbox: asked for once more, it says so. */
export interface Ended {
  readonly outcome: Outcome
  readonly reason?: string
  /** Where it stands, if it is one message: what can be edited. */
  readonly message?: Address & { readonly message_id: string }
  /** Of the conversation that came to be by it. */
  readonly chat_id?: string
}

/** A person's message on its way to an agent. Kept until the agent's turn about it has ended. */
export interface Prompt {
  readonly prompt_id: string
  readonly agent_id: string
  readonly channel: string
  readonly chat_id: string
  readonly sender_id: string
  readonly sender_name: string
  readonly text: string
  /** Where others write as well: whether these are an owner's own words. Absent in a private chat. */
  readonly inGroup?: 'owner' | 'member'
  /** The messenger's own name for it: what can be reacted to. Not kept; absent after a restart of the gate. */
  readonly message_id?: string
  /** It is the goal: the agent works until a claim that it is reached passes. Not kept; after a restart of the gate it is a message like others. */
  readonly isGoal?: true
  readonly atMs: number
  /** `given`: the agent had it when the gate or the agent stopped. */
  readonly state: 'waiting' | 'given'
}

/** A file that came with a prompt: `GET /v1/files/<id>` has its bytes until the turn about it ends. */
export interface InboxFile {
  readonly id: string
  readonly name: string
  readonly type: string
  /** In bytes; 0: not known. */
  readonly size: number
}

/** What an owner tells an agent beside messages: stop, begin anew, say the goal, have none any more, compact the conversation. */
export type AgentWord = 'cancel' | 'new' | 'goal' | 'goal_off' | 'compact'

/** One line of `GET /v1/inbox`: what the gate tells an agent host. */
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
  | { readonly type: AgentWord; readonly channel: string; readonly chat_id: string }
  /** A hook of type `builtin` that reads files or git asks; the answer goes to `POST /v1/builtins/<id>`, once. */
  | {
      readonly type: 'builtin'
      readonly id: string
      readonly name: string
      readonly args: readonly string[]
      readonly cwd: string
      readonly payload: JsonObject
    }
  | { readonly type: 'ping' }
