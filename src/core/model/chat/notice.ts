import type { Prose } from './prose.ts'
import type { NoticeForm } from './push.ts'

/** The mark at the start of every notice. Nothing else may contain it. */
export const noticeMark = '🛡'

/**
 * The mark and the only other shield of Unicode (U+26E8), which a phone without colour emoji draws in the
 * same way, each with or without a variation selector. Symbols with another shape or colour, such as 🔰, are
 * allowed.
 */
export const noticeMarks = /[\u{1F6E1}\u{26E8}][\uFE0E\uFE0F]?/gu

/**
 * A long text of somebody else that leaves as a file beside a notice. Its name and its text are quotes, so
 * hooks judge them with the other quotes of the notice. `handle`: the caption, which is ours.
 */
export interface NoticeFile {
  readonly name: string
  readonly text: string
  readonly handle: string
}

/** A notice of hookgate: a text, with optional buttons. */
export interface Notice extends NoticeForm {
  readonly text: Prose
  readonly file?: NoticeFile
  /**
   * It answers a line that was not executed. The later lines of the same message are not executed, either.
   */
  readonly isRefusal?: true
}

export const noticeOf = (said: NoticeText): Notice => ('text' in said ? said : { text: said })

/** The output of a command or another part of hookgate. */
export type NoticeText = Prose | Notice

/** The answer to a line that was not executed. */
export const refusal = (said: NoticeText): Notice => ({ ...noticeOf(said), isRefusal: true })

/** The same notice with a text before it. */
export const saidAfter = (words: Prose, said: NoticeText): NoticeText =>
  'text' in said ? { ...said, text: [...words, ...said.text] } : [...words, ...said]
