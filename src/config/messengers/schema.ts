import { z } from 'zod'
import { chatIds, isBaseUrl, portFrom, variableName } from './values.ts'

/** Source: core.telegram.org/bots/api#setwebhook. */
const webhookPorts = new Set(['', '80', '88', '443', '8443'])
const aWebhook =
  'an https:// address that Telegram can reach on port 443, 80, 88 or 8443, without user, "?" and "#", such as https://gate.example.org/telegram'
const isWebhook = (text: string): boolean =>
  isBaseUrl(text) &&
  text.length <= 500 &&
  /^https:/i.test(text) &&
  webhookPorts.has(URL.parse(text)?.port ?? '-')

const webhook = z.strictObject(
  {
    url: z
      .string(aWebhook)
      .refine(isWebhook, aWebhook)
      .describe(
        'Telegram sends to this address. Your proxy or tunnel hands its path on to hookgate unchanged.',
      ),
    host: z
      .literal(['127.0.0.1', 'localhost'], '127.0.0.1, since your proxy or tunnel stands before it')
      .default('127.0.0.1')
      .describe('hookgate listens on this address for your proxy or tunnel.'),
    port: portFrom(1).default(8788).describe('hookgate listens on this port for your proxy or tunnel.'),
  },
  'a mapping with the "url" that Telegram sends to',
)

export const telegram = z
  .strictObject({
    token_env: variableName
      .default('TELEGRAM_BOT_TOKEN')
      .describe('This variable holds the token of your bot.'),
    mode: z
      .literal(['polling', 'webhook'], 'polling or webhook')
      .default('polling')
      .describe('hookgate asks Telegram for messages (polling), or Telegram sends them (webhook).'),
    webhook: webhook.optional().describe('Telegram sends messages here, in the mode webhook.'),
    chats: chatIds.default([]).describe('The agent serves these groups, and answers everybody in them.'),
  })
  .refine(({ mode, webhook }) => mode === 'polling' || webhook !== undefined, {
    path: ['webhook'],
    message: 'a mapping with the "url" that Telegram sends to, as "mode" is webhook',
  })

export const feishu = z.strictObject({
  app_id_env: variableName
    .default('FEISHU_APP_ID')
    .describe('This variable holds the id of your app, such as cli_….'),
  app_secret_env: variableName
    .default('FEISHU_APP_SECRET')
    .describe('This variable holds the secret of your app.'),
  platform: z
    .literal(['feishu', 'lark'], 'feishu or lark')
    .default('feishu')
    .describe('The app is one of Feishu in China (feishu), or of Lark everywhere else (lark).'),
  chats: chatIds.default([]).describe('The agent serves these groups, and answers everybody in them.'),
})

export const wechat = z.strictObject({
  puppet: z
    .string('none, ilink, or the name of an installed wechaty puppet')
    .default('none')
    .describe('hookgate reaches WeChat by this puppet. ilink is Tencent’s own interface for bots.'),
})
