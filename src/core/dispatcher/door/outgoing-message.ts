import { sha256 as hashOf } from '../../model/approval/canonical.ts'
import { partNamed, type Content } from '../../model/chat/content.ts'
import { deepFreeze } from '../../model/base/json.ts'
import type { NoticeForm, OutgoingMessage } from '../../model/chat/push.ts'
import type { OutboxItem } from '../../model/events/record.ts'
import { formOf } from '../outbox/outbox-body.ts'
import type { MessengerLinks } from '../text/messenger-links.ts'
import { commandRanges } from '../text/text.ts'

/**
 * Reads a piece's files, each under the name that was judged. Undefined when the bytes of one are not those
 * that were judged. The MIME type that the agent named is left out: no messenger needs it, and no hook or
 * reader sees words in it.
 */
export const readFiles = async (
  { files, parts }: Content,
  read: (sha256: string) => Promise<Uint8Array<ArrayBuffer> | undefined>,
): Promise<readonly File[] | undefined> => {
  const all = await Promise.all(
    files.map(async ({ sha256, text }, at) => {
      const bytes = text === undefined ? await read(sha256) : new TextEncoder().encode(text)
      return bytes === undefined || (text === undefined && hashOf(bytes) !== sha256)
        ? undefined
        : new File([bytes], partNamed(parts, `file.${at}.name`) ?? 'file')
    }),
  )
  return all.every((file) => file !== undefined) ? all : undefined
}

export interface PiecePosition {
  readonly at: number
  readonly of: number
}

/** Makes the frozen message of one piece. A push never gets the form of a notice. */
export const outgoingOf = (
  item: OutboxItem,
  { type, text, marks, parts }: Content,
  { at, of }: PiecePosition,
  more: {
    readonly files: readonly File[]
    readonly target: string | undefined
    readonly form: NoticeForm
    readonly links: MessengerLinks
  },
): OutgoingMessage =>
  deepFreeze({
    outgoing_id: `${item.id}.${at}`,
    channel: item.channel,
    chat_id: item.chat_id,
    kind: item.kind,
    type,
    text,
    code: commandRanges(text, more.links),
    marks,
    parts,
    files: more.files,
    ...(more.target === undefined ? {} : { target: more.target }),
    ...(item.kind === 'notice' ? formOf(more.form, at === of - 1, of === 1) : {}),
  })
