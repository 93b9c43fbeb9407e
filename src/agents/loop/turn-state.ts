import type { ModelMessage } from '../../model/chat/message.ts'
import type { Loop } from './loop.ts'
import type { Decider } from './decider.ts'
import type { Reporter } from '../reporter.ts'
import type { Session } from '../session/session.ts'
import type { ToolResult } from '../tools/tool.ts'

/** `capped`: hooks wanted another round more often than they may, so that the answer stands although they object. */
export type EndReason =
  | 'normal'
  | 'error'
  | 'canceled'
  | 'hook_blocked'
  | 'loop_detected'
  | 'capped'
  | 'max_steps'

export interface TurnState {
  /** Its name in gate.yaml. */
  readonly agentId: string
  readonly decider: Decider
  readonly session: Session
  readonly reporter: Reporter
  readonly workspace: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly system: string
  /** Has a task done by a subagent; absent in one. */
  readonly delegate?: ((state: TurnState, task: string, name: string) => Promise<ToolResult>) | undefined
  /** Takes in what the person wrote meanwhile; true if there was something. Absent in a subagent. */
  readonly steer?: ((state: TurnState) => Promise<boolean>) | undefined
  /** Keeps what was said and done so far. Never rejects. */
  save(): Promise<void>
  readonly isFollowup: boolean
  /** The messenger's name of the message that this turn is about. */
  readonly message_id?: string
  /** The conversation as a model is sent it: of the session for a decider that remembers, else of this turn. */
  readonly messages: ModelMessage[]
  readonly contexts: string[]
  steps: number
  /** Tools ran in this turn. */
  hasRun: boolean
  /** Words without a claim, while a goal was set. */
  nudges: number
  /** The conversation was compacted in this turn, or could not be: it is not tried again. */
  hasCompacted: boolean
  readonly loop: Loop
}

/** `more`: the agent goes on. `answer`: ready to be said. `end`: the turn is over and was told. */
export type StepResult =
  | { readonly kind: 'more'; readonly isRejected: boolean; readonly isLoop?: true }
  | { readonly kind: 'answer'; readonly text: string; readonly isCapped: boolean }
  | { readonly kind: 'end'; readonly reason: EndReason }
