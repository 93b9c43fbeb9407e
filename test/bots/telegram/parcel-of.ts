import { commandRanges } from '../../../src/core/dispatcher/text/text.ts'
import { plain, type Mark, type TextField } from '../../../src/core/model/chat/content.ts'
import type { Parcel } from '../../../src/core/model/chat/push.ts'

/** A push of one text with marks, as it comes to the bot. */
export const parcelOf = (text: string, marks: readonly Mark[], parts: readonly TextField[] = []): Parcel => ({
  channel: 'telegram',
  chat_id: '7',
  parcel_id: 'p',
  kind: 'push',
  ...plain('text', text),
  code: commandRanges(text),
  marks,
  parts,
})
