import type { Failure } from '../failure.ts'

const minDelayMs = 1000
const maxDelayMs = 60_000
/** Nobody corrects a token within seconds, and more frequent calls would look like an attack on the token. */
const refusedTokenDelayMs = 5 * 60_000
/**
 * Shorter outages are normal, for example while a server restarts, so the owner is not reportedTroubles of
 * them.
 */
const tellAwayAfterMs = 30_000
/** Two pollers take turns, so one good poll does not show that the other program has stopped. */
const settleMs = 60_000

type Trouble = 'token' | 'poller' | 'webhook' | 'away'
/** A trouble whose text the caller gives. */
type Obstacle = 'port' | 'address' | 'webhookChanged' | 'undelivered'

const troubleTexts: Record<Trouble, string> = {
  token:
    'Telegram refused the bot token, so no message arrives or leaves. Put the token that @BotFather shows into the environment and start hookgate again.',
  poller:
    'Another program polls this bot, so each message reaches only one of the two programs. Stop the other program, or give hookgate a bot of its own.',
  webhook:
    'This bot has a webhook, so its messages go there and not to hookgate. Remove the webhook (the Bot API method deleteWebhook), or give hookgate a bot of its own.',
  away: 'Telegram cannot be reached. hookgate keeps trying and sends the waiting messages when Telegram answers again.',
}

const troubleOf = (failure: Failure): Trouble => {
  if (failure.kind !== 'refused') return 'away'
  // Telegram answers 404 to a token that does not have the form of a token.
  if (failure.code === 401 || failure.code === 404) return 'token'
  if (failure.code === 409) return /webhook/i.test(failure.description) ? 'webhook' : 'poller'
  return 'away'
}

export interface Health {
  /** Call this after a poll succeeded or after Telegram reported no failure. */
  reportSuccess(): void
  /** Call this after a call failed. Returns how long to wait before the next call, in milliseconds. */
  reportFailure(failure: Failure): number
  /** Reports a trouble that a person has to correct. */
  reportObstacle(obstacle: Obstacle, why: string): void
  /**
   * Reports that updates do not arrive although calls to Telegram work. The owner is reportedTroubles when it
   * lasts
   * 30 seconds.
   */
  reportUndelivered(why: string): void
}

/**
 * Follows the state of the connection. It decides how long to wait and tells the owner of each trouble once.
 */
export const createHealth = (ports: {
  elapsedMs(): number
  trouble(why: string, isBack: boolean): void
}): Health => {
  const reportedTroubles = new Set<Trouble | Obstacle>()
  let failures = 0
  let awaySinceMs: number | undefined
  let goodSinceMs: number | undefined
  let undeliveredSinceMs: number | undefined

  const report = (trouble: Trouble | Obstacle, why: string) => {
    goodSinceMs = undefined
    if (reportedTroubles.has(trouble)) return
    reportedTroubles.add(trouble)
    ports.trouble(why, false)
  }

  return {
    reportSuccess: () => {
      awaySinceMs = undefined
      undeliveredSinceMs = undefined
      goodSinceMs ??= ports.elapsedMs()
      if (
        (reportedTroubles.has('poller') || reportedTroubles.has('webhookChanged')) &&
        ports.elapsedMs() - goodSinceMs < settleMs
      )
        return
      failures = 0
      if (reportedTroubles.size === 0) return
      reportedTroubles.clear()
      ports.trouble('Telegram works again. Messages arrive and leave.', true)
    },
    reportFailure: (failure) => {
      goodSinceMs = undefined
      failures++
      const trouble = troubleOf(failure)
      if (trouble === 'away') {
        awaySinceMs ??= ports.elapsedMs()
        if (ports.elapsedMs() - awaySinceMs >= tellAwayAfterMs) report('away', troubleTexts.away)
      } else {
        awaySinceMs = undefined
        report(trouble, troubleTexts[trouble])
      }
      if (trouble === 'token') return refusedTokenDelayMs
      const delayMs = Math.min(maxDelayMs, minDelayMs * 2 ** Math.min(failures - 1, 10))
      return Math.max(delayMs, failure.kind === 'refused' ? (failure.retryAfterMs ?? 0) : 0)
    },
    reportObstacle: report,
    reportUndelivered: (why) => {
      awaySinceMs = undefined
      undeliveredSinceMs ??= ports.elapsedMs()
      if (ports.elapsedMs() - undeliveredSinceMs >= tellAwayAfterMs) report('undelivered', why)
    },
  }
}
