import type { ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import { failureFields, type ConnectionHealth } from '../../../src/shared/chat/connection.ts'
import { readFailure } from '../failure.ts'
import { callTimeoutMs, introduce, type IntroducePorts } from './introduce.ts'
import { allowedUpdates, type Me } from '../read/message.ts'
import type { HandleUpdate } from '../read/handle-update.ts'
import { callSignal, pause, within } from '../timers.ts'

/** How long Telegram holds a poll open when there is no update, in seconds. */
const longPollS = 30
/** After this time without an answer the connection counts as dead and the poll is given up. */
const longPollTimeoutMs = 45_000
/** The most updates that Telegram gives in one answer. */
const pollLimit = 100
/**
 * An answer of fewer updates and fewer characters than this holds all that waited. Telegram cuts a larger
 * answer off at 4 MB, so more updates may wait.
 */
const maxWholeAnswerUnits = 500_000
/** A server that answers at once without an update is asked at most ten times a second. */
const shortestPollMs = 100
const lastCallTimeoutMs = 2000
/** A gate that another one has followed ends within seconds. Until then it does not ask again at once. */
const leftPauseMs = 500
/** What the store could not keep is asked for again after this time. */
const unkeptPauseMs = 1000

export interface PollingPorts extends IntroducePorts, Pick<ChannelPorts, 'now'> {
  readonly health: ConnectionHealth
  readonly handleUpdate: HandleUpdate
  /** Removes a webhook that hookgate set. Telegram refuses every poll while a webhook is set. */
  leaveWebhook(signal: AbortSignal): Promise<void>
}

/**
 * Runs one connection: it asks Telegram who the bot is, sets the menu, and polls until `signal` aborts. It
 * has its own loop over getUpdates, because grammY's loop ends when the token is refused and does not report
 * an outage. The returned promise never rejects.
 */
export const poll = async (ports: PollingPorts, signal: AbortSignal): Promise<void> => {
  const { api, timers, health } = ports
  let me: Me | undefined
  /**
   * The next poll confirms all updates below this id. It is the id of the last update that was taken, plus
   * one.
   */
  let offset: number | undefined
  let isConfirmed = true
  let hasJustFailed = false
  /**
   * At the start and after a failure, one poll without waiting takes the updates that waited and tests the
   * connection.
   */
  let isProbe = true
  /**
   * When the last poll began that took all waiting updates. A press that arrives later is not older than
   * this. It is 0 before the first such poll.
   */
  let notBeforeMs = 0
  /**
   * The ids of the last answer that were taken. A server may give the same updates twice. Ids may also
   * restart below `offset`, so a comparison with `offset` would not find them.
   */
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
    health.reportSuccess()
    const ids = new Set<number>()
    const stored = new Map<number, ReturnType<HandleUpdate>>()
    const lastOffset = offset
    for (const update of updates as readonly { readonly update_id?: unknown }[]) {
      const id = update?.update_id
      if (typeof id !== 'number') continue
      ids.add(id)
      offset = id + 1
      isConfirmed = false
      if (lastIds.has(id)) continue
      stored.set(id, ports.handleUpdate(update, self, notBeforeMs, signal))
    }
    if (updates.length < pollLimit && JSON.stringify(updates).length < maxWholeAnswerUnits)
      notBeforeMs = startedMs
    // The next poll makes Telegram delete these updates, so they must be on disk before it.
    let pauseMs = 0
    for (const [id, outcome] of stored) {
      const why = await outcome
      if (why === undefined) continue
      ids.delete(id)
      pauseMs = why === 'left' ? leftPauseMs : unkeptPauseMs
    }
    if (ids.size > 0) lastIds = ids
    if (pauseMs > 0) {
      // Telegram gives the whole answer again, and only what was not taken is handled again.
      offset = lastOffset
      isConfirmed = true
      return pause(timers, pauseMs, signal)
    }
    if (!isQuick && stored.size === 0 && ports.now() - startedMs < shortestPollMs)
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
      const delayMs = health.reportFailure(failure)
      ports.log('info', 'telegram poll failed', {
        method: me === undefined ? 'getMe' : 'getUpdates',
        retry_ms: delayMs,
        ...failureFields(failure),
      })
      await pause(timers, delayMs, signal)
    }
  }

  // Without this call the last updates would arrive again at the next start.
  if (!isConfirmed && !hasJustFailed && offset !== undefined) {
    const last = { offset, limit: 1, timeout: 0 }
    await within(timers, lastCallTimeoutMs, (limited) => api.raw.getUpdates(last, limited)).catch(() => {})
  }
}
