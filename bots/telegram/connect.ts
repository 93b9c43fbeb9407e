import type { ChannelPorts } from '../../src/model/channel.ts'
import { failureFields, readFailure } from './failure.ts'
import type { Health } from './health.ts'
import { callTimeoutMs, introduce, type IntroducePorts } from './introduce.ts'
import { allowedUpdates, type Me } from './read.ts'
import type { HandleUpdate } from './handle-update.ts'
import { callSignal, pause, within } from './timers.ts'

/** How long Telegram holds a poll open when there is nothing new. */
const longPollS = 30
/** A connection that died in silence is given up. */
const longPollTimeoutMs = 45_000
/** Telegram's most. An answer of so many updates, or cut off at 4 MB (less in characters), may have left some behind. */
const pollLimit = 100
const wholeBelow = 500_000
/** A server that answers at once with nothing is asked at most ten times a second. */
const shortestPollMs = 100
const lastCallTimeoutMs = 2000

export interface PollingPorts extends IntroducePorts, Pick<ChannelPorts, 'now'> {
  readonly health: Health
  readonly handleUpdate: HandleUpdate
  /** Takes back a webhook of our own, while which Telegram lets nobody poll. */
  leaveWebhook(signal: AbortSignal): Promise<void>
}

/**
 * The life of one connection: who am I, what is the menu, then poll until `signal` aborts.
 * Our own loop over getUpdates, because grammY's ends at a refused token and says nothing of an outage.
 * The returned promise never rejects.
 */
export const poll = async (ports: PollingPorts, signal: AbortSignal): Promise<void> => {
  const { api, timers, health } = ports
  let me: Me | undefined
  /** What the next poll confirms: one more than the last update that was taken. */
  let offset: number | undefined
  let isConfirmed = true
  let hasJustFailed = false
  /** At the start and after a failure one quick poll takes what waited, and tells whether all is well. */
  let isProbe = true
  /** When the last poll began that left nothing behind: no press that comes later is older. 0: there was none yet. */
  let notBeforeMs = 0
  /** The updates of the last answer, should a server give them twice. They may begin anew below `offset`, so no other rule holds. */
  let lastIds: ReadonlySet<number> = new Set()

  const pollOnce = async (self: Me): Promise<void> => {
    const startedMs = ports.now()
    const isQuick = isProbe
    const ask = {
      timeout: isQuick ? 0 : longPollS,
      limit: pollLimit,
      allowed_updates: allowedUpdates,
      ...(offset === undefined ? {} : { offset }),
    }
    const updates: unknown = isQuick
      ? await within(timers, callTimeoutMs, (limited) => api.raw.getUpdates(ask, limited), signal)
      : await api.raw.getUpdates(
          ask,
          callSignal(AbortSignal.any([signal, AbortSignal.timeout(longPollTimeoutMs)])),
        )
    if (!Array.isArray(updates)) throw new TypeError('Expected getUpdates to give a list.')
    isConfirmed = true
    hasJustFailed = false
    isProbe = false
    health.good()
    const ids = new Set<number>()
    const taken: Promise<void>[] = []
    for (const update of updates as readonly { readonly update_id?: unknown }[]) {
      const id = update?.update_id
      if (typeof id !== 'number') continue
      ids.add(id)
      offset = id + 1
      isConfirmed = false
      if (lastIds.has(id)) continue
      taken.push(ports.handleUpdate(update, self, notBeforeMs, signal))
    }
    if (updates.length < pollLimit && JSON.stringify(updates).length < wholeBelow) notBeforeMs = startedMs
    // The next poll makes Telegram forget them: by then they must be on disk.
    await Promise.all(taken)
    if (ids.size > 0) lastIds = ids
    if (!isQuick && taken.length === 0 && ports.now() - startedMs < shortestPollMs)
      await pause(timers, shortestPollMs, signal)
  }

  while (!signal.aborted) {
    try {
      if (me === undefined) {
        me = await introduce(ports, signal)
        await ports.leaveWebhook(signal)
      }
      await pollOnce(me)
    } catch (error) {
      if (signal.aborted) break
      hasJustFailed = true
      isProbe = true
      const failure = readFailure(error, [ports.token])
      const delayMs = health.bad(failure)
      ports.log('warn', 'telegram poll failed', {
        method: me === undefined ? 'getMe' : 'getUpdates',
        retry_ms: delayMs,
        ...failureFields(failure),
      })
      await pause(timers, delayMs, signal)
    }
  }

  // Without this the last messages would come again at the next start.
  if (!isConfirmed && !hasJustFailed && offset !== undefined) {
    const last = { offset, limit: 1, timeout: 0 }
    await within(timers, lastCallTimeoutMs, (limited) => api.raw.getUpdates(last, limited)).catch(() => {})
  }
}
