import { setTimeout as sleep } from 'node:timers/promises'
import type { MemoryCard } from './card.ts'
import { ILinkError, retOf, type Access, type Client } from './client.ts'

export interface TypingPorts {
  readonly client: Client
  readonly card: MemoryCard
  elapsedMs(): number
  readonly everyMs?: number
}

export interface IlinkTyping {
  set(chatId: string, isWorking: boolean): void
  /** Resolves when no sign is left behind, or could not be taken away in time. */
  stop(): Promise<void>
}

/** WeChat's own client says it again so often (Tencent/openclaw-weixin, src/messaging/process-message.ts). */
const EVERY_MS = 5000
const CALL_TIMEOUT_MS = 3000
/** An agent that forgot to say that it is done must not seem to type for ever. */
const LONGEST_MS = 10 * 60_000
/** Others found it of no use after ten minutes (NousResearch/hermes-agent#38085). */
const TICKET_AGE_MS = 9 * 60_000
const [SHOWN, GONE] = [1, 2]

/**
 * Shows “typing” in the chats where an agent works, and only to people who wrote. The first call that fails ends it for
 * this time: nothing depends on it, and what is too often may cost messages their way out.
 */
export const createTyping = ({ client, card, elapsedMs, everyMs = EVERY_MS }: TypingPorts): IlinkTyping => {
  const working = new Map<string, AbortController>()
  const shows = new Set<Promise<void>>()
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
      ...(signal === undefined ? {} : { signal }),
    })
    if (retOf(answer) !== 0) throw new ILinkError(`ret${retOf(answer)}`, 'Expected the sign to be taken.')
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
    // The people with a context are few, so these are.
    tickets.set(chatId, { ticket, session: access.token, untilMs: elapsedMs() + TICKET_AGE_MS })
    return ticket
  }

  /** False where there is nobody to show it to. `asked` is called before WeChat is. */
  const tell = async (
    chatId: string,
    status: number,
    signal?: AbortSignal,
    asked?: () => void,
  ): Promise<boolean> => {
    const { session } = card.memory()
    const ticket = session === undefined ? undefined : await ticketOf(session, chatId, signal)
    if (session === undefined || ticket === undefined) return false
    asked?.()
    await ask(session, 'sendtyping', { ilink_user_id: chatId, typing_ticket: ticket, status }, signal)
    return true
  }

  const show = async (chatId: string, life: AbortController): Promise<void> => {
    const untilMs = elapsedMs() + LONGEST_MS
    let mayBeShown = false
    try {
      while (
        !life.signal.aborted &&
        elapsedMs() < untilMs &&
        (await tell(chatId, SHOWN, life.signal, () => (mayBeShown = true)))
      ) {
        await sleep(everyMs, undefined, { signal: life.signal })
      }
    } catch {
      // Stopped, or WeChat did not take it.
    }
    if (working.get(chatId) === life) working.delete(chatId)
    // A phone goes on showing it until it is told otherwise, so this is said even where nobody knows what came of it.
    if (mayBeShown && !working.has(chatId)) await tell(chatId, GONE).catch(() => tickets.delete(chatId))
  }

  const end = (chatId: string): void => {
    working.get(chatId)?.abort()
    working.delete(chatId)
  }

  return {
    set: (chatId, isWorking) => {
      if (!isWorking) end(chatId)
      else if (!working.has(chatId)) {
        const life = new AbortController()
        working.set(chatId, life)
        const shown = show(chatId, life)
        shows.add(shown)
        void shown.then(() => shows.delete(shown))
      }
    },
    stop: async () => {
      for (const chatId of working.keys()) end(chatId)
      await Promise.all(shows)
    },
  }
}
