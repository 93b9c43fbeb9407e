import type { InboundFile } from '../model/channel.ts'
import { fixed } from '../model/prose.ts'
import { messageOf } from '../model/problem.ts'
import { chatKey, isSameChat, type Address } from '../model/push.ts'
import type { AgentWord, InboxFile, InboxLine, Prompt } from '../model/record.ts'
import type { GivenPrompts, HeldPrompt } from './given-prompts.ts'
import { createOverflow, type OverflowPorts } from './overflow.ts'
import { createPromptRoom } from './prompt-room.ts'

export interface PromptPorts extends OverflowPorts {
  readonly store: {
    putPrompt(prompt: Prompt): Promise<void>
    setPromptGiven(promptId: string): Promise<void>
    removePrompt(promptId: string): Promise<void>
    prompts(): Promise<readonly Prompt[]>
  }
  /** Prompts that agents have and whose turn has not ended. */
  readonly given: GivenPrompts
  /** The agent that serves a chat. */
  agentOf(address: Address): string
  /** Shows in the chat that the agent works, or no longer does. */
  working(address: Address, isWorking: boolean): void
  log(
    level: 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ): void
}

/** In an agent's place: the message had not come as far as to one. */
const nobody = ''

const fileIdOf = (promptId: string, index: number): string => `${promptId}.${index}`
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

interface AgentQueue {
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

/** Keeps each person's message until its agent's turn about it has ended; nothing is lost when either side dies. */
export const createPrompts = (ports: PromptPorts) => {
  const queues = new Map<string, AgentQueue>()
  const queueOf = (agentId: string): AgentQueue => {
    const queue = queues.get(agentId) ?? {
      send: undefined,
      waiting: [],
      given: ports.given.of(agentId),
      spent: new Set<string>(),
      coming: new Set<Promise<unknown>>(),
      anew: new Map<string, Address>(),
    }
    queues.set(agentId, queue)
    return queue
  }

  /** What came in since the start, until `restore` has told it from what was there before. */
  const begun = new Set<string>()
  let isRestored = false

  const quietly = (write: Promise<void>): Promise<void> =>
    write.catch((error: unknown) =>
      ports.log('error', 'a prompt could not be kept', { error: messageOf(error) }),
    )

  const room = createPromptRoom(ports.isOwner)
  const overflow = createOverflow(ports)
  const release = (promptId: string): void => {
    room.release(promptId)
    if (room.isQuiet()) overflow.end()
  }

  const showWorking = (queue: AgentQueue, { channel, chat_id }: Address): void =>
    ports.working(
      { channel, chat_id },
      [...queue.given.values()].some((prompt) => isSameChat(prompt, { channel, chat_id })),
    )

  /** On disk before the agent has it: after a crash it is told as cut short, and never given a second time. */
  const handOver = async (
    queue: AgentQueue,
    prompt: HeldPrompt,
    send: (line: InboxLine) => void,
  ): Promise<void> => {
    const { prompt_id, channel, chat_id, sender_id, sender_name, text, inGroup, message_id, isGoal } = prompt
    await quietly(ports.store.setPromptGiven(prompt_id))
    // That agent went away meanwhile, and that was told.
    if (queue.send !== send || queue.given.get(prompt_id) !== prompt) return
    send({
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
    })
    showWorking(queue, prompt)
  }

  const comes = ({ coming }: AgentQueue, work: Promise<unknown>): void => {
    const ended = work.catch(() => undefined).finally(() => coming.delete(ended))
    coming.add(ended)
  }

  const give = async (queue: AgentQueue): Promise<void> => {
    const { send } = queue
    if (send === undefined) return
    const handed = queue.waiting.splice(0).map((prompt) => {
      queue.given.set(prompt.prompt_id, prompt)
      return handOver(queue, prompt, send)
    })
    for (const work of handed) comes(queue, work)
    await Promise.all(handed)
  }

  const tellChats = (
    queue: AgentQueue,
    prompts: readonly HeldPrompt[],
    say: (what: string, it: string) => string,
  ): void => {
    for (const [first, ...more] of Map.groupBy(prompts, chatKey).values()) {
      if (first === undefined) continue
      const { channel, chat_id } = first
      showWorking(queue, first)
      void ports.notify(
        { channel, chat_id },
        fixed(
          more.length === 0
            ? say('your last message', 'it')
            : say(`your last ${more.length + 1} messages`, 'them'),
        ),
      )
    }
  }

  const interrupted = (queue: AgentQueue, say: (what: string, it: string) => string): void => {
    const lost = [...queue.given.values()]
    queue.given.clear()
    for (const { prompt_id } of lost) {
      queue.spent.delete(prompt_id)
      release(prompt_id)
      void quietly(ports.store.removePrompt(prompt_id))
    }
    tellChats(queue, lost, say)
  }

  /** What the agent left before it had begun with it waits for the next one; once, since it may be what ended the agent. */
  const takeBack = (queue: AgentQueue): void => {
    const untouched = [...queue.given.values()].filter(({ prompt_id }) => !queue.spent.has(prompt_id))
    for (const prompt of untouched) {
      queue.given.delete(prompt.prompt_id)
      queue.spent.add(prompt.prompt_id)
      if (prompt.files === undefined) void quietly(ports.store.putPrompt(prompt))
    }
    queue.waiting.unshift(...untouched)
    tellChats(
      queue,
      untouched,
      (what, it) =>
        `The agent stopped before it had begun with ${what}; it gets ${it} as soon as it is up again.`,
    )
  }

  return {
    /**
     * A message is being looked at. `kept` resolves when that is on disk and never rejects; until `end`, a crash is told
     * in its chat. What is written in the same turn of the event loop as `end` is on disk together with it, or neither is.
     */
    begin: ({
      channel,
      chat_id,
      sender_id,
      sender_name,
    }: Pick<Prompt, 'channel' | 'chat_id' | 'sender_id' | 'sender_name'>): {
      readonly kept: Promise<void>
      end(): void
    } => {
      const prompt_id = ports.newId()
      if (!isRestored) begun.add(prompt_id)
      const kept = quietly(
        ports.store.putPrompt({
          prompt_id,
          agent_id: nobody,
          channel,
          chat_id,
          sender_id,
          sender_name,
          text: '',
          atMs: ports.now(),
          state: 'given',
        }),
      )
      let hasEnded = false
      return {
        kept,
        end: () => {
          if (!hasEnded) void quietly(ports.store.removePrompt(prompt_id))
          hasEnded = true
        },
      }
    },

    /** A person's message for the agent of its chat. Where too many wait, it is not kept, and that is told. */
    prompt: async (message: Omit<HeldPrompt, 'prompt_id' | 'agent_id' | 'state'>): Promise<void> => {
      if (!room.fits(message)) return overflow.tell(message)
      const prompt: HeldPrompt = {
        ...message,
        prompt_id: ports.newId(),
        agent_id: ports.agentOf(message),
        state: 'waiting',
      }
      const queue = queueOf(prompt.agent_id)
      room.hold(prompt.prompt_id, prompt)
      if (!isRestored) begun.add(prompt.prompt_id)
      // Given to no later start without its files: it is told as cut short instead.
      const put = ports.store
        .putPrompt(prompt.files === undefined ? prompt : { ...prompt, state: 'given' })
        .then(() => {
          queue.waiting.push(prompt)
          return { handed: give(queue) }
        })
      put.catch(() => release(prompt.prompt_id))
      comes(
        queue,
        put.then(({ handed }) => handed),
      )
      await put
      if (queue.send === undefined)
        await ports.notify(message, fixed('The agent is starting; it gets your message as soon as it is up.'))
    },

    /** An agent host connected. The returned function says that it is gone. */
    subscribe: (agentId: string, send: (line: InboxLine) => void): (() => void) => {
      const queue = queueOf(agentId)
      queue.send = send
      for (const address of queue.anew.values()) send({ type: 'new', ...address })
      void give(queue)
      return () => {
        if (queue.send !== send) return
        queue.send = undefined
        takeBack(queue)
        interrupted(
          queue,
          (what, it) =>
            `The agent stopped in the middle of ${what} and is being started again. Nothing of ${it} goes on; send ${it} again if you still want ${it}.`,
        )
      }
    },

    /** Tells the chat's agent a word, behind every message that was written before it. False when no agent is connected; it hears `new` when it is. */
    tell: (type: AgentWord, { channel, chat_id }: Address): boolean => {
      const queue = queueOf(ports.agentOf({ channel, chat_id }))
      const say = (): void => queue.send?.({ type, channel, chat_id })
      // It keeps its conversations over a restart.
      if (type === 'new') queue.anew.set(chatKey({ channel, chat_id }), { channel, chat_id })
      if (queue.coming.size === 0) say()
      else void Promise.all(queue.coming).then(say)
      return queue.send !== undefined
    },

    /** A file of a prompt that the agent works on. */
    file: (agentId: string, id: string): InboundFile | undefined => {
      for (const prompt of queueOf(agentId).given.values()) {
        const found = prompt.files?.find((_, index) => fileIdOf(prompt.prompt_id, index) === id)
        if (found !== undefined) return found
      }
      return undefined
    },

    /** The agent's turn about a prompt has begun: it is given to nobody else. */
    began: (agentId: string, promptId: string): void => {
      const queue = queueOf(agentId)
      const prompt = queue.given.get(promptId)
      if (prompt === undefined) return
      queue.spent.add(promptId)
      queue.anew.delete(chatKey(prompt))
    },

    /** The agent's turn about a prompt has ended. */
    ended: (agentId: string, promptId: string): void => {
      const queue = queueOf(agentId)
      const prompt = queue.given.get(promptId)
      if (prompt === undefined) return
      queue.given.delete(promptId)
      queue.spent.delete(promptId)
      release(promptId)
      showWorking(queue, prompt)
      void quietly(ports.store.removePrompt(promptId))
    },

    /** Takes up what was there when the gate last stopped: what the agent had is told, what waited is given. */
    restore: async (): Promise<void> => {
      const before = (await ports.store.prompts()).filter(({ prompt_id }) => !begun.has(prompt_id))
      isRestored = true
      begun.clear()
      for (const prompt of before) {
        const queue = queueOf(prompt.agent_id)
        room.hold(prompt.prompt_id, prompt)
        if (prompt.state === 'waiting') queue.waiting.push(prompt)
        else queue.given.set(prompt.prompt_id, prompt)
      }
      for (const queue of queues.values()) queue.waiting.sort((a, b) => a.atMs - b.atMs)
      for (const [agentId, queue] of queues)
        interrupted(
          queue,
          (what, it) =>
            `hookgate was stopped in the middle of ${what}. Send ${it} again if you still want ${it}${agentId === nobody ? '; /hooks shows what a command has changed' : ''}.`,
        )
      for (const queue of queues.values()) void give(queue)
    },
  }
}

export type Prompts = ReturnType<typeof createPrompts>
