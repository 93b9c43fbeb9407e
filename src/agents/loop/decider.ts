import type { JsonObject } from '../../core/model/base/json.ts'
import type { ModelMessage } from '../../shared/chat/message.ts'
import type { Reporter } from '../reporter.ts'

/** A tool call that a decider requests. `wrong` says why the call is invalid. */
export type RequestedCall = {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  readonly wrong?: string
}

/** The input of one decision. */
export interface Conversation {
  readonly system: string
  /** The tools that it may use. `inner` means those of a subagent. */
  readonly tools: 'all' | 'inner' | 'none'
  readonly messages: readonly ModelMessage[]
  /** The texts that hooks gave for this session, this turn and this call. */
  readonly contexts: readonly string[]
  /** True when the last user message answers a question of the agent. */
  readonly isFollowup: boolean
  /** The id of the agent's last message here, for changing it. */
  readonly lastMessage?: string | undefined
  /**
   * The text for the person in place of the last result, when hookgate told the reason of a block already.
   */
  readonly shortResult?: string | undefined
}

/** One decision: a text for the person if it has no calls, or calls and a text about them. */
export interface Thought {
  readonly text: string
  readonly calls: readonly RequestedCall[]
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
}

/** The decision, or the reason why a hook blocked the question. `isTold`: hookgate told the person. */
export type ThoughtOrBlock =
  | { readonly thought: Thought }
  | { readonly blocked: string; readonly isTold: boolean }

export interface ThinkPorts {
  readonly signal: AbortSignal
  /** The number of model calls in the turn, including this one. */
  readonly iteration: number
  /** The reporter of the turn that this call belongs to. */
  readonly reporter: Pick<Reporter, 'fire' | 'where'>
  /** Reports a warning to hooks, and not to the person: the model is slow, or it is asked again. */
  warn(message: string): Promise<void>
}

/** True when the error says that the conversation is too long for the model. */
export const isOverflow = (error: unknown): boolean =>
  error instanceof Error && 'isOverflow' in error && error.isOverflow === true

/** Decides what an agent does. The loop around it asks the gate, runs tools and sends messages. */
export interface Decider {
  /** The model's name, for hooks. */
  readonly model: string
  /** The most model calls for one message of the person. */
  readonly maxSteps: number
  /** The context length in tokens. Absent when there is no limit. */
  readonly contextTokens?: number
  /** True when it gets the whole conversation, and not only this turn. */
  readonly remembers: boolean
  /** True when its texts are Markdown. */
  readonly isMarkdown: boolean
  /** Returns the system prompt. Called for each turn. */
  system(): Promise<string>
  /** True when a message sets a task. */
  isGoal(message: string): boolean
  /** True when an answer claims that the task is done. `hasRun` says that tools ran in this turn. */
  isClaim(answer: string, hasRun: boolean): boolean
  /**
   * Makes one decision. Hooks judge the question before it is asked. Rejects with a text for the person when
   * no decision is possible.
   */
  think(view: Conversation, ports: ThinkPorts): Promise<ThoughtOrBlock>
}
