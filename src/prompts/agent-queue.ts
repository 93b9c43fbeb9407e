import { isSameChat, type Address } from '../core/model/chat/push.ts'
import type { HeldPrompt } from '../core/model/events/record.ts'
import type { InboxFile, InboxLine } from '../shared/events/inbox-line.ts'
import type { GivenPrompts } from './given-prompts.ts'
import type { KeptPrompts } from './kept-prompts.ts'

export interface AgentQueue {
  send: ((line: InboxLine) => void) | undefined
  readonly waiting: HeldPrompt[]
  /** Prompts that the agent has received and whose turn has not ended, by id. */
  readonly given: Map<string, HeldPrompt>
  /**
   * Ids of the given prompts that no other agent process gets: their turn has begun, or they were given a
   * second time.
   */
  readonly spent: Set<string>
  /** One promise for each prompt that is being written to disk or sent to the agent. */
  readonly coming: Set<Promise<unknown>>
  /**
   * Chats whose next message begins a new session. An agent that connects before that session has begun is
   * told `new` as well.
   */
  readonly anew: Map<string, Address>
}

export interface AgentQueuePorts {
  /** Prompts that agents have received and whose turn has not ended. */
  readonly given: GivenPrompts
  readonly kept: Pick<KeptPrompts, 'setGiven'>
  /** Shows in the chat whether the agent is working. */
  working(address: Address, isWorking: boolean): void
}

export const fileIdOf = (promptId: string, index: number): string => `${promptId}.${index}`

const filesOf = ({ prompt_id, files = [] }: HeldPrompt): readonly InboxFile[] | undefined =>
  files.length === 0
    ? undefined
    : files.map(({ name, type, size }, index) => ({ id: fileIdOf(prompt_id, index), name, type, size }))

/** Converts a prompt to the line that its agent reads. */
const lineOf = (prompt: HeldPrompt): InboxLine => {
  const { prompt_id, channel, chat_id, sender_id, sender_name, text, inGroup, message_id, isGoal } = prompt
  return {
    type: 'prompt',
    prompt_id,
    channel,
    chat_id,
    sender_id,
    sender_name,
    text,
    inGroup,
    message_id,
    isGoal,
    files: filesOf(prompt),
  }
}

/** Keeps one queue for each agent: the prompts that wait for it and the prompts that it has. */
export const createAgentQueues = ({ given, kept, working }: AgentQueuePorts) => {
  const queues = new Map<string, AgentQueue>()

  const showWorking = (queue: AgentQueue, { channel, chat_id }: Address): void =>
    working(
      { channel, chat_id },
      [...queue.given.values()].some((prompt) => isSameChat(prompt, { channel, chat_id })),
    )

  /**
   * Marks the prompt as given on disk before the agent gets it. After a crash the person is told that it was
   * interrupted, and the prompt is never given a second time.
   */
  const handOver = async (
    queue: AgentQueue,
    prompt: HeldPrompt,
    send: (line: InboxLine) => void,
  ): Promise<void> => {
    await kept.setGiven(prompt.prompt_id)
    // The agent disconnected meanwhile, and the person was told.
    if (queue.send !== send || queue.given.get(prompt.prompt_id) !== prompt) return
    send(lineOf(prompt))
    showWorking(queue, prompt)
  }

  /** Registers work that brings something to the agent, until the work has ended. */
  const comes = ({ coming }: AgentQueue, work: Promise<unknown>): void => {
    const ended = work.catch(() => undefined).finally(() => coming.delete(ended))
    coming.add(ended)
  }

  return {
    of: (agentId: string): AgentQueue => {
      const queue = queues.get(agentId) ?? {
        send: undefined,
        waiting: [],
        given: given.of(agentId),
        spent: new Set<string>(),
        coming: new Set<Promise<unknown>>(),
        anew: new Map<string, Address>(),
      }
      queues.set(agentId, queue)
      return queue
    },
    all: (): readonly (readonly [agentId: string, queue: AgentQueue])[] => [...queues],
    showWorking,
    comes,
    /** Sends the waiting prompts to the agent if it is connected. */
    give: async (queue: AgentQueue): Promise<void> => {
      const { send } = queue
      if (send === undefined) return
      const handed = queue.waiting.splice(0).map((prompt) => {
        queue.given.set(prompt.prompt_id, prompt)
        return handOver(queue, prompt, send)
      })
      for (const work of handed) comes(queue, work)
      await Promise.all(handed)
    },
  }
}

export type AgentQueues = ReturnType<typeof createAgentQueues>
