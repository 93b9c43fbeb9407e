import type { Prose } from './prose.ts'
import type { NoticeForm } from './push.ts'

/** Something that hookgate says: words alone, or words with what can be tapped under them. */
export interface Notice extends NoticeForm {
  readonly text: Prose
}

export const noticeOf = (said: Prose | Notice): Notice => ('text' in said ? said : { text: said })
