import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '../../../src/model/json.ts'
import type { FileBytes } from '../file.ts'
import { SendLater } from '../outcome.ts'
import type { MemoryCard, Context } from './card.ts'
import type { Cdn } from './cdn.ts'
import { ILinkError, NOT_NOW, retOf, STALE_SESSION, type Access, type Client } from './client.ts'

export interface SendPorts {
  readonly client: Client
  readonly card: MemoryCard
  readonly cdn: Cdn
  trouble(why: string): void
  now(): number
  elapsedMs(): number
  /** Between two sends. Several within a second are refused for a while (chenhg5/cc-connect#1640). */
  readonly paceMs: number
  /** After the first refusal of a chat. */
  readonly slowMs: number
  /** So soon something that waits looks whether the person wrote. */
  readonly lookAgainMs: number
}

/** WeChat's rule: after 10 messages, or a day, the person has to write again (riba2534/happyclaw#639 quotes it). */
const MAX_SENT = 10
const MAX_AGE_MS = 24 * 60 * 60_000
const SLOWER = [1, 2, 120]

const USER_MESSAGE = { message_type: 2, message_state: 2 } as const

interface Refused {
  readonly contextToken: string
  readonly count: number
  readonly untilMs: number
}

/** Sends texts and files, one item a message. It rejects with `SendLater` where nothing left, and the same may leave later. */
export const createSend = (ports: SendPorts) => {
  const { client, card, lookAgainMs } = ports
  const refused = new Map<string, Refused>()
  const told = new Set<string>()
  let nextAtMs = -Infinity

  /** Whoever waits is told about once, until something leaves again. */
  const waitForPerson = (chatId: string, afterMs = lookAgainMs): never => {
    const name = shortName(chatId)
    if (!told.has(chatId))
      ports.trouble(
        `Messages to ${name} wait until that person writes to the bot. After each message of theirs WeChat lets ${MAX_SENT} leave, within a day.`,
      )
    told.add(chatId)
    throw new SendLater(`WeChat lets nothing leave to ${name} until that person writes.`, afterMs)
  }

  /**
   * -2 is either "too much for now" or "the person has to write first", and WeChat does not say which: so it counts as no
   * limit of the messenger's: two chats at one would close the channel for all.
   */
  const refuse = (chatId: string, context: Context): never => {
    const before = refused.get(chatId)
    const isSpent = context.sent >= MAX_SENT || ports.now() - context.atMs >= MAX_AGE_MS
    const count = isSpent
      ? SLOWER.length
      : Math.min((before?.contextToken === context.token ? before.count : 0) + 1, SLOWER.length)
    refused.set(chatId, {
      contextToken: context.token,
      count,
      untilMs: ports.elapsedMs() + ports.slowMs * (SLOWER[count - 1] ?? 1),
    })
    if (count === SLOWER.length) waitForPerson(chatId)
    throw new SendLater('WeChat takes no more messages for the moment.', lookAgainMs)
  }

  /** What WeChat answers in place of doing it. */
  const check = (ret: number, chatId: string, context: Context): void => {
    // The poll sees the same and ends the session.
    if (ret === STALE_SESSION) throw new SendLater('WeChat is not logged in.', ports.slowMs)
    if (ret === NOT_NOW) refuse(chatId, context)
    if (ret !== 0) throw new ILinkError(`ret${ret}`, `Expected the message to be taken, got ret ${ret}.`)
  }

  /** A file is up before the message that names it goes; by then the person may have written again. */
  const itemOf = async (
    access: Access,
    chatId: string,
    what: string | FileBytes,
    context: Context,
  ): Promise<{ readonly item: JsonObject; readonly context: Context }> => {
    if (typeof what === 'string') return { item: { type: 1, text_item: { text: what } }, context }
    const done = await ports.cdn.upload(access, chatId, what)
    if ('ret' in done) {
      check(done.ret, chatId, context)
      throw new ILinkError('EPROTO', 'Expected an answer, got none.')
    }
    for (let early = nextAtMs - ports.elapsedMs(); early > 0; early = nextAtMs - ports.elapsedMs())
      await sleep(early)
    return { item: done.item, context: card.memory().contexts.get(chatId) ?? context }
  }

  /** Resolves with WeChat's id of the message, where it gave one. */
  return async (access: Access, chatId: string, what: string | FileBytes): Promise<string | undefined> => {
    const known = card.memory().contexts.get(chatId)
    // Without a token WeChat answers "good" and drops the message (Tencent/openclaw-weixin#247).
    if (known === undefined) return waitForPerson(chatId)
    const before = refused.get(chatId)
    if (before?.contextToken === known.token && ports.elapsedMs() < before.untilMs) {
      const afterMs = Math.min(before.untilMs - ports.elapsedMs(), lookAgainMs)
      return before.count === SLOWER.length
        ? waitForPerson(chatId, afterMs)
        : Promise.reject(new SendLater('WeChat takes no more messages for the moment.', afterMs))
    }
    const early = nextAtMs - ports.elapsedMs()
    if (early > 0) throw new SendLater('WeChat takes messages one by one.', Math.min(early, ports.paceMs))
    const { item, context } = await itemOf(access, chatId, what, known)
    nextAtMs = ports.elapsedMs() + ports.paceMs
    const msg = {
      from_user_id: '',
      to_user_id: chatId,
      client_id: `hookgate-${randomUUID()}`,
      ...USER_MESSAGE,
      context_token: context.token,
      item_list: [item],
    }
    const answer = await client.post(access, 'sendmessage', { msg }).catch((error: unknown) => {
      if (error instanceof ILinkError && error.code === 'http429')
        throw new SendLater('WeChat takes no more messages for the moment.', ports.slowMs, true)
      throw error
    })
    check(retOf(answer), chatId, context)
    told.delete(chatId)
    refused.delete(chatId)
    const latest = card.memory().contexts
    const now = latest.get(chatId)
    if (now?.token === context.token)
      void card.keep({ contexts: new Map(latest).set(chatId, { ...now, sent: now.sent + 1 }) })
    const id = answer['message_id']
    return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
  }
}

/** WeChat gives no names here, and an id is 30 characters long. */
export const shortName = (id: string): string => `WeChat …${id.replace(/@.*$/, '').slice(-4)}`
