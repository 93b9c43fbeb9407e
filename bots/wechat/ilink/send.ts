import { prose } from '../../../src/core/model/chat/prose.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import type { FileBytes } from '../file.ts'
import { SendLater } from '../outcome.ts'
import type { Context } from './card.ts'
import type { Cdn } from './cdn.ts'
import { ILinkError, NOT_NOW, retOf, STALE_SESSION, type Access } from './client.ts'
import type { ILinkContext } from './context.ts'

/**
 * WeChat's rule: after 10 messages, or a day, the person has to write again (riba2534/happyclaw#639 quotes
 * it).
 */
export const MAX_SENT = 10
const MAX_AGE_MS = 24 * 60 * 60_000
/** Factors of `backoffMs` after the first, second and third refusal in a row. */
const BACKOFF_FACTORS = [1, 2, 120]

const USER_MESSAGE = { message_type: 2, message_state: 2 } as const

interface Refused {
  readonly contextToken: string
  readonly count: number
  readonly untilMs: number
}

/**
 * Sends texts and files. Each message has one item. Rejects with `SendLater` when nothing was sent and the
 * send may be repeated.
 */
export const createSend = ({ client, card, now, elapsedMs, trouble, times }: ILinkContext, cdn: Cdn) => {
  const { recheckMs, backoffMs, sendIntervalMs } = times
  const refused = new Map<string, Refused>()
  const reportedChats = new Set<string>()
  let nextAtMs = -Infinity

  /**
   * Reports once that messages to a chat wait. The next report follows only after a send to that chat
   * succeeded.
   */
  const waitForPerson = (chatId: string, afterMs = recheckMs): never => {
    const name = shortName(chatId)
    if (!reportedChats.has(chatId))
      trouble(
        prose`messages to ${name} wait until that person writes to the bot. After each message from that person WeChat allows ${MAX_SENT} messages within a day.`,
        false,
      )
    reportedChats.add(chatId)
    throw new SendLater(`WeChat allows no message to ${name} until that person writes.`, afterMs)
  }

  /**
   * Handles -2. It means either "too many messages" or "the person has to write first", and WeChat does not
   * say which. So it does not count as a rate limit, because rate limits in two chats would pause the channel
   * for everybody.
   */
  const refuse = (chatId: string, context: Context): never => {
    const before = refused.get(chatId)
    const isSpent = context.sent >= MAX_SENT || now() - context.atMs >= MAX_AGE_MS
    const count = isSpent
      ? BACKOFF_FACTORS.length
      : Math.min((before?.contextToken === context.token ? before.count : 0) + 1, BACKOFF_FACTORS.length)
    refused.set(chatId, {
      contextToken: context.token,
      count,
      untilMs: elapsedMs() + backoffMs * (BACKOFF_FACTORS[count - 1] ?? 1),
    })
    if (count === BACKOFF_FACTORS.length) waitForPerson(chatId)
    throw new SendLater('WeChat accepts no more messages at the moment.', recheckMs)
  }

  /** Throws when WeChat's answer is an error. */
  const check = (ret: number, chatId: string, context: Context): void => {
    // The poll gets the same error and ends the session.
    if (ret === STALE_SESSION) throw new SendLater('WeChat is not logged in.', backoffMs)
    if (ret === NOT_NOW) refuse(chatId, context)
    if (ret !== 0) throw new ILinkError(`ret${ret}`, `Expected WeChat to accept the message, got ret ${ret}.`)
  }

  /**
   * Makes the item of a message and uploads its file first. During the upload the person may write again, so
   * the context may be newer after it.
   */
  const itemOf = async (
    access: Access,
    chatId: string,
    what: string | FileBytes,
    context: Context,
  ): Promise<{ readonly item: JsonObject; readonly context: Context }> => {
    if (typeof what === 'string') return { item: { type: 1, text_item: { text: what } }, context }
    const upload = await cdn.upload(access, chatId, what)
    if ('ret' in upload) {
      check(upload.ret, chatId, context)
      throw new ILinkError('EPROTO', 'Expected an answer, got none.')
    }
    for (let waitMs = nextAtMs - elapsedMs(); waitMs > 0; waitMs = nextAtMs - elapsedMs()) await sleep(waitMs)
    return { item: upload.item, context: card.memory().contexts.get(chatId) ?? context }
  }

  /** Resolves with WeChat's id of the message. Undefined when WeChat gave none. */
  return async (access: Access, chatId: string, what: string | FileBytes): Promise<string | undefined> => {
    const known = card.memory().contexts.get(chatId)
    // Without a token WeChat answers with success and drops the message (Tencent/openclaw-weixin#247).
    if (known === undefined) return waitForPerson(chatId)
    const before = refused.get(chatId)
    if (before?.contextToken === known.token && elapsedMs() < before.untilMs) {
      const afterMs = Math.min(before.untilMs - elapsedMs(), recheckMs)
      return before.count === BACKOFF_FACTORS.length
        ? waitForPerson(chatId, afterMs)
        : Promise.reject(new SendLater('WeChat accepts no more messages at the moment.', afterMs))
    }
    const waitMs = nextAtMs - elapsedMs()
    if (waitMs > 0)
      throw new SendLater('WeChat accepts messages one at a time.', Math.min(waitMs, sendIntervalMs))
    const { item, context } = await itemOf(access, chatId, what, known)
    nextAtMs = elapsedMs() + sendIntervalMs
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
        throw new SendLater('WeChat accepts no more messages at the moment.', backoffMs, true)
      throw error
    })
    check(retOf(answer), chatId, context)
    reportedChats.delete(chatId)
    refused.delete(chatId)
    const latest = card.memory().contexts
    const current = latest.get(chatId)
    if (current?.token === context.token)
      void card.update({ contexts: new Map(latest).set(chatId, { ...current, sent: current.sent + 1 }) })
    const id = answer['message_id']
    return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
  }
}

/** A short name for a person. This interface gives no names, and an id has 30 characters. */
export const shortName = (id: string): string => `WeChat …${id.replace(/@.*$/, '').slice(-4)}`
