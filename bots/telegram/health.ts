import type { Failure } from './failure.ts'

const minDelayMs = 1000
const maxDelayMs = 60_000
/** Nobody mends a token within seconds, and asking more often looks like guessing. */
const refusedTokenDelayMs = 5 * 60_000
/** A shorter gap is everyday life on a phone line or at a server's restart. */
const tellAwayAfterMs = 30_000
/** Two pollers take turns: one good poll does not yet mean that the other one has gone. */
const settleMs = 60_000

type Trouble = 'token' | 'poller' | 'webhook' | 'away'
/** Told in words of the moment. */
type Obstacle = 'port' | 'address' | 'taken' | 'undelivered'

const words: Record<Trouble, string> = {
  token:
    'Telegram refused the bot token, so no message comes in or goes out. Put the token that @BotFather shows into the environment and start hookgate again.',
  poller:
    'Another program polls this bot, so messages arrive here or there by chance. Stop the other program, or give hookgate a bot of its own.',
  webhook:
    'This bot is set to a webhook, so its messages go there and not here. Remove the webhook (the Bot API method deleteWebhook), or give hookgate a bot of its own.',
  away: 'Telegram cannot be reached. hookgate keeps trying; what waits is sent when it is back.',
}

const troubleOf = (failure: Failure): Trouble => {
  if (failure.kind !== 'refused') return 'away'
  // A token that does not even look like one is answered with 404.
  if (failure.code === 401 || failure.code === 404) return 'token'
  if (failure.code === 409) return /webhook/i.test(failure.description) ? 'webhook' : 'poller'
  return 'away'
}

export interface Health {
  /** A poll succeeded, or Telegram says that all is well. */
  good(): void
  /** A call failed; returns how long to wait before the next one, in milliseconds. */
  bad(failure: Failure): number
  /** Something stands in the way that somebody has to mend. */
  tell(obstacle: Obstacle, why: string): void
  /** Telegram's messages do not reach us, though ours reach Telegram. Told when it lasts. */
  undelivered(why: string): void
}

/** Judges how the connection does: how long to wait, and what the owner is told, once. */
export const createHealth = (ports: {
  elapsedMs(): number
  trouble(why: string, isBack: boolean): void
}): Health => {
  const told = new Set<Trouble | Obstacle>()
  let failures = 0
  let awaySinceMs: number | undefined
  let goodSinceMs: number | undefined
  let undeliveredSinceMs: number | undefined

  const tell = (trouble: Trouble | Obstacle, why: string) => {
    goodSinceMs = undefined
    if (told.has(trouble)) return
    told.add(trouble)
    ports.trouble(why, false)
  }

  return {
    good: () => {
      awaySinceMs = undefined
      undeliveredSinceMs = undefined
      goodSinceMs ??= ports.elapsedMs()
      if ((told.has('poller') || told.has('taken')) && ports.elapsedMs() - goodSinceMs < settleMs) return
      failures = 0
      if (told.size === 0) return
      told.clear()
      ports.trouble('Telegram works again: messages come in and go out.', true)
    },
    bad: (failure) => {
      goodSinceMs = undefined
      failures++
      const trouble = troubleOf(failure)
      if (trouble === 'away') {
        awaySinceMs ??= ports.elapsedMs()
        if (ports.elapsedMs() - awaySinceMs >= tellAwayAfterMs) tell('away', words.away)
      } else {
        awaySinceMs = undefined
        tell(trouble, words[trouble])
      }
      if (trouble === 'token') return refusedTokenDelayMs
      const delayMs = Math.min(maxDelayMs, minDelayMs * 2 ** Math.min(failures - 1, 10))
      return Math.max(delayMs, failure.kind === 'refused' ? (failure.retryAfterMs ?? 0) : 0)
    },
    tell,
    undelivered: (why) => {
      awaySinceMs = undefined
      undeliveredSinceMs ??= ports.elapsedMs()
      if (ports.elapsedMs() - undeliveredSinceMs >= tellAwayAfterMs) tell('undelivered', why)
    },
  }
}
