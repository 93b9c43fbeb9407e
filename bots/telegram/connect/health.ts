import { prose, type Prose } from '../../../src/core/model/chat/prose.ts'
import {
  createConnectionHealth,
  type ConnectionHealth,
  type CallRefusal,
} from '../../../src/shared/chat/connection.ts'

const texts = {
  token: prose`not connected, the bot token is refused. Put the token that @BotFather shows into the environment and start hookgate again.`,
  poller: prose`another program polls this bot, too, so each message reaches only one of the two. Stop the other program, or give hookgate a bot of its own.`,
  webhook: prose`not connected, this bot has a webhook, which gets its messages. Remove the webhook (the Bot API method deleteWebhook), or give hookgate a bot of its own.`,
  away: prose`not connected, it cannot be reached. hookgate keeps trying, and sends the waiting messages when it answers again.`,
}

const troubleOf = ({ code, description }: CallRefusal): keyof typeof texts => {
  // Telegram answers 404 to a token that does not have the form of a token.
  if (code === 401 || code === 404) return 'token'
  if (code === 409) return /webhook/i.test(description) ? 'webhook' : 'poller'
  return 'away'
}

export const createHealth = (ports: {
  elapsedMs(): number
  trouble(why: Prose, isBack: boolean): void
}): ConnectionHealth =>
  createConnectionHealth({
    ...ports,
    texts,
    troubleOf,
    slow: ['token'],
    settling: ['poller', 'webhookChanged'],
  })
