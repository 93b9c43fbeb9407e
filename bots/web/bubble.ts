import { numbered, partNamed, type Mark, type TextField } from '../../src/core/model/chat/content.ts'
import { linkButtons } from '../../src/shared/chat/content.ts'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import type { ChatMessage, ShownFile, ShownLink, ShownMark } from './stream.ts'

/** The content of a message, without its id, sender and time. */
export type Body = Omit<ChatMessage, 'id' | 'from' | 'atMs'>

const bare = (address: string): string => address.replace(/^https?:\/\//i, '').replace(/\/$/, '')

/** The target of a link. `host` is in ASCII form, so that foreign letters cannot imitate another host. */
const linkOf = (label: string, address: string): ShownLink => {
  const { href, host } = new URL(address)
  return { url: href, ...([href, address].some((whole) => bare(whole) === bare(label)) ? {} : { host }) }
}

const isWeb = (address: string): boolean => /^https?:\/\//i.test(address) && URL.canParse(address)

/**
 * True when an address of the message is neither http nor https. Such an address, for example `javascript:`,
 * could run code in a browser.
 */
export const hasStrangeAddress = ({ parts }: Pick<OutgoingMessage, 'parts'>): boolean =>
  parts.some(({ field, text }) => /^(?:link\.\d+|button\.\d+\.url)$/.test(field) && !isWeb(text))

const markOf =
  (text: string, parts: readonly TextField[]) =>
  ({ type, offset, length, field }: Mark): readonly ShownMark[] => {
    if (type !== 'link') return [{ type, offset, length }]
    const address = partNamed(parts, field ?? '')
    return address === undefined
      ? []
      : [{ type, offset, length, link: linkOf(text.slice(offset, offset + length), address) }]
  }

/** Translates a message into the content of a message. Fields that a form does not have are absent. */
export const bodyOf = (
  { type, text, code, marks, parts }: OutgoingMessage,
  files: readonly ShownFile[],
): Body => {
  const part = (field: string): string => partNamed(parts, field) ?? ''
  const title = part('title')
  const address = part('address')
  return {
    text,
    code,
    ...(type === 'notice' ? {} : { form: type }),
    marks: marks.flatMap(markOf(text, parts)),
    links: linkButtons(parts).map(({ label, url }) => ({ label, ...linkOf(label, url) })),
    files,
    ...(type === 'poll' ? { options: numbered(parts, 'option').map((option) => option.text) } : {}),
    ...(type === 'location'
      ? {
          location: {
            latitude: part('latitude'),
            longitude: part('longitude'),
            ...(title === '' ? {} : { title }),
            ...(address === '' ? {} : { address }),
          },
        }
      : {}),
    ...(type === 'contact'
      ? { contact: { name: `${part('first_name')} ${part('last_name')}`.trim(), phone: part('phone') } }
      : {}),
  }
}
