import { fixed, type Prose } from '../model/chat/prose.ts'
import { chatKey, type Address } from '../model/chat/push.ts'
import type { AgentQueue, AgentQueues } from './agent-queue.ts'
import type { HeldPrompt } from './given-prompts.ts'
import type { KeptPrompts } from './kept-prompts.ts'

export interface TurnEndPorts {
  readonly queues: Pick<AgentQueues, 'showWorking'>
  readonly kept: Pick<KeptPrompts, 'putBack' | 'remove'>
  /** The agent has done with it: there is room for another. */
  release(promptId: string): void
  notify(address: Address, text: Prose): Promise<void>
}

/** Words about a chat's last messages: `what` names them, and `it` stands for them. */
type Say = (what: string, it: string) => string

/** How turns about prompts end: by themselves, or since the agent or the gate went away. */
export const createTurnEnds = ({ queues, kept, release, notify }: TurnEndPorts) => {
  const tellChats = (queue: AgentQueue, prompts: readonly HeldPrompt[], say: Say): void => {
    for (const [first, ...more] of Map.groupBy(prompts, chatKey).values()) {
      if (first === undefined) continue
      const { channel, chat_id } = first
      queues.showWorking(queue, first)
      const count = more.length + 1
      const text = count === 1 ? say('your last message', 'it') : say(`your last ${count} messages`, 'them')
      void notify({ channel, chat_id }, fixed(text))
    }
  }

  const end = (queue: AgentQueue, promptId: string): void => {
    queue.given.delete(promptId)
    queue.spent.delete(promptId)
    release(promptId)
    void kept.remove(promptId)
  }

  return {
    /** The agent's turn about a prompt has ended. */
    ended: (queue: AgentQueue, prompt: HeldPrompt): void => {
      end(queue, prompt.prompt_id)
      queues.showWorking(queue, prompt)
    },
    /** What the agent had is cut short, and that is told. */
    interrupted: (queue: AgentQueue, say: Say): void => {
      const lost = [...queue.given.values()]
      for (const { prompt_id } of lost) end(queue, prompt_id)
      tellChats(queue, lost, say)
    },
    /** What the agent left before it had begun with it waits for the next one; once, since it may be what ended the agent. */
    takeBack: (queue: AgentQueue): void => {
      const untouched = [...queue.given.values()].filter(({ prompt_id }) => !queue.spent.has(prompt_id))
      for (const prompt of untouched) {
        queue.given.delete(prompt.prompt_id)
        queue.spent.add(prompt.prompt_id)
        if (prompt.files === undefined) void kept.putBack(prompt)
      }
      queue.waiting.unshift(...untouched)
      tellChats(
        queue,
        untouched,
        (what, it) =>
          `The agent stopped before it had begun with ${what}; it gets ${it} as soon as it is up again.`,
      )
    },
  }
}
