import { isMenuCall } from '../connect/menus.ts'
import type { Transformer } from 'grammy'
import type { MenuItem } from '../../../src/core/model/chat/channel.ts'
import { apiMethods } from './library.ts'
import { isMethod, methods, type FreeMethod, type MethodName } from './methods.ts'
import { queryId } from '../read/press.ts'
import { allowedUpdates } from '../read/message.ts'
import { freezePayload } from './freeze-payload.ts'
import type { SetWebhookCall } from '../connect/webhook-calls.ts'

type ApiFields = Readonly<Record<string, unknown>>
type AllowedForm = (payload: ApiFields) => boolean

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)
const isCount = (value: unknown): boolean => value === undefined || typeof value === 'number'
const hasOnly = (payload: ApiFields, ...keys: readonly string[]): boolean =>
  Object.keys(payload).every((key) => keys.includes(key))

/** The calls that are allowed for this connection only. */
export interface Own {
  readonly webhook?: SetWebhookCall | undefined
  /** True for the id of a file that an update contained. */
  isKnownFile?(id: unknown): boolean
}

/** Checks for the free methods. Each check allows only payloads that cannot carry an agent's text. */
const freeForms = (
  menu: readonly MenuItem[],
  { webhook, isKnownFile }: Own,
): Readonly<Record<FreeMethod, AllowedForm>> => ({
  getMe: (payload) => hasOnly(payload),
  getUpdates: (payload) =>
    hasOnly(payload, 'offset', 'limit', 'timeout', 'allowed_updates') &&
    [payload['offset'], payload['limit'], payload['timeout']].every(isCount) &&
    (payload['allowed_updates'] === undefined || isSame(payload['allowed_updates'], allowedUpdates)),
  setMyCommands: (payload) => isMenuCall(menu, payload),
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
  // Without a number Telegram would take down another message.
  unpinChatMessage: (payload) =>
    hasOnly(payload, 'chat_id', 'message_id') &&
    [payload['chat_id'], payload['message_id']].every((id) => typeof id === 'number'),
  getFile: (payload) => hasOnly(payload, 'file_id') && isKnownFile?.(payload['file_id']) === true,
  setWebhook: (payload) => webhook !== undefined && isSame(payload, webhook),
  // The parameter drop_pending_updates is refused, so waiting updates are never dropped.
  deleteWebhook: (payload) => hasOnly(payload),
  getWebhookInfo: (payload) => hasOnly(payload),
})

const isFree = (method: MethodName): method is FreeMethod => methods[method] === 'free'

export interface Tripwire {
  /**
   * It has to be installed first. Then it runs last, right before the network, and sees the changes of every
   * other transformer.
   */
  readonly transformer: Transformer
  /**
   * Copies a payload and gives a ticket for it. The ticket passes the tripwire once, with this method only.
   * The tripwire then sends the copy, so later changes of the ticket have no effect. A payload that is not
   * plain data gets a ticket that is refused. Only `deliver` calls this.
   */
  mint<T extends object>(method: string, payload: T): T
}

/**
 * Refuses every Bot API call that is neither free nor minted, before any byte is sent. It protects against
 * mistakes inside this process. It does not see code that makes its own client, such as a second `Api` with
 * the token or a direct fetch.
 */
export const createTripwire = (
  menu: readonly MenuItem[],
  tripped: (what: string) => void,
  own: Own = {},
): Tripwire => {
  const forms = freeForms(menu, own)
  const minted = new WeakMap<object, { readonly method: string; readonly frozen: object }>()

  /** The check and the network get the same copy, which no other code holds. */
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
      // The method's name is a text of the caller, so only a known name is reported.
      tripped(apiMethods().has(method) ? method : 'an unknown method')
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
