import type { Api } from 'grammy'
import type { ChannelPorts, MenuItem } from '../../src/model/channel.ts'
import { failureFields, readFailure } from './failure.ts'
import type { Health } from './health.ts'
import type { Identity } from './identity.ts'
import { readPress } from './press.ts'
import { allowedUpdates, readUpdate, type Me } from './read.ts'
import { callSignal, pause, type Timers, within } from './timers.ts'

/** How long Telegram holds a poll open when there is nothing new. */
const longPollS = 30
/** Telegram's most. An answer of so many updates, or cut off at 4 MB (less in characters), may have left some behind. */
const pollLimit = 100
const wholeBelow = 500_000
/** A server that answers at once with nothing is asked at most ten times a second. */
const shortestPollMs = 100
const callTimeoutMs = 15_000
const lastCallTimeoutMs = 2000

export interface PollingPorts extends Pick<ChannelPorts, 'receive' | 'now' | 'log'> {
  readonly api: Api
  readonly token: string
  readonly menu: readonly MenuItem[]
  readonly timers: Timers
  readonly health: Health
  readonly identity: Identity
  /** Tells the phone that a press arrived, without waiting. */
  answer(queryId: string, life: AbortSignal): void
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

  const setMenu = async () => {
    try {
      await within(timers, callTimeoutMs, (limited) => api.raw.setMyCommands({ commands: [...ports.menu] }, limited), signal)
    } catch (error) {
      // The menu is a comfort: commands work without it.
      ports.log('warn', 'telegram menu not set', { method: 'setMyCommands', ...failureFields(readFailure(error, [ports.token])) })
    }
  }

  const connect = async (): Promise<Me> => {
    const self = await ports.identity.ask(signal)
    await setMenu()
    ports.log('info', 'telegram connected', { bot_id: self.id })
    return self
  }

  const take = async (update: unknown, self: Me): Promise<void> => {
    const press = readPress(update, self, notBeforeMs)
    if (press !== undefined) ports.answer(press.queryId, signal)
    const message = press === undefined ? readUpdate(update, self) : press.message
    if (message === undefined) {
      ports.log('debug', 'telegram update passed over')
      return
    }
    // A receiver that throws or rejects is a mistake of ours; it must end neither the polling nor the process.
    await new Promise((resolve) => {
      resolve(ports.receive(message))
    }).catch(() => ports.log('error', 'telegram message not taken', { message_id: message.message_id }))
  }

  const pollOnce = async (self: Me): Promise<void> => {
    const startedMs = ports.now()
    const isQuick = isProbe
    const ask = { timeout: isQuick ? 0 : longPollS, limit: pollLimit, allowed_updates: allowedUpdates, ...(offset === undefined ? {} : { offset }) }
    const updates: unknown = isQuick
      ? await within(timers, callTimeoutMs, (limited) => api.raw.getUpdates(ask, limited), signal)
      : await api.raw.getUpdates(ask, callSignal(signal))
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
      taken.push(take(update, self))
    }
    if (updates.length < pollLimit && JSON.stringify(updates).length < wholeBelow) notBeforeMs = startedMs
    // The next poll makes Telegram forget them: by then they must be on disk.
    await Promise.all(taken)
    if (ids.size > 0) lastIds = ids
    if (!isQuick && taken.length === 0 && ports.now() - startedMs < shortestPollMs) await pause(timers, shortestPollMs, signal)
  }

  while (!signal.aborted) {
    try {
      me ??= await connect()
      await pollOnce(me)
    } catch (error) {
      if (signal.aborted) break
      hasJustFailed = true
      isProbe = true
      const failure = readFailure(error, [ports.token])
      const delayMs = health.bad(failure)
      ports.log('warn', 'telegram poll failed', { method: me === undefined ? 'getMe' : 'getUpdates', retry_ms: delayMs, ...failureFields(failure) })
      await pause(timers, delayMs, signal)
    }
  }

  // Without this the last messages would come again at the next start.
  if (!isConfirmed && !hasJustFailed && offset !== undefined) {
    const last = { offset, limit: 1, timeout: 0 }
    await within(timers, lastCallTimeoutMs, (limited) => api.raw.getUpdates(last, limited)).catch(() => {})
  }
}
