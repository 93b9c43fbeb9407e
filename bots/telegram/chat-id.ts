/** The Bot API's address of a conversation. A conversation is a chat or one topic of a group. */
export interface ChatAddress {
  readonly chat_id: number
  readonly message_thread_id?: number
}

/**
 * Examples: `7`, `-100123`, `-100123/45`. Each id has exactly one spelling, so that no conversation has two
 * ids.
 */
const form = /^(-?[1-9]\d{0,15})(?:\/([1-9]\d{0,15}))?$/
/**
 * The number of the General topic. Telegram accepts no message for this number; the topic is the group
 * itself.
 */
const generalTopic = 1

/** The address that a chat id of hookgate stands for. Undefined when the text is not a chat id. */
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

/**
 * Makes the chat id of a conversation. A group's topic has its own chat id. A topic of a private chat has the
 * id of that chat.
 */
export const writeChatId = (id: number, topic: number | undefined): string =>
  id < 0 && topic !== undefined && topic !== generalTopic ? `${id}/${topic}` : String(id)

/**
 * The chat id of the group that a conversation belongs to. Undefined for a private chat. Groups and channels
 * have negative ids.
 */
export const groupOf = (chatId: string): string | undefined =>
  chatId.startsWith('-') ? chatId.split('/', 1)[0] : undefined
