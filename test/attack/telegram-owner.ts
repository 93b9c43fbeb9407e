import type { Message } from 'grammy/types'
import type { Owner, ShownMessage } from '../../src/attack/gate/owner.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { until } from '../e2e/program.ts'
import { token } from '../e2e/rig.ts'

/** The owner's chat, which has the id of the person, and another one that the agent serves. */
const ownersChat = 7
const agentsChat = 8

const shownOf = ({ message_id, text = '', reply_markup }: Message): ShownMessage => ({
  id: String(message_id),
  text,
  buttons:
    reply_markup?.inline_keyboard
      .flat()
      .flatMap((button) =>
        'callback_data' in button ? [{ label: button.text, press: button.callback_data ?? '' }] : [],
      ) ?? [],
})

/** An owner in Telegram, over a Bot API on loopback. The bot keeps the anchor pinned. */
export const createTelegramOwner = (): Owner => {
  let apis = 0
  let api: BotApi | undefined
  const open = (): BotApi => {
    if (api === undefined) throw new Error('There is no Bot API.')
    return api
  }
  return {
    env: () => ({
      TELEGRAM_BOT_TOKEN: token,
      TELEGRAM_API_ROOT: open().root,
      HOOKGATE_OWNERS: `telegram:${ownersChat}`,
    }),
    channels: `channels: {telegram: {chats: [${agentsChat}]}}\n`,
    agentsChat: { channel: 'telegram', chat_id: String(agentsChat) },
    enter: async () => undefined,
    // What another bot keeps pinned would tell a gate that was made whole that it was put back.
    renew: async () => {
      await api?.stop()
      apis += 1
      // The gate has seen the messages of the api before, and takes no id twice.
      api = await startBotApi({
        token,
        firstUpdateId: apis * 1_000_000,
        firstMessageId: apis * 10_000,
      })
    },
    say: async (words) => void open().say(words),
    press: async ({ press }, { id }) => {
      await open().read()
      const message = open()
        .sent(ownersChat)
        .find(({ message_id }) => String(message_id) === id)
      if (message !== undefined) open().press(press, message)
    },
    texts: () => open().texts(ownersChat),
    shown: () => open().sent(ownersChat).map(shownOf),
    fromAgent: () => open().texts(agentsChat),
    anchored: async (revision) =>
      void (await until(
        'the anchor',
        () => open().pinned(ownersChat)?.text?.includes(`revision ${revision} `) ?? false,
      )),
    compared: async (start) => {
      const asked = open().calls('getChat').length
      await start()
      await open()
        .waitFor(() => open().calls('getChat').length > asked, 4000)
        .catch(() => undefined)
      await new Promise((done) => setTimeout(done, 1000))
    },
    secrets: [['the bot’s token', token]],
    close: async () => api?.stop(),
  }
}
