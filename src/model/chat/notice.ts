import type { Prose } from './prose.ts'
import type { NoticeForm } from './push.ts'

/** What a notice begins with, and what nothing else may hold. */
export const noticeMark = '🛡'

/**
 * The mark, and the one other shield of Unicode (U+26E8), which a phone without a colour for both draws alike; each as
 * text or as a picture. What has another shape or colour, such as 🔰, is left to those who use it.
 */
export const noticeMarks = /[\u{1F6E1}\u{26E8}][\uFE0E\uFE0F]?/gu

/** Something that hookgate says: words alone, or words with what can be tapped under them. */
export interface Notice extends NoticeForm {
  readonly text: Prose
  /** It answers a line that was not carried out: the lines after it in the same message are not, either. */
  readonly isRefusal?: true
}

export const noticeOf = (said: NoticeText): Notice => ('text' in said ? said : { text: said })

/** For whoever was made an owner just now, however that came about. */
export const newOwnerText = 'Paired: you own this gate now. What you type here as a command counts.\n→ /hooks'

/** What a command or a part of hookgate says. */
export type NoticeText = Prose | Notice

/** The answer to a line that was not carried out. */
export const refusal = (said: NoticeText): Notice => ({ ...noticeOf(said), isRefusal: true })

/** The same with words before it. */
export const saidAfter = (words: Prose, said: NoticeText): NoticeText =>
  'text' in said ? { ...said, text: [...words, ...said.text] } : [...words, ...said]
