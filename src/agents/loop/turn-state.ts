import type { ModelMessage } from '../../shared/chat/message.ts'
import type { Loop } from './loop.ts'
import type { Decider } from './decider.ts'
import type { Reporter } from '../reporter.ts'
import type { Session } from '../session/session.ts'
import type { ToolResult } from '../tools/tool.ts'

/**
 * How a turn ended. `capped` means that hooks asked for more work as often as they may, so the answer was
 * sent although they object.
 */
export type EndReason =
  | 'normal'
  | 'error'
  | 'canceled'
  | 'hook_blocked'
  | 'loop_detected'
  | 'capped'
  | 'max_steps'

export interface TurnState {
  /** The agent's name in gate.yaml. */
  readonly agentId: string
  readonly decider: Decider
  readonly session: Session
  readonly reporter: Reporter
  readonly workspace: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly system: string
  /** Runs a task in a subagent. Absent in a subagent. */
  readonly delegate?: ((state: TurnState, task: string, name: string) => Promise<ToolResult>) | undefined
  /**
   * Adds the messages that people wrote meanwhile. Resolves with true if there were any. Absent in a
   * subagent.
   */
  readonly steer?: ((state: TurnState) => Promise<boolean>) | undefined
  /** Saves the session. Never rejects. */
  save(): Promise<void>
  readonly isFollowup: boolean
  /** The messenger's id of the message that this turn is about. */
  readonly message_id?: string
  /**
   * The conversation for the model: the whole session for a decider that remembers, and otherwise this turn.
   */
  readonly messages: ModelMessage[]
  readonly contexts: string[]
  steps: number
  /** True when a tool ran in this turn. */
  hasRun: boolean
  /** The text for the person about the last call, when hookgate told the reason of its block already. */
  shortResult?: string | undefined
  /** How often the agent answered without a claim while a goal was set. */
  nudges: number
  /** True when compacting was tried in this turn. It is not tried again. */
  hasCompacted: boolean
  /** True when a hook withheld an answer in this turn and the agent was asked for another. */
  hasRepeated: boolean
  readonly loop: Loop
}

/**
 * The result of a step. `more`: the agent continues. `answer`: the answer is ready to be sent. `end`: the
 * turn has ended and the person was told.
 */
export type StepResult =
  | { readonly kind: 'more'; readonly isRejected: boolean; readonly isLoop?: true }
  | { readonly kind: 'answer'; readonly text: string; readonly isCapped: boolean }
  | { readonly kind: 'end'; readonly reason: EndReason }
