/** How one agent is made, by its `kind`; what stands here reaches the agent host, so no token does. */
export type AgentMake =
  | { readonly kind: 'demo' }
  | {
      readonly kind: 'openai'
      readonly model: string
      /** How much the model can be sent, in tokens; near it the conversation is compacted. */
      readonly contextTokens: number
      /** Model calls for one message of the person, at most. */
      readonly maxSteps: number
    }
  /** A program that speaks the Agent Client Protocol on its standard streams, and further variables of its environment. */
  | {
      readonly kind: 'acp'
      readonly command: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
