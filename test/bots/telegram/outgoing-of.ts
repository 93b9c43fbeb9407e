import { commandRanges } from '../../core/dispatcher/text/texts.ts'
import { plain, type Mark, type TextField } from '../../../src/core/model/chat/content.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'

/** A push of one text with marks, as it comes to the bot. */
export const outgoingOf = (
  text: string,
  marks: readonly Mark[],
  parts: readonly TextField[] = [],
): OutgoingMessage => ({
  channel: 'telegram',
  chat_id: '7',
  outgoing_id: 'p',
  kind: 'push',
  ...plain('text', text),
  code: commandRanges(text),
  marks,
  parts,
})
