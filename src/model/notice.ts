import type { Prose } from './prose.ts'
import type { NoticeForm } from './push.ts'

/** Something that hookgate says: words alone, or words with what can be tapped under them. */
export interface Notice extends NoticeForm {
  readonly text: Prose
  /** It answers a line that was not carried out: the lines after it in the same message are not, either. */
  readonly isRefusal?: true
}

export const noticeOf = (said: Said): Notice => ('text' in said ? said : { text: said })

/** For whoever was made an owner just now, however that came about. */
export const newOwnerText = 'Paired: you own this gate now. What you type here as a command counts.\n→ /hooks'

/** What a command or a part of hookgate says. */
export type Said = Prose | Notice

/** The answer to a line that was not carried out. */
export const refusal = (said: Said): Notice => ({ ...noticeOf(said), isRefusal: true })

/** The same with words before it. */
export const saidAfter = (words: Prose, said: Said): Said => ('text' in said ? { ...said, text: [...words, ...said.text] } : [...words, ...said])
