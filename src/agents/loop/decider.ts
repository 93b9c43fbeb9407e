import type { JsonObject } from '../../model/base/json.ts'
import type { ModelMessage } from '../../model/chat/message.ts'
import type { Reporter } from '../reporter.ts'

/** A tool that a decider wants used. `wrong`: it cannot be, and these words say why. */
export type CallAsked = {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  readonly wrong?: string
}

/** What a decider sees when it thinks. */
export interface Conversation {
  readonly system: string
  /** Which tools it may use; `inner`: those of a subagent. */
  readonly tools: 'all' | 'inner' | 'none'
  readonly messages: readonly ModelMessage[]
  /** What hooks said for this session, this turn and this call. */
  readonly contexts: readonly string[]
  /** True when the last user message answers a question of the agent's own. */
  readonly isFollowup: boolean
  /** The last that it said here, by the name under which it can be changed. */
  readonly lastMessage?: string | undefined
}

/** What a decider decided: words for the person where it wants no tool, else what it says about using them. */
export interface Thought {
  readonly text: string
  readonly calls: readonly CallAsked[]
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
}

/** What a decider thought, or why a hook kept it from thinking. */
export type ThoughtOrBlock = { readonly thought: Thought } | { readonly blocked: string }

export interface ThinkPorts {
  readonly signal: AbortSignal
  /** How many model calls the turn has seen, this one included. */
  readonly iteration: number
  /** The way to the gate of the turn that this call is a part of. */
  readonly reporter: Pick<Reporter, 'fire' | 'where'>
  /** Tells those who watch, not the person: the model is slow, it is asked again. */
  warn(message: string): Promise<void>
}

/** True for the error of a decider that was shown more than it takes. */
export const isOverflow = (error: unknown): boolean =>
  error instanceof Error && 'isOverflow' in error && error.isOverflow === true

/** What decides in an agent; the loop around it asks the gate, runs tools and speaks. */
export interface Decider {
  /** The model's name, for hooks. */
  readonly model: string
  /** How often it may think about one message of the person. */
  readonly maxSteps: number
  /** How much it can be shown, in tokens; absent: it does not matter. */
  readonly contextTokens?: number
  /** It is shown the whole conversation and not this turn alone. */
  readonly remembers: boolean
  /** What it writes is Markdown. */
  readonly isMarkdown: boolean
  /** Read anew for each turn. */
  system(): Promise<string>
  /** Whether a message says what is to be done. */
  isGoal(message: string): boolean
  /** Whether an answer claims that it is done; `hasRun`: tools ran in this turn. */
  isClaim(answer: string, hasRun: boolean): boolean
  /** Hooks judge the question before it is put. Rejects with words for the person where it cannot think. */
  think(view: Conversation, ports: ThinkPorts): Promise<ThoughtOrBlock>
}
