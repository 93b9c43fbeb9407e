import { setTimeout as sleep } from 'node:timers/promises'
import { ILinkError, retOf, type Access } from './client.ts'
import type { ILinkContext } from './context.ts'

const CALL_TIMEOUT_MS = 3000
/** The sign ends after this time even if the agent never reports that it is done. */
const LONGEST_MS = 10 * 60_000
/** A ticket no longer works after ten minutes (NousResearch/hermes-agent#38085). */
const TICKET_AGE_MS = 9 * 60_000
const [SHOWN, HIDDEN] = [1, 2]

/**
 * Shows “typing” in the chats where an agent works, only to people who wrote to the bot. After the first
 * failed call the sign ends for this time. The sign is optional, and too many calls could make WeChat refuse
 * messages.
 */
export const createTyping = ({ client, card, elapsedMs, times }: ILinkContext) => {
  const working = new Map<string, AbortController>()
  const runningLoops = new Set<Promise<void>>()
  const tickets = new Map<
    string,
    { readonly ticket: string; readonly session: string; readonly untilMs: number }
  >()

  const ask = async (
    access: Access,
    path: string,
    body: Readonly<Record<string, string | number>>,
    signal?: AbortSignal,
  ) => {
    const answer = await client.post(access, path, body, {
      timeoutMs: CALL_TIMEOUT_MS,
      signal,
    })
    if (retOf(answer) !== 0)
      throw new ILinkError(`ret${retOf(answer)}`, 'Expected WeChat to accept the typing sign.')
    return answer
  }

  const ticketOf = async (
    access: Access,
    chatId: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> => {
    const known = tickets.get(chatId)
    if (known?.session === access.token && elapsedMs() < known.untilMs) return known.ticket
    const context = card.memory().contexts.get(chatId)
    if (context === undefined) return undefined
    const { typing_ticket: ticket } = await ask(
      access,
      'getconfig',
      { ilink_user_id: chatId, context_token: context.token },
      signal,
    )
    if (typeof ticket !== 'string' || ticket === '') return undefined
    // Few people have a context, so this map stays small.
    tickets.set(chatId, { ticket, session: access.token, untilMs: elapsedMs() + TICKET_AGE_MS })
    return ticket
  }

  /**
   * Sends one state of the sign. False when there is no session or no ticket. `beforeCall` runs before WeChat
   * is called.
   */
  const setSign = async (
    chatId: string,
    status: number,
    signal?: AbortSignal,
    beforeCall?: () => void,
  ): Promise<boolean> => {
    const { session } = card.memory()
    const ticket = session === undefined ? undefined : await ticketOf(session, chatId, signal)
    if (session === undefined || ticket === undefined) return false
    beforeCall?.()
    await ask(session, 'sendtyping', { ilink_user_id: chatId, typing_ticket: ticket, status }, signal)
    return true
  }

  const show = async (chatId: string, loop: AbortController): Promise<void> => {
    const untilMs = elapsedMs() + LONGEST_MS
    let mayBeShown = false
    try {
      while (
        !loop.signal.aborted &&
        elapsedMs() < untilMs &&
        (await setSign(chatId, SHOWN, loop.signal, () => (mayBeShown = true)))
      ) {
        await sleep(times.typingMs, undefined, { signal: loop.signal })
      }
    } catch {
      // The loop was stopped, or WeChat refused the sign.
    }
    if (working.get(chatId) === loop) working.delete(chatId)
    // A phone shows the sign until it is hidden, so it is hidden even when the result of the last call is
    // unknown.
    if (mayBeShown && !working.has(chatId)) await setSign(chatId, HIDDEN).catch(() => tickets.delete(chatId))
  }

  const end = (chatId: string): void => {
    working.get(chatId)?.abort()
    working.delete(chatId)
  }

  return {
    set: (chatId: string, isWorking: boolean): void => {
      if (!isWorking) end(chatId)
      else if (!working.has(chatId)) {
        const loop = new AbortController()
        working.set(chatId, loop)
        const shown = show(chatId, loop)
        runningLoops.add(shown)
        void shown.then(() => runningLoops.delete(shown))
      }
    },
    /** Resolves when every sign is hidden, or when hiding it failed. */
    stop: async (): Promise<void> => {
      for (const chatId of working.keys()) end(chatId)
      await Promise.all(runningLoops)
    },
  }
}
