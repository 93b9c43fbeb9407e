import type { JsonObject } from '../model/json.ts'

/** A tool that a mind wants used. `wrong`: it cannot be, and these words say why. */
export type CallAsked = { readonly id: string; readonly name: string; readonly input: JsonObject; readonly wrong?: string }

/**
 * One message of a conversation, as hooks see it in pre_llm_call. An assistant's may ask for tools; each of their results
 * is a message of its own that bears the call's id. `system`: what the gate or a hook said to the agent.
 */
export interface Message {
  readonly role: 'user' | 'assistant' | 'tool' | 'system'
  readonly content: string
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly input: JsonObject }[]
  readonly tool_call_id?: string
}

/** What a mind sees when it thinks. */
export interface View {
  readonly system: string
  /** Which tools it may use; `inner`: those of a subagent. */
  readonly tools: 'all' | 'inner' | 'none'
  readonly messages: readonly Message[]
  /** What hooks said for this session, this turn and this call. */
  readonly contexts: readonly string[]
  /** True when the last user message answers a question of the agent's own. */
  readonly isFollowup: boolean
  /** The last that it said here, by the name under which it can be changed. */
  readonly lastMessage?: string | undefined
}

/** What a mind decided: words for the person where it wants no tool, else what it says about using them. */
export interface Thought {
  readonly text: string
  readonly calls: readonly CallAsked[]
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
  /** In US dollars; 0 where the price is not known. */
  readonly cost: number
}

export interface ThinkPorts {
  readonly signal: AbortSignal
  /** Tells those who watch, not the person: the model is slow, it is asked again. */
  warn(message: string): Promise<void>
}

/** True for the error of a mind that was shown more than it takes. */
export const isOverflow = (error: unknown): boolean => error instanceof Error && 'isOverflow' in error && error.isOverflow === true

/** What decides in an agent; the loop around it asks the gate, runs tools and speaks. */
export interface Mind {
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
  /** Rejects with words for the person where it cannot think. */
  think(view: View, ports: ThinkPorts): Promise<Thought>
}
