import type { HeldPrompt } from '../core/model/events/record.ts'
import type { Prose } from '../core/model/chat/prose.ts'
import { chatKey, type Address } from '../core/model/chat/push.ts'
import type { AgentQueue, AgentQueues } from './agent-queue.ts'
import type { KeptPrompts } from './kept-prompts.ts'
import type { Say } from './words.ts'

export interface TurnEndPorts {
  readonly queues: Pick<AgentQueues, 'showWorking'>
  readonly kept: Pick<KeptPrompts, 'putBack' | 'remove'>
  /** The agent has finished the prompt, so there is room for another. */
  release(promptId: string): void
  notify(address: Address, text: Prose): Promise<void>
}

/** Ends turns about prompts: normally, or because the agent or the gate stopped. */
export const createTurnEnds = ({ queues, kept, release, notify }: TurnEndPorts) => {
  const tellChats = (queue: AgentQueue, prompts: readonly HeldPrompt[], say: Say): void => {
    for (const [first, ...more] of Map.groupBy(prompts, chatKey).values()) {
      if (first === undefined) continue
      const { channel, chat_id } = first
      queues.showWorking(queue, first)
      void notify({ channel, chat_id }, say(more.length + 1))
    }
  }

  const end = (queue: AgentQueue, promptId: string): void => {
    queue.given.delete(promptId)
    queue.spent.delete(promptId)
    release(promptId)
    void kept.remove(promptId)
  }

  return {
    /** Ends the turn about a prompt normally. */
    ended: (queue: AgentQueue, prompt: HeldPrompt): void => {
      end(queue, prompt.prompt_id)
      queues.showWorking(queue, prompt)
    },
    /**
     * Ends the turns about all prompts that the agent has, and tells their chats that they were interrupted.
     */
    interrupted: (queue: AgentQueue, say: Say): void => {
      const lost = [...queue.given.values()]
      for (const { prompt_id } of lost) end(queue, prompt_id)
      tellChats(queue, lost, say)
    },
    /**
     * Puts back the prompts that the agent had not begun, so that its next process gets them. This happens
     * only once for a prompt, because the prompt may be what ended the agent.
     */
    takeBack: (queue: AgentQueue, say: Say): void => {
      const untouched = [...queue.given.values()].filter(({ prompt_id }) => !queue.spent.has(prompt_id))
      for (const prompt of untouched) {
        queue.given.delete(prompt.prompt_id)
        queue.spent.add(prompt.prompt_id)
        if (prompt.files === undefined) void kept.putBack(prompt)
      }
      queue.waiting.unshift(...untouched)
      tellChats(queue, untouched, say)
    },
  }
}
