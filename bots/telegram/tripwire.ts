import type { Transformer } from 'grammy'
import type { MenuItem } from '../../src/model/channel.ts'
import { deepFreeze } from '../../src/model/json.ts'
import { queryId } from './press.ts'
import { allowedUpdates } from './read.ts'

type Fields = Readonly<Record<string, unknown>>

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)
const isCount = (value: unknown): boolean => value === undefined || typeof value === 'number'
const hasOnly = (payload: Fields, ...keys: readonly string[]): boolean => Object.keys(payload).every((key) => keys.includes(key))

const isDeepFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen))

/** The methods that the bot itself needs, each in the one form that can carry no text of an agent's. */
const freeMethods = (menu: readonly MenuItem[]): ReadonlyMap<string, (payload: Fields) => boolean> =>
  new Map<string, (payload: Fields) => boolean>([
    ['getMe', (payload) => hasOnly(payload)],
    [
      'getUpdates',
      (payload) =>
        hasOnly(payload, 'offset', 'limit', 'timeout', 'allowed_updates') &&
        [payload['offset'], payload['limit'], payload['timeout']].every(isCount) &&
        (payload['allowed_updates'] === undefined || isSame(payload['allowed_updates'], allowedUpdates)),
    ],
    ['setMyCommands', (payload) => hasOnly(payload, 'commands') && isSame(payload['commands'], menu)],
    [
      'sendChatAction',
      (payload) => hasOnly(payload, 'chat_id', 'action') && typeof payload['chat_id'] === 'number' && payload['action'] === 'typing',
    ],
    ['getChat', (payload) => hasOnly(payload, 'chat_id') && typeof payload['chat_id'] === 'number'],
    [
      'answerCallbackQuery',
      (payload) =>
        hasOnly(payload, 'callback_query_id') && typeof payload['callback_query_id'] === 'string' && queryId.test(payload['callback_query_id']),
    ],
  ])

export interface Tripwire {
  /** To be installed first, so that it stands next to the network and sees what any later transformer made of a payload. */
  readonly transformer: Transformer
  /** Freezes a payload and lets exactly this object pass once, with this method. Only `deliver` calls it. */
  mint<T extends object>(method: string, payload: T): T
}

/**
 * Default-deny: a Bot API call that is neither free nor minted ends here, before any byte is sent.
 * It guards against mistakes inside this process; a program that makes a client of its own does not pass it.
 */
export const createTripwire = (menu: readonly MenuItem[], tripped: (what: string) => void): Tripwire => {
  const free = freeMethods(menu)
  const minted = new WeakMap<object, string>()

  const isMinted = (method: string, payload: object): boolean => {
    if (minted.get(payload) !== method || !isDeepFrozen(payload)) return false
    minted.delete(payload)
    return true
  }

  return {
    transformer: (prev, method, payload, signal) => {
      if (free.get(method)?.(payload) === true || isMinted(method, payload)) return prev(method, payload, signal)
      // The name of a method is a caller's string too.
      tripped(/^[A-Za-z]{1,64}$/.test(method) ? method : 'something that is not a method')
      return Promise.resolve({ ok: false, error_code: 403, description: 'refused: it did not come through the dispatcher' })
    },
    mint: (method, payload) => {
      const frozen = deepFreeze(payload)
      minted.set(frozen, method)
      return frozen
    },
  }
}
