import type { Api, RawApi } from 'grammy'
import type { Delivery } from '../../src/model/channel.ts'
import type { CodeRange, Parcel } from '../../src/model/push.ts'
import { readFailure, type Failure } from './failure.ts'
import { type Timers, within } from './timers.ts'

export const maxUnits = 4096
/** Telegram keeps the first 100 entities of a message and drops the rest without a word. */
const maxEntities = 100
const sendTimeoutMs = 30_000
const retryMs = 2000

type SendMessage = Parameters<RawApi['sendMessage']>[0]

/** Beyond the limit the whole text is code: no command in it may become tappable. */
const codeRanges = ({ text, code }: Parcel): readonly CodeRange[] =>
  code.length > maxEntities ? [{ offset: 0, length: text.length }] : code

/** One parcel as a payload, or in words why it cannot be one. No parse_mode: what is in the text is shown, not interpreted. */
export const writeParcel = (parcel: Parcel): SendMessage | string => {
  const chatId = Number(parcel.chat_id)
  if (!/^-?\d+$/.test(parcel.chat_id) || !Number.isSafeInteger(chatId)) {
    return 'Expected a Telegram chat id in digits, got something else. Push to a chat that has written to this bot.'
  }
  if (parcel.text.length > maxUnits) {
    return `Expected at most ${maxUnits} UTF-16 units of text, got ${parcel.text.length}. Split the text before it is delivered.`
  }
  return {
    chat_id: chatId,
    text: parcel.text,
    entities: codeRanges(parcel).map(({ offset, length }) => ({ type: 'code', offset, length })),
    link_preview_options: { is_disabled: true },
  }
}

const deliveryOf = (failure: Failure): Delivery => {
  if (failure.kind === 'unsent') return { kind: 'retry', afterMs: retryMs, why: `Telegram cannot be reached (${failure.code}).` }
  if (failure.kind === 'lost') return { kind: 'unknown', why: `The connection to Telegram broke before its answer came (${failure.code}).` }
  const said = `Telegram answered ${failure.code}: ${failure.description}`
  if (failure.code === 429) return { kind: 'retry', afterMs: failure.retryAfterMs ?? retryMs, why: said }
  return failure.code >= 500 ? { kind: 'retry', afterMs: retryMs, why: said } : { kind: 'failed', why: said }
}

export interface WriterPorts {
  readonly api: Api
  readonly token: string
  readonly timers: Timers
  isAdmitted(parcel: Parcel): boolean
  mint(method: string, payload: SendMessage): SendMessage
  tripped(what: string): void
  log(what: string, fields: Readonly<Record<string, string | number>>): void
}

/** Sends one parcel with one call. It repeats nothing: the dispatcher's lane owns retries. Never throws. */
export const createWriter = (ports: WriterPorts) => async (parcel: Parcel): Promise<Delivery> => {
  if (!ports.isAdmitted(parcel)) {
    ports.tripped('sendMessage')
    return { kind: 'failed', why: 'The parcel did not come through the dispatcher.' }
  }
  const payload = writeParcel(parcel)
  if (typeof payload === 'string') return { kind: 'failed', why: payload }
  try {
    const minted = ports.mint('sendMessage', payload)
    await within(ports.timers, sendTimeoutMs, (signal) => ports.api.raw.sendMessage(minted, signal))
    return { kind: 'delivered' }
  } catch (error) {
    const delivery = deliveryOf(readFailure(error, [ports.token, parcel.text]))
    ports.log('telegram send', { method: 'sendMessage', outcome: delivery.kind, ...('why' in delivery ? { why: delivery.why } : {}) })
    return delivery
  }
}
