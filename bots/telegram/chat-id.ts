/** A conversation as the Bot API addresses it: a chat, or one topic of a group. */
export interface ChatAddress {
  readonly chat_id: number
  readonly message_thread_id?: number
}

/** `7`, `-100123`, or `-100123/45`: one spelling each, so that no conversation has two names. */
const form = /^(-?[1-9]\d{0,15})(?:\/([1-9]\d{0,15}))?$/
/** Telegram takes no message for the General topic by its number: it is the group itself. */
const generalTopic = 1

/** What a chat id of ours addresses, or undefined when it is none. */
export const readChatId = (chatId: string): ChatAddress | undefined => {
  const [, chat, topic] = form.exec(chatId) ?? []
  const id = Number(chat)
  if (!Number.isSafeInteger(id)) return undefined
  if (topic === undefined) return { chat_id: id }
  const thread = Number(topic)
  return id < 0 && thread !== generalTopic && Number.isSafeInteger(thread)
    ? { chat_id: id, message_thread_id: thread }
    : undefined
}

/** The chat id of a conversation: a group's topic is one of its own. Topics of a private chat are that chat. */
export const writeChatId = (id: number, topic: number | undefined): string =>
  id < 0 && topic !== undefined && topic !== generalTopic ? `${id}/${topic}` : String(id)

/** The group to which a conversation belongs, itself if it is one; Telegram counts groups and channels downwards from zero. */
export const groupOf = (chatId: string): string | undefined =>
  chatId.startsWith('-') ? chatId.split('/', 1)[0] : undefined
