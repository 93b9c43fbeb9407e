import type { Api } from 'grammy'
import type { Me } from './read/message.ts'
import { type Timers, within } from './timers.ts'

const callTimeoutMs = 15_000

/** Tells which bot this is. Both functions reject when Telegram does not answer within 15 seconds. */
export interface Identity {
  /** Asks Telegram now. */
  ask(signal: AbortSignal): Promise<Me>
  /** Gives Telegram's last answer. It asks Telegram when there is none yet. */
  known(): Promise<Me>
}

export const createIdentity = (api: Api, timers: Timers): Identity => {
  let last: Me | undefined
  const ask = async (signal?: AbortSignal): Promise<Me> => {
    const { id, username } = await within(timers, callTimeoutMs, (limited) => api.getMe(limited), signal)
    if (typeof id !== 'number') throw new TypeError('Expected getMe to give a number "id".')
    last = { id, ...(typeof username === 'string' ? { username } : {}) }
    return last
  }
  return { ask, known: async () => last ?? (await ask()) }
}
