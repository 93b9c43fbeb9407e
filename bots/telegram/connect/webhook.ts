import { prose } from '../../../src/core/model/chat/prose.ts'
import type { ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import { failureFields, type ConnectionHealth } from '../../../src/shared/chat/connection.ts'
import { readFailure } from '../failure.ts'
import { callTimeoutMs, introduce, type IntroducePorts } from './introduce.ts'
import { createListener } from './listener.ts'
import type { Me } from '../read/message.ts'
import type { HandleUpdate } from '../read/handle-update.ts'
import { pause, within } from '../timers.ts'
import { webhookInfo, type SetWebhookCall } from './webhook-calls.ts'

/** How often the state of the webhook is read from Telegram. */
const checkEveryMs = 60_000
/** The same while updates wait at Telegram. */
const checkSoonMs = 5000
/** The same for the first checks, because no press counts until no update waits. */
const firstCheckMs = 1000
const maxFirstChecks = 10
/** The wait after a port or a webhook URL was refused. Nobody corrects these within seconds. */
const retryObstacleMs = 60_000
/** Telegram repeats an update that was not answered. A repeated update is among this many of the latest. */
const maxRemembered = 1000

export interface WebhookOptions {
  /** The address of the owner's proxy or tunnel. It forwards to `host` and `port` under the same path. */
  readonly url: string
  readonly host: string
  readonly port: number
}

export interface WebhookPorts extends IntroducePorts, Pick<ChannelPorts, 'now' | 'elapsedMs'> {
  readonly options: WebhookOptions
  readonly call: SetWebhookCall
  readonly health: ConnectionHealth
  readonly handleUpdate: HandleUpdate
  /**
   * Stores the webhook URL. It is called before Telegram gets the URL, so that a later start that polls can
   * remove the webhook.
   */
  remember(url: string): Promise<void>
}

/**
 * Runs one connection: it asks Telegram who the bot is, sets the menu, listens, sets the webhook, and checks
 * the webhook until `signal` aborts. The webhook stays set at the end, so that Telegram keeps the updates
 * until the next start. The returned promise never rejects.
 */
export const serveWebhook = async (ports: WebhookPorts, signal: AbortSignal): Promise<void> => {
  const { api, timers, health, options, call } = ports
  const secrets = [ports.token, call.secret_token]
  let me: Me | undefined
  let isOpen = false
  let isSet = false
  /**
   * When the last check that found no waiting update began. A press that arrives later is not older. It is 0
   * before the first.
   */
  let notBeforeMs = 0
  let checks = 0
  /** The time of Telegram's last reported failure at the last good check, in seconds. */
  let oldErrorS: number | undefined
  /** The latest updates by id. Each promise resolves when the update is on disk. */
  const updates = new Map<number, ReturnType<HandleUpdate>>()

  const handleUpdate = async (update: unknown): Promise<200 | 400 | 503> => {
    const id: unknown =
      typeof update === 'object' && update !== null ? Reflect.get(update, 'update_id') : undefined
    if (me === undefined || typeof id !== 'number') return 400
    const stored = updates.get(id) ?? ports.handleUpdate(update, me, notBeforeMs, signal)
    updates.set(id, stored)
    const [oldest] = updates.keys()
    if (updates.size > maxRemembered && oldest !== undefined) updates.delete(oldest)
    if ((await stored) === undefined) return 200
    // Telegram sends it again, until it is kept, here or by the gate that has taken over.
    updates.delete(id)
    return 503
  }
  const listener = createListener({
    ...options,
    path: new URL(options.url).pathname,
    secret: call.secret_token,
    handleUpdate,
    elapsedMs: ports.elapsedMs,
    log: ports.log,
  })

  const open = async (): Promise<boolean> => {
    try {
      await listener.open()
      return true
    } catch (error) {
      ports.log('warn', 'telegram webhook cannot listen', {
        port: options.port,
        error_code: error instanceof Error && 'code' in error ? String(error.code) : 'unknown',
      })
      health.reportObstacle(
        'port',
        prose`not connected, port ${options.port} on ${options.host} cannot be used. Stop the program that uses the port, or change webhook.port in gate.yaml. Then start hookgate again.`,
      )
      return false
    }
  }

  const set = async (): Promise<boolean> => {
    await ports
      .remember(options.url)
      .catch(() => ports.log('warn', 'telegram webhook URL could not be stored'))
    try {
      await within(timers, callTimeoutMs, (limited) => api.raw.setWebhook(call, limited), signal)
      return true
    } catch (error) {
      const failure = readFailure(error, secrets)
      if (failure.kind !== 'refused' || failure.code !== 400) throw error
      ports.log('warn', 'telegram webhook refused', failureFields(failure))
      health.reportObstacle(
        'address',
        prose`not connected, the webhook address ${options.url} is refused (${failure.description}). Correct webhook.url in gate.yaml and start hookgate again.`,
      )
      return false
    }
  }

  /**
   * Reads the state of the webhook from Telegram. Returns how long to wait before the next check, in
   * milliseconds.
   */
  const check = async (): Promise<number> => {
    const askedMs = ports.now()
    const soonMs = checks++ < maxFirstChecks && notBeforeMs === 0 ? firstCheckMs : checkSoonMs
    const info = webhookInfo.parse(
      await within(timers, callTimeoutMs, (limited) => api.raw.getWebhookInfo(limited), signal),
    )
    if (info.url !== options.url) {
      isSet = false
      health.reportObstacle(
        'webhookChanged',
        prose`another program changed the webhook of this bot. hookgate sets it again. Stop the other program, or give hookgate a bot of its own.`,
      )
      return soonMs
    }
    if (info.pending_update_count === 0) {
      notBeforeMs = askedMs
      oldErrorS = info.last_error_date
      health.reportSuccess()
      return checkEveryMs
    }
    if (info.last_error_date === oldErrorS) health.reportSuccess()
    else
      health.reportUndelivered(
        prose`the messages of this bot cannot be delivered to ${options.url} (${info.last_error_message ?? prose`no reason is given`}). Check that your proxy or tunnel runs and forwards to ${`${options.host}:${options.port}`}. Telegram keeps the messages for a day.`,
      )
    return soonMs
  }

  const step = async (): Promise<number> => {
    me ??= await introduce(ports, signal)
    isOpen ||= await open()
    if (!isOpen) return retryObstacleMs
    isSet ||= await set()
    return isSet ? check() : retryObstacleMs
  }

  while (!signal.aborted) {
    let delayMs: number
    try {
      delayMs = await step()
    } catch (error) {
      if (signal.aborted) break
      const failure = readFailure(error, secrets)
      delayMs = health.reportFailure(failure)
      ports.log('info', 'telegram webhook check failed', { retry_ms: delayMs, ...failureFields(failure) })
    }
    await pause(timers, delayMs, signal)
  }
  await listener.close()
}

/**
 * Removes the webhook that an earlier start of hookgate set, so that this start can poll. It leaves the
 * webhook of another program in place; the refused poll then reports it.
 */
export const leaveWebhook = async (
  {
    api,
    timers,
    recall,
    remember,
  }: Pick<IntroducePorts, 'api' | 'timers'> & {
    recall(): Promise<string | undefined>
    remember(url: string): Promise<void>
  },
  signal: AbortSignal,
): Promise<void> => {
  const ours = await recall().catch(() => undefined)
  if (ours === undefined || ours === '') return
  const { url } = webhookInfo.parse(
    await within(timers, callTimeoutMs, (limited) => api.raw.getWebhookInfo(limited), signal),
  )
  if (url === ours)
    await within(timers, callTimeoutMs, (limited) => api.raw.deleteWebhook({}, limited), signal)
  await remember('').catch(() => undefined)
}
