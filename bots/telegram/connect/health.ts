import {
  createConnectionHealth,
  type ConnectionHealth,
  type CallRefusal,
} from '../../../src/shared/chat/connection.ts'

const texts = {
  token:
    'Telegram refused the bot token, so no message arrives or leaves. Put the token that @BotFather shows into the environment and start hookgate again.',
  poller:
    'Another program polls this bot, so each message reaches only one of the two programs. Stop the other program, or give hookgate a bot of its own.',
  webhook:
    'This bot has a webhook, so its messages go there and not to hookgate. Remove the webhook (the Bot API method deleteWebhook), or give hookgate a bot of its own.',
  away: 'Telegram cannot be reached. hookgate keeps trying and sends the waiting messages when Telegram answers again.',
}

const troubleOf = ({ code, description }: CallRefusal): keyof typeof texts => {
  // Telegram answers 404 to a token that does not have the form of a token.
  if (code === 401 || code === 404) return 'token'
  if (code === 409) return /webhook/i.test(description) ? 'webhook' : 'poller'
  return 'away'
}

export const createHealth = (ports: {
  elapsedMs(): number
  trouble(why: string, isBack: boolean): void
}): ConnectionHealth =>
  createConnectionHealth({
    ...ports,
    name: 'Telegram',
    texts,
    troubleOf,
    slow: ['token'],
    settling: ['poller', 'webhookChanged'],
  })
