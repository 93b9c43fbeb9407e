import { Context, InputFile, type Api, type Transformer } from 'grammy'
import type { Update, UserFromGetMe } from 'grammy/types'
import { createTelegram, type Stand, type TelegramOptions } from '../../../../bots/telegram/telegram.ts'
import type { Channel, ChannelPorts } from '../../../../src/core/model/chat/channel.ts'
import type { Rehearsal } from '../rehearsal.ts'
import { createRecorder } from './recorder.ts'

type Way = Rehearsal['ways'][string]
type AnyCall = (payload: object) => Promise<unknown>

const chat = 7
const update = {
  update_id: 1,
  message: {
    message_id: 1,
    date: 0,
    chat: { id: chat, type: 'private', first_name: 'A' },
    from: { id: chat, is_bot: false, first_name: 'A' },
    text: 'Hello.',
  },
} as Update
const me = { id: 1, is_bot: true, first_name: 'Rehearsal', username: 'rehearsal_bot' } as UserFromGetMe
const fileOf = (canary: string): InputFile => new InputFile(Buffer.from(canary), 'a.txt')

/** The bot over a network that records. Telegram hears of none of it. */
const rehearse = (make: (stand: Stand) => Channel): Rehearsal => {
  const recorder = createRecorder()
  let lent: Api | undefined
  const channel = make({ network: recorder, lend: (api) => void (lent = api) })
  const api = (): Api => {
    if (lent === undefined) throw new Error('Expected the bot to lend its Api.')
    return lent
  }
  const raw = (method: string, payload: object): Promise<unknown> => {
    const calls = api().raw as unknown as Record<string, AnyCall>
    return calls[method]?.(payload) ?? Promise.resolve()
  }
  /** What somebody may put between the bot and its way out. */
  const passes: Transformer = (prev, method, payload, signal) => prev(method, payload, signal)
  let plugin = passes
  api().config.use((prev, method, payload, signal) => plugin(prev, method, payload, signal))
  const withPlugin =
    (made: (canary: string) => Transformer): Way =>
    async (canary, say) => {
      plugin = made(canary)
      try {
        await say('Hello.')
      } finally {
        plugin = passes
      }
    }
  const context = (): Context => new Context(update, api(), me)

  const ways: Readonly<Record<string, Way>> = {
    'a reply': (canary) => context().reply(canary),
    'a call of its own': (canary) => api().sendMessage(chat, canary),
    'a raw call': (canary) => raw('sendMessage', { chat_id: chat, text: canary }),
    'a method that nobody knows': (canary) => raw('sendCanary', { chat_id: chat, text: canary }),
    'a quote': (canary) =>
      raw('sendMessage', {
        chat_id: chat,
        text: 'Hello.',
        reply_parameters: { message_id: 1, quote: canary },
      }),
    'an edit': (canary) => api().editMessageText(chat, 1, canary),
    'an edited caption': (canary) => api().editMessageCaption(chat, 1, { caption: canary }),
    'a draft': (canary) => raw('sendMessageDraft', { chat_id: chat, draft_id: 1, text: canary }),
    'a caption': (canary) => context().replyWithPhoto(fileOf('x'), { caption: canary }),
    'the bytes of a file': (canary) => context().replyWithDocument(fileOf(canary)),
    'an album': (canary) =>
      api().sendMediaGroup(chat, [
        { type: 'document', media: fileOf(canary) },
        { type: 'document', media: fileOf('x'), caption: canary },
      ]),
    'a poll': (canary) => context().replyWithPoll('Which?', [{ text: 'a' }, { text: canary }]),
    'a place': (canary) => api().sendVenue(chat, 1, 1, canary, canary),
    'a contact': (canary) => api().sendContact(chat, '1', canary),
    'a button': (canary) =>
      api().editMessageReplyMarkup(chat, 1, {
        reply_markup: { inline_keyboard: [[{ text: canary, url: 'https://example.com/' }]] },
      }),
    "a tap's answer": (canary) => api().answerCallbackQuery('1', { text: canary }),
    "a topic's name": (canary) => api().createForumTopic(-100, canary),
    "a group's name": (canary) => api().setChatTitle(-100, canary),
    'the menu': (canary) => api().setMyCommands([{ command: 'a', description: canary }]),
    "the bot's own words": (canary) => api().setMyDescription(canary),
    'a forward': (canary) =>
      raw('forwardMessage', { chat_id: chat, from_chat_id: `@${canary}`, message_id: 1 }),
    "a webhook's answer": async (canary) => {
      recorder.envelope.send = async (payload) => recorder.record(payload)
      try {
        await api().sendMessage(chat, canary)
      } finally {
        delete recorder.envelope.send
      }
    },
    'a notice of an error': (canary) =>
      Promise.reject(new Error(canary)).catch((error: unknown) => context().reply(String(error))),
    'a timer': async (canary) =>
      new Promise(
        (resolve, reject) => void setTimeout(() => void context().reply(canary).then(resolve, reject), 0),
      ),
    'a plugin with other words': withPlugin(
      (canary) => (prev, method, payload, signal) =>
        prev(method, { ...payload, text: canary } as typeof payload, signal),
    ),
    'a plugin with another method': withPlugin(
      (canary) => (prev, _, payload, signal) =>
        prev('sendMessageDraft' as never, { ...payload, text: canary } as never, signal) as never,
    ),
    'a plugin that tries again': withPlugin((canary) => async (prev, method, payload, signal) => {
      const first = await prev(method, payload, signal)
      await prev(method, { ...payload, text: canary } as typeof payload, signal)
      return first
    }),
    'a queue beside an allowed send': withPlugin((canary) => async (prev, method, payload, signal) => {
      const both = [
        prev('sendMessage' as never, { chat_id: chat, text: canary } as never),
        prev(method, payload, signal),
      ] as const
      return (await Promise.all(both))[1]
    }),
  }
  // A person's, and one of a group with topics.
  return {
    channel,
    chats: [String(chat), '-100'],
    taken: recorder.taken,
    hand: (outgoing) => channel.deliver(outgoing),
    ways,
  }
}

export const telegramTwin = (options: TelegramOptions, ports: ChannelPorts): Rehearsal =>
  rehearse((stand) => createTelegram({ ...options, stand }, ports))
