import type { InboundFile } from '../model/chat/channel.ts'
import type { Prompt } from '../model/events/record.ts'

/** A prompt as it is held; its files are the messenger's still, so they do not outlive this process. */
export type HeldPrompt = Prompt & { readonly files?: readonly InboundFile[] }

/** The prompts that each agent has and whose turn has not ended. */
export interface GivenPrompts {
  /** Those of one agent, by their ids. */
  of(agentId: string): Map<string, HeldPrompt>
  /** What the person wrote whose prompt the agent has; undefined: it has no such prompt. */
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
