import { createLastingWrites } from '../core/model/base/lasting-writes.ts'
import { createNewcomers } from '../core/model/base/newcomers.ts'
import type { Message } from '../core/model/chat/channel.ts'
import { messageOf } from '../core/model/gate/problem.ts'
import type { Prompt } from '../core/model/events/record.ts'

export interface KeptPromptPorts {
  readonly store: {
    putPrompt(prompt: Prompt): Promise<void>
    setPromptGiven(promptId: string): Promise<void>
    removePrompt(promptId: string): Promise<void>
    prompts(): Promise<readonly Prompt[]>
  }
  newId(): string
  now(): number
  after(delayMs: number, run: () => void): void
  log(
    level: 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ): void
}

/** A message that is being handled. */
type Begun = Pick<Message, 'channel' | 'chat_id' | 'message_id' | 'sender_id' | 'sender_name'>

/** The agent id of a message that had not reached an agent yet. */
export const nobody = ''

/** Stores people's messages on disk until they are fully handled. */
export const createKeptPrompts = ({ store, newId, now, after, log }: KeptPromptPorts) => {
  const newcomers = createNewcomers()
  const startId = newId()
  /** The store failed and has not succeeded since. An outage is logged once. */
  let isAway = false
  const onFailed = (error: unknown): void => {
    if (!isAway) log('error', 'a message could not be saved on disk', { error: messageOf(error) })
    isAway = true
  }
  /** By prompt, what the store must know in the end. Otherwise the next start would give the prompt again. */
  const changes = createLastingWrites({ after, onFailed })
  const write = async (promptId: string, run: () => Promise<void>): Promise<void> => {
    if (await changes.write(promptId, run)) isAway = false
  }
  const remove = (promptId: string): Promise<void> => write(promptId, () => store.removePrompt(promptId))

  return {
    /** Stores a new prompt. Rejects when it cannot be written. */
    put: (prompt: Prompt): Promise<void> => {
      newcomers.add(prompt.prompt_id)
      return store.putPrompt(prompt).catch((error: unknown) => {
        // It may be on disk all the same, and the message comes again.
        void remove(prompt.prompt_id)
        throw error
      })
    },
    /** Stores that the prompt waits for an agent again. Never rejects. */
    putBack: (prompt: Prompt): Promise<void> => write(prompt.prompt_id, () => store.putPrompt(prompt)),
    /** Stores that an agent has the prompt. Never rejects. */
    setGiven: (promptId: string): Promise<void> => write(promptId, () => store.setPromptGiven(promptId)),
    /** Removes the prompt from the disk. Never rejects. */
    remove,
    /**
     * Marks a message as being handled. `kept` resolves when the mark is on disk and never rejects. If the
     * gate crashes before `end`, the chat is told. What is written in the same turn of the event loop as
     * `end` is on disk together with it, or neither is.
     */
    begin: ({ channel, chat_id, message_id, sender_id, sender_name }: Begun) => {
      // A message that is offered again takes its own mark over, so that marks do not become more and more.
      const prompt_id = [startId, channel, chat_id, message_id].join(' ')
      newcomers.add(prompt_id)
      changes.cancel(prompt_id)
      const asked = { prompt_id, agent_id: nobody, channel, chat_id, sender_id, sender_name, text: '' }
      const kept = store.putPrompt({ ...asked, atMs: now(), state: 'given' }).then(() => {
        isAway = false
      }, onFailed)
      let hasEnded = false
      return {
        kept,
        end: () => {
          if (!hasEnded) void remove(prompt_id)
          hasEnded = true
        },
      }
    },
    /** Returns the prompts that an earlier run of the gate left on disk. */
    before: async (): Promise<readonly Prompt[]> =>
      newcomers.without(await store.prompts(), ({ prompt_id }) => prompt_id),
  }
}

export type KeptPrompts = ReturnType<typeof createKeptPrompts>
