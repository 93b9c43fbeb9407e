/**
 * The settings with which an agent of each `kind` is created. They reach the agent host, so they never hold a
 * token.
 */
export type AgentMake =
  | { readonly kind: 'demo' }
  | {
      readonly kind: 'openai'
      readonly model: string
      /** The size of the model's context window, in tokens. Near it the conversation is compacted. */
      readonly contextTokens: number
      /** The largest number of model calls for one message of the person. */
      readonly maxSteps: number
    }
  /**
   * A program that speaks the Agent Client Protocol on its standard streams. `env`: additional environment
   * variables.
   */
  | {
      readonly kind: 'acp'
      readonly command: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
