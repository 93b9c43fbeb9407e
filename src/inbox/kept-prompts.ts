import { createNewcomers } from '../model/base/newcomers.ts'
import { messageOf } from '../model/gate/problem.ts'
import type { Prompt } from '../model/events/record.ts'

export interface KeptPromptPorts {
  readonly store: {
    putPrompt(prompt: Prompt): Promise<void>
    setPromptGiven(promptId: string): Promise<void>
    removePrompt(promptId: string): Promise<void>
    prompts(): Promise<readonly Prompt[]>
  }
  newId(): string
  now(): number
  log(
    level: 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ): void
}

/** In an agent's place: the message had not come as far as to one. */
export const nobody = ''

/** What people wrote, on disk until nothing of it is left to do. */
export const createKeptPrompts = ({ store, newId, now, log }: KeptPromptPorts) => {
  const newcomers = createNewcomers()
  const quietly = (write: Promise<void>): Promise<void> =>
    write.catch((error: unknown) => log('error', 'a prompt could not be kept', { error: messageOf(error) }))
  const remove = (promptId: string): Promise<void> => quietly(store.removePrompt(promptId))

  return {
    /** Rejects when it cannot be written. */
    put: (prompt: Prompt): Promise<void> => {
      newcomers.add(prompt.prompt_id)
      return store.putPrompt(prompt)
    },
    /** It waits for an agent again. Never rejects. */
    putBack: (prompt: Prompt): Promise<void> => quietly(store.putPrompt(prompt)),
    /** An agent has it. Never rejects. */
    setGiven: (promptId: string): Promise<void> => quietly(store.setPromptGiven(promptId)),
    /** Never rejects. */
    remove,
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
      const prompt_id = newId()
      newcomers.add(prompt_id)
      const kept = quietly(
        store.putPrompt({
          prompt_id,
          agent_id: nobody,
          channel,
          chat_id,
          sender_id,
          sender_name,
          text: '',
          atMs: now(),
          state: 'given',
        }),
      )
      let hasEnded = false
      return {
        kept,
        end: () => {
          if (!hasEnded) void remove(prompt_id)
          hasEnded = true
        },
      }
    },
    /** What was there when the gate last stopped. */
    before: async (): Promise<readonly Prompt[]> =>
      newcomers.without(await store.prompts(), ({ prompt_id }) => prompt_id),
  }
}

export type KeptPrompts = ReturnType<typeof createKeptPrompts>
