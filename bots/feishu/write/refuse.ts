import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { pressForm, refuseNoticeForm } from '../../../src/shared/chat/connection.ts'
import { idForm } from '../http/methods.ts'

/**
 * The longest text of one message, in UTF-16 units. In JSON each takes at most 6 bytes, which leaves room for
 * marks and links within Feishu's 30 kB.
 */
export const maxUnits = 4000
/** Feishu's limit for a rich text and a card, in bytes. Source: the page "Send message". */
const maxContentBytes = 30 * 1024

/** Says why a message cannot leave. Undefined when all is well. */
export const refuseMessage = (outgoing: OutgoingMessage): string | undefined => {
  const { chat_id, text, buttons = [], isAnchor } = outgoing
  if (!idForm.test(chat_id))
    return 'Expected a Feishu chat id such as ou_… of a person or oc_… of a group, got something else. Send to a chat that has written to this bot.'
  if (text.length > maxUnits)
    return `Expected at most ${maxUnits} UTF-16 units of text, got ${text.length}. Split the text before it is delivered.`
  if (buttons.flat().some(({ label, press }) => !pressForm.test(press) || label.trim() === ''))
    return 'Expected each button to have a label, and data of 1 to 40 characters of A-Z, a-z, 0-9, _ and -, got something else.'
  // After a restart the bot knows its anchor by the look of its first line.
  if (isAnchor === true && !/^[^\n]*\S/.test(text))
    return 'Expected a pinned notice to begin with a line of text, got an empty line.'
  return refuseNoticeForm(outgoing)
}

/** What stands around the content in the body of a request, in bytes. */
const envelopeBytes = 512
/** The bytes of a content in the body of a request, which holds it as a text in JSON. */
const bytesOf = (content: string): number => Buffer.byteLength(JSON.stringify(content)) + envelopeBytes
export const isTooLong = (content: string): boolean => bytesOf(content) > maxContentBytes

/** Says why a content is too long. Undefined when it is not. */
export const refuseContent = (content: string): string | undefined => {
  const bytes = bytesOf(content)
  return bytes <= maxContentBytes
    ? undefined
    : `Expected a message of at most ${maxContentBytes} bytes with its links, got ${bytes}. Shorten the text or its links.`
}
