import type { HeldPrompt } from '../core/model/events/record.ts'

/** The prompts that each agent has received and whose turn has not ended. */
export interface GivenPrompts {
  /** The prompts of one agent, by id. */
  of(agentId: string): Map<string, HeldPrompt>
  /** The text of a prompt that the agent has, or undefined when it has no such prompt. */
  textOf(agentId: string, promptId: string): string | undefined
}

export const createGivenPrompts = (): GivenPrompts => {
  const byAgent = new Map<string, Map<string, HeldPrompt>>()
  return {
    of: (agentId) => {
      const given = byAgent.get(agentId) ?? new Map<string, HeldPrompt>()
      byAgent.set(agentId, given)
      return given
    },
    textOf: (agentId, promptId) => byAgent.get(agentId)?.get(promptId)?.text,
  }
}
