import type { InboundFile } from '../core/model/chat/channel.ts'
import { chatKey, type Address } from '../core/model/chat/push.ts'
import type { HeldPrompt } from '../core/model/events/record.ts'
import type { AgentControl, InboxLine } from '../shared/events/inbox-line.ts'
import type { AgentNode } from '../shared/nodes/agent-node.ts'
import { createAgentQueues, fileIdOf, type AgentQueuePorts } from './agent-queue.ts'
import { createKeptPrompts, type KeptPromptPorts } from './kept-prompts.ts'
import { createOverflow, type OverflowPorts } from './overflow.ts'
import { createPromptRoom } from './prompt-room.ts'
import { createTurnEnds } from './turn-ends.ts'
import { agentStopped, gateStopped, notBegun, waitsText } from './words.ts'

export interface PromptPorts
  extends OverflowPorts, KeptPromptPorts, Pick<AgentQueuePorts, 'given' | 'working'> {
  /** The id of the agent that serves a chat. */
  agentOf(address: Address): string
  /** The node of an agent. Undefined: it runs on the machine of the gate. */
  nodeOf(agentId: string): AgentNode | undefined
}

/**
 * Stores each person's message until the agent's turn about it has ended, so that no message is lost when the
 * gate or the agent dies.
 */
export const createPrompts = (ports: PromptPorts) => {
  const kept = createKeptPrompts(ports)
  const queues = createAgentQueues({ ...ports, kept })
  const room = createPromptRoom(ports.isOwner)
  const overflow = createOverflow(ports)
  const release = (promptId: string): void => {
    room.release(promptId)
    if (room.isQuiet()) overflow.end()
  }
  const turnEnds = createTurnEnds({ queues, kept, release, notify: ports.notify })

  return {
    begin: kept.begin,

    /**
     * Queues a person's message for the agent of its chat. Resolves when it is on disk, and rejects when it
     * could not be written. When too many messages wait, it is dropped and the person is told.
     */
    prompt: async (message: Omit<HeldPrompt, 'prompt_id' | 'agent_id' | 'state'>): Promise<void> => {
      // Nobody who waits for the disk waits for a notice.
      if (!room.fits(message)) return void overflow.tell(message)
      const prompt: HeldPrompt = {
        ...message,
        prompt_id: ports.newId(),
        agent_id: ports.agentOf(message),
        state: 'waiting',
      }
      const queue = queues.of(prompt.agent_id)
      room.hold(prompt.prompt_id, prompt)
      // The files do not outlive this process, so a later start must not give the prompt without them. It is
      // stored as given, and then reported as interrupted.
      const put = kept.put(prompt.files === undefined ? prompt : { ...prompt, state: 'given' }).then(() => {
        queue.waiting.push(prompt)
        return { handed: queues.give(queue) }
      })
      put.catch(() => release(prompt.prompt_id))
      queues.comes(
        queue,
        put.then(({ handed }) => handed),
      )
      await put
      if (queue.send === undefined) void ports.notify(message, waitsText(ports.nodeOf(prompt.agent_id)))
    },

    /** Connects an agent host. The returned function disconnects it. */
    subscribe: (agentId: string, send: (line: InboxLine) => void): (() => void) => {
      const queue = queues.of(agentId)
      queue.send = send
      for (const address of queue.anew.values()) send({ type: 'new', ...address })
      void queues.give(queue)
      return () => {
        if (queue.send !== send) return
        queue.send = undefined
        const node = ports.nodeOf(agentId)
        turnEnds.takeBack(queue, notBegun(node))
        turnEnds.interrupted(queue, agentStopped(node))
      }
    },

    /**
     * Sends a control word to the chat's agent, after every message that was written before it. Returns false
     * when no agent is connected. The word `new` is then sent when one connects.
     */
    tell: (type: AgentControl, { channel, chat_id }: Address): boolean => {
      const queue = queues.of(ports.agentOf({ channel, chat_id }))
      const say = (): void => queue.send?.({ type, channel, chat_id })
      // The agent keeps its conversations over a restart, so it must hear `new` later.
      if (type === 'new') queue.anew.set(chatKey({ channel, chat_id }), { channel, chat_id })
      if (queue.coming.size === 0) say()
      else void Promise.all(queue.coming).then(say)
      return queue.send !== undefined
    },

    /** What the agent is doing: how many messages it works on, and how many wait for it. */
    stateOf: (
      agentId: string,
    ): { readonly isConnected: boolean; readonly given: number; readonly waiting: number } => {
      const { send, given, waiting } = queues.of(agentId)
      return { isConnected: send !== undefined, given: given.size, waiting: waiting.length }
    },

    /** True while a message of this chat waits for the agent or is being worked on. */
    isWorking: room.isHeldIn,

    /** Returns a file of a prompt that the agent is working on. */
    file: (agentId: string, id: string): InboundFile | undefined => {
      for (const prompt of queues.of(agentId).given.values()) {
        const found = prompt.files?.find((_, index) => fileIdOf(prompt.prompt_id, index) === id)
        if (found !== undefined) return found
      }
      return undefined
    },

    /** Notes that the agent's turn about a prompt has begun. From now on no other agent process gets it. */
    began: (agentId: string, promptId: string): void => {
      const queue = queues.of(agentId)
      const prompt = queue.given.get(promptId)
      if (prompt === undefined) return
      queue.spent.add(promptId)
      queue.anew.delete(chatKey(prompt))
    },

    /** Notes that the agent's turn about a prompt has ended. */
    ended: (agentId: string, promptId: string): void => {
      const queue = queues.of(agentId)
      const prompt = queue.given.get(promptId)
      if (prompt !== undefined) turnEnds.ended(queue, prompt)
    },

    /**
     * Restores what an earlier run of the gate left. Prompts that an agent had are reported as interrupted,
     * and waiting prompts are sent.
     */
    restore: async (): Promise<void> => {
      for (const prompt of await kept.before()) {
        const queue = queues.of(prompt.agent_id)
        room.hold(prompt.prompt_id, prompt)
        if (prompt.state === 'waiting') queue.waiting.push(prompt)
        else queue.given.set(prompt.prompt_id, prompt)
      }
      for (const [, queue] of queues.all()) queue.waiting.sort((a, b) => a.atMs - b.atMs)
      for (const [agentId, queue] of queues.all()) turnEnds.interrupted(queue, gateStopped(agentId))
      for (const [, queue] of queues.all()) void queues.give(queue)
    },
  }
}

export type Prompts = ReturnType<typeof createPrompts>
