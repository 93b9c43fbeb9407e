import { isSameChat, type Address } from '../model/chat/push.ts'
import type { InboxFile, InboxLine } from '../model/events/record.ts'
import type { GivenPrompts, HeldPrompt } from './given-prompts.ts'
import type { KeptPrompts } from './kept-prompts.ts'

export interface AgentQueue {
  send: ((line: InboxLine) => void) | undefined
  readonly waiting: HeldPrompt[]
  /** Prompts that the agent has and whose turn has not ended, by id. */
  readonly given: Map<string, HeldPrompt>
  /** Of the given ones, those that are given to nobody else: their turn has begun, or they were given a second time. */
  readonly spent: Set<string>
  /** One for each prompt that is on its way to the disk or to the agent. */
  readonly coming: Set<Promise<unknown>>
  /** Chats whose next message begins a new session: an agent that comes before that one has begun has to hear it, too. */
  readonly anew: Map<string, Address>
}

export interface AgentQueuePorts {
  /** Prompts that agents have and whose turn has not ended. */
  readonly given: GivenPrompts
  readonly kept: Pick<KeptPrompts, 'setGiven'>
  /** Shows in the chat that the agent works, or no longer does. */
  working(address: Address, isWorking: boolean): void
}

export const fileIdOf = (promptId: string, index: number): string => `${promptId}.${index}`

const notesOf = ({ prompt_id, files = [] }: HeldPrompt): { readonly files?: readonly InboxFile[] } =>
  files.length === 0
    ? {}
    : {
        files: files.map(({ name, type, size }, index) => ({
          id: fileIdOf(prompt_id, index),
          name,
          type,
          size,
        })),
      }

/** A prompt as its agent reads it. */
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
    ...(inGroup === undefined ? {} : { inGroup }),
    ...(message_id === undefined ? {} : { message_id }),
    ...(isGoal === undefined ? {} : { isGoal }),
    ...notesOf(prompt),
  }
}

/** For each agent, what waits for it and what it has. */
export const createAgentQueues = ({ given, kept, working }: AgentQueuePorts) => {
  const queues = new Map<string, AgentQueue>()

  const showWorking = (queue: AgentQueue, { channel, chat_id }: Address): void =>
    working(
      { channel, chat_id },
      [...queue.given.values()].some((prompt) => isSameChat(prompt, { channel, chat_id })),
    )

  /** On disk before the agent has it: after a crash it is told as cut short, and never given a second time. */
  const handOver = async (
    queue: AgentQueue,
    prompt: HeldPrompt,
    send: (line: InboxLine) => void,
  ): Promise<void> => {
    await kept.setGiven(prompt.prompt_id)
    // That agent went away meanwhile, and that was told.
    if (queue.send !== send || queue.given.get(prompt.prompt_id) !== prompt) return
    send(lineOf(prompt))
    showWorking(queue, prompt)
  }

  /** Something is on its way to the agent, until the work has ended. */
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
    /** Gives the agent what waits for it, if it is there. */
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
