import type { Api } from 'grammy'
import { readChatId, type ChatAddress } from '../chat-id.ts'
import { pause, type Timers, within } from '../timers.ts'

/** Telegram's apps show “typing” for five seconds after each call. */
const everyMs = 5000
/** A call that takes longer is given up, because the next one follows after five seconds. */
const callTimeoutMs = 4000
/** The sign ends after this time even if the agent never reports that it is done. */
const longestMs = 10 * 60_000

export interface TypingSigns {
  set(chatId: string, isWorking: boolean): void
  stop(): void
}

/**
 * Shows “typing” in the chats where an agent works. A failed call is ignored; the next call follows after
 * five seconds.
 */
export const createTyping = (api: Api, timers: Timers, elapsedMs: () => number): TypingSigns => {
  /** The running loop of each chat, by chat id. Aborting the controller ends the loop. */
  const working = new Map<string, AbortController>()

  const show = async (
    chatId: string,
    { chat_id, ...topic }: ChatAddress,
    loop: AbortController,
  ): Promise<void> => {
    const untilMs = elapsedMs() + longestMs
    while (!loop.signal.aborted && elapsedMs() < untilMs) {
      try {
        await within(
          timers,
          callTimeoutMs,
          (signal) => api.sendChatAction(chat_id, 'typing', topic, signal),
          loop.signal,
        )
      } catch {
        // The sign is optional, so a failure is ignored.
      }
      await pause(timers, everyMs, loop.signal)
    }
    if (working.get(chatId) === loop) working.delete(chatId)
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
      const loop = new AbortController()
      working.set(chatId, loop)
      void show(chatId, address, loop)
    },
    stop: () => {
      for (const chatId of working.keys()) end(chatId)
    },
  }
}
