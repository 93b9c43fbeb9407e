import type { Api } from 'grammy'
import { readChatId, type ChatAddress } from './chat-id.ts'
import { pause, type Timers, within } from './timers.ts'

/** Telegram's clients show “typing” for five seconds after each call. */
const everyMs = 5000
/** Less than that: a late answer is worth nothing. */
const callTimeoutMs = 4000
/** An agent that forgot to say that it is done must not seem to type for ever. */
const longestMs = 10 * 60_000

export interface TypingSigns {
  set(chatId: string, isWorking: boolean): void
  stop(): void
}

/** Shows “typing” in the chats where an agent works. A failed call is of no account: the next one comes in five seconds. */
export const createTyping = (api: Api, timers: Timers, elapsedMs: () => number): TypingSigns => {
  /** At most one loop for a chat; aborting its controller ends it. */
  const working = new Map<string, AbortController>()

  const show = async (
    chatId: string,
    { chat_id, ...topic }: ChatAddress,
    life: AbortController,
  ): Promise<void> => {
    const untilMs = elapsedMs() + longestMs
    while (!life.signal.aborted && elapsedMs() < untilMs) {
      try {
        await within(
          timers,
          callTimeoutMs,
          (signal) => api.sendChatAction(chat_id, 'typing', topic, signal),
          life.signal,
        )
      } catch {
        // Nothing depends on it.
      }
      await pause(timers, everyMs, life.signal)
    }
    if (working.get(chatId) === life) working.delete(chatId)
  }

  const end = (chatId: string) => {
    working.get(chatId)?.abort()
    working.delete(chatId)
  }

  return {
    set: (chatId, isWorking) => {
      if (!isWorking) return end(chatId)
      const address = readChatId(chatId)
      if (address === undefined || working.has(chatId)) return
      const life = new AbortController()
      working.set(chatId, life)
      void show(chatId, address, life)
    },
    stop: () => {
      for (const chatId of working.keys()) end(chatId)
    },
  }
}
