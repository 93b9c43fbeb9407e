import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '../../../src/model/json.ts'
import { nameOf } from '../outcome.ts'
import type { MemoryCard, Context } from './card.ts'
import { LONG_POLL_TIMEOUT_MS, retOf, STALE_SESSION, type Access, type Client } from './client.ts'
import { readUpdates, type Inbound } from './wire.ts'

export interface PollPorts {
  readonly client: Client
  readonly card: MemoryCard
  /** Takes one message; settles when it is on disk. Only then is WeChat told to forget it. */
  take(message: Inbound): Promise<unknown>
  trouble(why: string, isBack: boolean): void
  log(level: 'warn' | 'error', what: string, fields?: Readonly<Record<string, string | number>>): void
  now(): number
  readonly pauseMs: number
  /** How long a message may take to be on disk before the same ones are asked for again. */
  readonly keptWithinMs?: number
  /** How long the first poll may be held; then WeChat says it. */
  readonly holdMs?: number
}

const KEPT_WITHIN_MS = 30_000
const MAX_PAUSE_MS = 30_000
/** More than WeChat says it holds a poll for. */
const MARGIN = 1.2
const [MIN_HOLD_MS, MAX_HOLD_MS] = [1000, 120_000]
/** One -14 can be a server that lost its memory for a moment; a login given up costs the owners their pairing. */
const TRIES = 3
const MAX_SEEN = 2000

/** True when all settled in time. */
const settledWithin = async (
  kept: readonly Promise<unknown>[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> => {
  const over = new AbortController()
  try {
    const inTime = Promise.all(kept).then(() => true)
    return await Promise.race([
      inTime,
      sleep(timeoutMs, false, { signal: AbortSignal.any([signal, over.signal]) }),
    ])
  } catch {
    return false
  } finally {
    over.abort()
  }
}

/** Takes messages until the session is over or it is told to stop. Each is taken once, over restarts too when the taker knows ids. */
export const poll = async (
  ports: PollPorts,
  access: Access,
  signal: AbortSignal,
): Promise<'stale' | 'stopped'> => {
  const { client, card, pauseMs } = ports
  const seen = new Map<string, Promise<unknown>>()
  let { holdMs = LONG_POLL_TIMEOUT_MS } = ports
  let failures = 0
  let stale = 0
  let unkept = 0

  const pause = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal }).catch(() => undefined)

  const failed = async (why: string): Promise<void> => {
    failures += 1
    ports.log('warn', 'wechat: a poll failed', { error: why })
    if (failures === TRIES)
      ports.trouble(`WeChat does not answer (${why}). What is sent here or from here waits.`, false)
    await pause(Math.min(pauseMs * 2 ** failures, MAX_PAUSE_MS))
  }

  /** WeChat's plugin says hello at each start, and a session that seemed over has come back with it. */
  const sayHello = (): Promise<unknown> =>
    client.post(access, 'msg/notifystart', {}, { signal }).catch(() => undefined)

  const contextsWith = (fresh: readonly Inbound[]): ReadonlyMap<string, Context> => {
    const contexts = new Map(card.memory().contexts)
    for (const { peerId, isOwn, contextToken } of fresh) {
      if (!isOwn && contextToken !== undefined)
        contexts.set(peerId, { token: contextToken, atMs: ports.now(), sent: 0 })
    }
    return contexts
  }

  /** True when something new came. */
  const takeAll = async (answer: JsonObject): Promise<boolean> => {
    const { messages, skipped, cursor = card.memory().cursor, holdMs: hold = holdMs } = readUpdates(answer)
    holdMs = Math.min(Math.max(hold, MIN_HOLD_MS), MAX_HOLD_MS)
    if (skipped > 0)
      ports.log('warn', 'wechat: messages that are of a group or cannot be read were left out', {
        count: skipped,
      })
    const fresh = messages.filter(
      ({ id }, at) => !seen.has(id) && messages.findIndex((other) => other.id === id) === at,
    )
    const { cursor: before } = card.memory()
    // Before anything is taken, so that its answer can leave.
    if (fresh.length > 0) void card.keep({ contexts: contextsWith(fresh) })
    for (const message of fresh) seen.set(message.id, ports.take(message))
    const isKept = await settledWithin(
      messages.map(({ id }) => seen.get(id) ?? Promise.resolve()),
      ports.keptWithinMs ?? KEPT_WITHIN_MS,
      signal,
    )
    if (signal.aborted) return false
    unkept = isKept ? 0 : unkept + 1
    if (!isKept && unkept < TRIES) return false
    if (!isKept)
      ports.log('error', 'wechat: messages were not kept in time and are not asked for again', {
        count: messages.length,
      })
    unkept = 0
    for (const id of [...seen.keys()].slice(0, Math.max(0, seen.size - MAX_SEEN))) seen.delete(id)
    if (cursor !== before) await card.keep({ cursor })
    return fresh.length > 0
  }

  await sayHello()
  while (!signal.aborted) {
    const beganAt = performance.now()
    const answer = await client
      .post(
        access,
        'getupdates',
        { get_updates_buf: card.memory().cursor },
        { signal, timeoutMs: holdMs * MARGIN },
      )
      .catch((error: unknown) =>
        // Held until our own time was up: nothing came.
        (error as { readonly name?: unknown } | undefined)?.name === 'TimeoutError' ? {} : nameOf(error),
      )
    if (signal.aborted) break
    if (typeof answer === 'string') {
      await failed(answer)
      continue
    }
    const ret = retOf(answer)
    stale = ret === STALE_SESSION ? stale + 1 : 0
    if (stale >= TRIES) return 'stale'
    if (stale > 0) {
      await pause(pauseMs * 2 ** stale)
      await sayHello()
      continue
    }
    if (ret !== 0) {
      await failed(`ret ${ret}`)
      continue
    }
    if (failures >= TRIES) ports.trouble('WeChat answers again.', true)
    failures = 0
    // An answer that was not held and brought nothing would make this loop spin.
    if (!(await takeAll(answer)) && performance.now() - beganAt < pauseMs) await pause(pauseMs)
  }
  return 'stopped'
}
