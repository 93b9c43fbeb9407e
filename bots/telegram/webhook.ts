import type { ChannelPorts } from '../../src/model/channel.ts'
import { failureFields, readFailure } from './failure.ts'
import type { Health } from './health.ts'
import { callTimeoutMs, introduce, type IntroducePorts } from './introduce.ts'
import { createListener } from './listener.ts'
import type { Me } from './read.ts'
import type { HandleUpdate } from './handle-update.ts'
import { pause, within } from './timers.ts'
import { webhookInfo, type SetWebhookCall } from './webhook-calls.ts'

/** How often Telegram is asked how it fares, in milliseconds; sooner while it has something for us. */
const lookEveryMs = 60_000
const lookSoonMs = 5000
/** At the start sooner still: until it has nothing left, no press counts. */
const firstLookMs = 1000
const firstLooks = 10
/** A port or an address is not mended within seconds. */
const mendMs = 60_000
/** Telegram repeats what was not answered; by then it is among the last that came. */
const maxRemembered = 1000

export interface WebhookOptions {
  /** Where Telegram sends to: the owner's proxy or tunnel, which hands on to `host` and `port` under the same path. */
  readonly url: string
  readonly host: string
  readonly port: number
}

export interface WebhookPorts extends IntroducePorts, Pick<ChannelPorts, 'now' | 'elapsedMs'> {
  readonly options: WebhookOptions
  readonly call: SetWebhookCall
  readonly health: Health
  readonly handleUpdate: HandleUpdate
  /** Before Telegram is told: a later start that polls takes back what this one set. */
  remember(url: string): Promise<void>
}

/**
 * The life of one connection: who am I, what is the menu, listen, tell Telegram where, and look after it until `signal`
 * aborts. The webhook stays set at the end, so that what comes meanwhile waits. The returned promise never rejects.
 */
export const serveWebhook = async (ports: WebhookPorts, signal: AbortSignal): Promise<void> => {
  const { api, timers, health, options, call } = ports
  const secrets = [ports.token, call.secret_token]
  let me: Me | undefined
  let isOpen = false
  let isSet = false
  /** When Telegram was last asked and had nothing left for us: no press that comes later is older. 0: never yet. */
  let notBeforeMs = 0
  let looks = 0
  /** The last failure that Telegram told of before all was well. */
  let oldErrorS: number | undefined
  /** Each update that came lately, and when it is on disk. */
  const taken = new Map<number, Promise<void>>()

  const handleUpdate = async (update: unknown): Promise<boolean> => {
    const id: unknown =
      typeof update === 'object' && update !== null ? Reflect.get(update, 'update_id') : undefined
    if (me === undefined || typeof id !== 'number') return false
    const done = taken.get(id) ?? ports.handleUpdate(update, me, notBeforeMs, signal)
    taken.set(id, done)
    const [oldest] = taken.keys()
    if (taken.size > maxRemembered && oldest !== undefined) taken.delete(oldest)
    await done
    return true
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
      health.tell(
        'port',
        `Port ${options.port} on ${options.host} cannot be used, so no message comes in from Telegram. Stop the program that has it, or change webhook.port in gate.yaml and start hookgate again.`,
      )
      return false
    }
  }

  const set = async (): Promise<boolean> => {
    await ports.remember(options.url).catch(() => ports.log('warn', 'telegram webhook not remembered'))
    try {
      await within(timers, callTimeoutMs, (limited) => api.raw.setWebhook(call, limited), signal)
      return true
    } catch (error) {
      const failure = readFailure(error, secrets)
      if (failure.kind !== 'refused' || failure.code !== 400) throw error
      ports.log('warn', 'telegram webhook refused', failureFields(failure))
      health.tell(
        'address',
        `Telegram does not take ${options.url} as an address to send to: ${failure.description}. Correct webhook.url in gate.yaml and start hookgate again.`,
      )
      return false
    }
  }

  /** Asks Telegram how it fares, and returns when to ask again. */
  const look = async (): Promise<number> => {
    const askedMs = ports.now()
    const soonMs = looks++ < firstLooks && notBeforeMs === 0 ? firstLookMs : lookSoonMs
    const info = webhookInfo.parse(
      await within(timers, callTimeoutMs, (limited) => api.raw.getWebhookInfo(limited), signal),
    )
    if (info.url !== options.url) {
      isSet = false
      health.tell(
        'taken',
        'Another program changed where the messages of this bot go. hookgate changes it back; stop the other program, or give hookgate a bot of its own.',
      )
      return soonMs
    }
    if (info.pending_update_count === 0) {
      notBeforeMs = askedMs
      oldErrorS = info.last_error_date
      health.good()
      return lookEveryMs
    }
    if (info.last_error_date === oldErrorS) health.good()
    else
      health.undelivered(
        `Telegram cannot hand over the messages of this bot at ${options.url}: ${info.last_error_message ?? 'it does not say why'}. See that your proxy or tunnel runs and leads to ${options.host}:${options.port}. Nothing is lost for a day.`,
      )
    return soonMs
  }

  const step = async (): Promise<number> => {
    me ??= await introduce(ports, signal)
    isOpen ||= await open()
    if (!isOpen) return mendMs
    isSet ||= await set()
    return isSet ? look() : mendMs
  }

  while (!signal.aborted) {
    let delayMs: number
    try {
      delayMs = await step()
    } catch (error) {
      if (signal.aborted) break
      const failure = readFailure(error, secrets)
      delayMs = health.bad(failure)
      ports.log('warn', 'telegram webhook not looked after', { retry_ms: delayMs, ...failureFields(failure) })
    }
    await pause(timers, delayMs, signal)
  }
  await listener.close()
}

/** Before polling: takes back the webhook that an earlier start set. Anybody else's stays, and is told when it stands in the way. */
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
