import type { Transformer } from 'grammy'
import type { MenuItem } from '../../src/model/channel.ts'
import { freezePayload } from './freeze-payload.ts'
import { isMethod, methods, type FreeMethod, type MethodName } from './methods.ts'
import { queryId } from './press.ts'
import { allowedUpdates } from './read.ts'
import type { SetWebhookCall } from './webhook-calls.ts'

type ApiFields = Readonly<Record<string, unknown>>
type AllowedForm = (payload: ApiFields) => boolean

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)
const isCount = (value: unknown): boolean => value === undefined || typeof value === 'number'
const hasOnly = (payload: ApiFields, ...keys: readonly string[]): boolean =>
  Object.keys(payload).every((key) => keys.includes(key))

/** The methods that the bot itself needs, each in the one form that can carry no text of an agent's. */
/** What this connection alone may ask for. */
export interface Own {
  readonly webhook?: SetWebhookCall | undefined
  /** True for the id of a file that an update brought. */
  isKnownFile?(id: unknown): boolean
}

const freeForms = (
  menu: readonly MenuItem[],
  { webhook, isKnownFile }: Own,
): Readonly<Record<FreeMethod, AllowedForm>> => ({
  getMe: (payload) => hasOnly(payload),
  getUpdates: (payload) =>
    hasOnly(payload, 'offset', 'limit', 'timeout', 'allowed_updates') &&
    [payload['offset'], payload['limit'], payload['timeout']].every(isCount) &&
    (payload['allowed_updates'] === undefined || isSame(payload['allowed_updates'], allowedUpdates)),
  setMyCommands: (payload) => hasOnly(payload, 'commands') && isSame(payload['commands'], menu),
  sendChatAction: (payload) =>
    hasOnly(payload, 'chat_id', 'message_thread_id', 'action') &&
    typeof payload['chat_id'] === 'number' &&
    isCount(payload['message_thread_id']) &&
    payload['action'] === 'typing',
  getChat: (payload) => hasOnly(payload, 'chat_id') && typeof payload['chat_id'] === 'number',
  answerCallbackQuery: (payload) =>
    hasOnly(payload, 'callback_query_id') &&
    typeof payload['callback_query_id'] === 'string' &&
    queryId.test(payload['callback_query_id']),
  getFile: (payload) => hasOnly(payload, 'file_id') && isKnownFile?.(payload['file_id']) === true,
  setWebhook: (payload) => webhook !== undefined && isSame(payload, webhook),
  // What waits is never dropped.
  deleteWebhook: (payload) => hasOnly(payload),
  getWebhookInfo: (payload) => hasOnly(payload),
})

const isFree = (method: MethodName): method is FreeMethod => methods[method] === 'free'

export interface Tripwire {
  /** To be installed first, so that it stands next to the network and sees what any later transformer made of a payload. */
  readonly transformer: Transformer
  /**
   * Takes a payload as it stands now and gives a ticket that passes once, with this method: the very object, whatever
   * becomes of it, is exchanged for the copy that was taken. What is not plain data gets one that is refused.
   * Only `deliver` calls it.
   */
  mint<T extends object>(method: string, payload: T): T
}

/**
 * Default-deny: a Bot API call that is neither free nor minted ends here, before any byte is sent.
 * It guards against mistakes inside this process; whoever makes a client of their own, a second `Api` with the token or
 * a bare fetch, does not pass it.
 */
export const createTripwire = (
  menu: readonly MenuItem[],
  tripped: (what: string) => void,
  own: Own = {},
): Tripwire => {
  const forms = freeForms(menu, own)
  const minted = new WeakMap<object, { readonly method: string; readonly frozen: object }>()

  /** What is judged here is what is sent: both are the same copy, which nobody else holds. */
  const asFree = (method: FreeMethod, payload: object): object | undefined => {
    const frozen = freezePayload(payload)?.frozen
    return frozen !== undefined && forms[method](frozen as ApiFields) ? frozen : undefined
  }

  const asMinted = (method: MethodName, ticket: object): object | undefined => {
    const found = minted.get(ticket)
    if (methods[method] !== 'minted' || found?.method !== method) return undefined
    minted.delete(ticket)
    return found.frozen
  }

  const judge = (method: unknown, payload: unknown): object | undefined => {
    if (!isMethod(method) || typeof payload !== 'object' || payload === null) return undefined
    return isFree(method) ? asFree(method, payload) : asMinted(method, payload)
  }

  return {
    transformer: (prev, method, payload, signal) => {
      const judged = judge(method, payload)
      if (judged !== undefined) return prev(method, judged as typeof payload, signal)
      // The name of a method is a caller's string too, so only a known one is told.
      tripped(isMethod(method) ? method : 'a method that is not known')
      return Promise.resolve({
        ok: false,
        error_code: 403,
        description: 'refused: it did not come through the dispatcher',
      })
    },
    mint: (method, payload) => {
      const made = freezePayload(payload)
      if (made === undefined) return payload
      minted.set(made.ticket, { method, frozen: made.frozen })
      return made.ticket
    },
  }
}
