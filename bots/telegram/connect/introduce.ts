import type { Api } from 'grammy'
import type { ChannelPorts, MenuItem } from '../../../src/core/model/chat/channel.ts'
import { failureFields } from '../../../src/shared/chat/connection.ts'
import { readFailure } from '../failure.ts'
import type { Identity } from '../identity.ts'
import type { Me } from '../read/message.ts'
import { type Timers, within } from '../timers.ts'
import { menuCalls } from './menus.ts'

export const callTimeoutMs = 15_000

export interface IntroducePorts extends Pick<ChannelPorts, 'log'> {
  readonly api: Api
  readonly token: string
  readonly menu: readonly MenuItem[]
  readonly timers: Timers
  readonly identity: Identity
  /** Tells the bot's username. */
  named(username: string): void
}

/**
 * Begins a connection: it asks Telegram who the bot is and sets the menu. Rejects when Telegram does not name
 * the bot.
 */
export const introduce = async (ports: IntroducePorts, signal: AbortSignal): Promise<Me> => {
  const self = await ports.identity.ask(signal)
  if (self.username !== undefined) ports.named(self.username)
  try {
    for (const call of menuCalls(ports.menu)) {
      await within(
        ports.timers,
        callTimeoutMs,
        (limited) => ports.api.raw.setMyCommands({ ...call }, limited),
        signal,
      )
    }
  } catch (error) {
    // Commands work without the menu, so a failure here does not end the connection.
    ports.log('warn', 'telegram menu not set', {
      method: 'setMyCommands',
      ...failureFields(readFailure(error, [ports.token])),
    })
  }
  ports.log('info', 'telegram connected', { bot_id: self.id })
  return self
}
