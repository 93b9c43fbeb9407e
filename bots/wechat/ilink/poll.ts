import { prose } from '../../../src/core/model/chat/prose.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { isUnkept } from '../../../src/core/model/chat/channel.ts'
import { nameOf } from '../outcome.ts'
import type { Context } from './card.ts'
import { retOf, STALE_SESSION, type Access } from './client.ts'
import type { ILinkContext } from './context.ts'
import { readUpdates, type Inbound } from './wire.ts'
import { ourWords } from '../../../src/shared/said/our-words.ts'

const MAX_PAUSE_MS = 30_000
/** The time limit of a poll is WeChat's hold time multiplied by this. */
const TIMEOUT_FACTOR = 1.2
const [MIN_HOLD_MS, MAX_HOLD_MS] = [1000, 120_000]
/**
 * How many times in a row a failure counts. A single -14 can be a short server fault, and after a lost login
 * the owners have to pair again.
 */
const MAX_TRIES = 3
const MAX_SEEN = 2000

/** What all promises resolved with. Undefined when the time was up, one rejected, or `signal` aborted. */
const settledWithin = async (
  stored: readonly Promise<unknown>[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<readonly unknown[] | undefined> => {
  const timer = new AbortController()
  try {
    return await Promise.race([
      Promise.all(stored),
      sleep(timeoutMs, undefined, { signal: AbortSignal.any([signal, timer.signal]) }),
    ])
  } catch {
    return undefined
  } finally {
    timer.abort()
  }
}

/**
 * Takes messages until the session ends or `signal` aborts. Each message is taken once. The promise of `take`
 * settles when the message is on disk, and only then is it confirmed to WeChat. It resolves with an `Unkept`
 * when WeChat has to give it again. After a restart, `take` itself has to recognize repeated ids.
 */
export const poll = async (
  { client, card, log, trouble, now, times }: ILinkContext,
  take: (message: Inbound) => Promise<unknown>,
  access: Access,
  signal: AbortSignal,
): Promise<'stale' | 'stopped'> => {
  const { pauseMs } = times
  const seen = new Map<string, Promise<unknown>>()
  let { holdMs } = times
  let failures = 0
  let stale = 0
  let unstoredAnswers = 0

  const pause = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal }).catch(() => undefined)

  const failed = async (why: string): Promise<void> => {
    failures += 1
    log('warn', 'wechat: a poll failed', { error: why })
    if (failures === MAX_TRIES)
      trouble(prose`it does not answer (${ourWords(why)}). Messages in both directions wait.`, false)
    await pause(Math.min(pauseMs * 2 ** failures, MAX_PAUSE_MS))
  }

  /**
   * WeChat's own plugin sends this at each start. A session that seemed to have ended can work again after
   * it.
   */
  const notifyStart = (): Promise<unknown> =>
    client.post(access, 'msg/notifystart', {}, { signal }).catch(() => undefined)

  const contextsWith = (fresh: readonly Inbound[]): ReadonlyMap<string, Context> => {
    const contexts = new Map(card.memory().contexts)
    for (const { peerId, isOwn, contextToken } of fresh) {
      if (!isOwn && contextToken !== undefined)
        contexts.set(peerId, { token: contextToken, atMs: now(), sent: 0 })
    }
    return contexts
  }

  /** True when the answer had new messages. */
  const takeAll = async (answer: JsonObject): Promise<boolean> => {
    const { messages, skipped, cursor = card.memory().cursor, holdMs: hold = holdMs } = readUpdates(answer)
    holdMs = Math.min(Math.max(hold, MIN_HOLD_MS), MAX_HOLD_MS)
    if (skipped > 0)
      log('warn', 'wechat: ignored messages of a group or messages that cannot be read', {
        count: skipped,
      })
    const met = new Set<string>()
    const fresh = messages.filter(({ id }) => !seen.has(id) && met.size < met.add(id).size)
    const { cursor: before } = card.memory()
    // The contexts are stored before the messages are taken, so that an answer can be sent at once.
    if (fresh.length > 0) void card.update({ contexts: contextsWith(fresh) })
    for (const message of fresh) seen.set(message.id, take(message))
    const outcomes = await settledWithin(
      messages.map(({ id }) => seen.get(id) ?? Promise.resolve()),
      times.storeTimeoutMs,
      signal,
    )
    if (signal.aborted) return false
    const isStored = outcomes !== undefined
    const unkept = messages.filter((_, index) => isUnkept(outcomes?.[index]))
    for (const { id } of unkept) seen.delete(id)
    // WeChat gives the whole answer again, and only what was not kept is taken again.
    if (unkept.length > 0) return false
    unstoredAnswers = isStored ? 0 : unstoredAnswers + 1
    if (!isStored && unstoredAnswers < MAX_TRIES) return false
    if (!isStored)
      log('error', 'wechat: messages were not stored in time and are not requested again', {
        count: messages.length,
      })
    unstoredAnswers = 0
    for (const id of [...seen.keys()].slice(0, Math.max(0, seen.size - MAX_SEEN))) seen.delete(id)
    if (cursor !== before) await card.update({ cursor })
    return fresh.length > 0
  }

  await notifyStart()
  while (!signal.aborted) {
    const beganAt = performance.now()
    const answer = await client
      .post(
        access,
        'getupdates',
        { get_updates_buf: card.memory().cursor },
        { signal, timeoutMs: holdMs * TIMEOUT_FACTOR },
      )
      .catch((error: unknown) =>
        // The poll reached our own time limit, so there was no message.
        (error as { readonly name?: unknown } | undefined)?.name === 'TimeoutError' ? {} : nameOf(error),
      )
    if (signal.aborted) break
    if (typeof answer === 'string') {
      await failed(answer)
      continue
    }
    const ret = retOf(answer)
    stale = ret === STALE_SESSION ? stale + 1 : 0
    if (stale >= MAX_TRIES) return 'stale'
    if (stale > 0) {
      await pause(pauseMs * 2 ** stale)
      await notifyStart()
      continue
    }
    if (ret !== 0) {
      await failed(`ret ${ret}`)
      continue
    }
    if (failures >= MAX_TRIES) trouble(prose`it answers again. Messages arrive and leave.`, true)
    failures = 0
    // Without a pause, immediate answers without messages would make this loop busy.
    if (!(await takeAll(answer)) && performance.now() - beganAt < pauseMs) await pause(pauseMs)
  }
  return 'stopped'
}
