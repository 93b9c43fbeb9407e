import type { Prose } from './prose.ts'
import type { NoticeForm } from './push.ts'

/** Something that hookgate says: words alone, or words with what can be tapped under them. */
export interface Notice extends NoticeForm {
  readonly text: Prose
}

export const noticeOf = (said: Said): Notice => ('text' in said ? said : { text: said })

/** For whoever was made an owner just now, however that came about. */
export const newOwnerText = 'Paired: you own this gate now. What you type here as a command counts.\n→ /hooks'

/** What a command or a part of hookgate says. */
export type Said = Prose | Notice

/** The same with words before it. */
export const saidAfter = (words: Prose, said: Said): Said => ('text' in said ? { ...said, text: [...words, ...said.text] } : [...words, ...said])
