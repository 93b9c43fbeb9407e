import { prose, type Prose, verbatim } from '../../model/chat/prose.ts'

/** A point of the ledger that is stored outside the machine, to detect a rollback. */
export interface Anchor {
  readonly revision: number
  /** The first digits of the chain hash of line `revision`, in hex. */
  readonly head: string
}

/** The number of digits of a chain hash that people and anchors are shown. */
export const headDigits = 12

export const shortHead = (head: string): string => head.slice(0, headDigits)

/** A text that identifies an anchor, for comparing and storing. */
export const anchorKey = ({ revision, head }: Anchor): string => `${revision} ${shortHead(head)}`

/**
 * The text of the notice that stays pinned in an owner's chat. The gate reads its first lines in any
 * language.
 */
export const anchorText = ({ revision, head }: Anchor): Prose =>
  prose`${verbatim(`hookgate ledger\nrevision ${revision} · head ${shortHead(head)}`)}\nIt shows if the gate was put back to an older state. Leave it pinned.`

/**
 * The text as the dispatcher sends it. The mark at its begin is removed from every text that is no notice, so
 * only notices have it.
 */
const written = /^🛡\uFE0F? hookgate ledger\nrevision ([1-9]\d{0,14}) · head ([0-9a-f]{12})\n[^\n]+$/u

/** Reads the anchor from a pinned text. Undefined when the text holds none. Pure. */
export const readAnchor = (text: string): Anchor | undefined => {
  const [, revision, head] = text.length > 500 ? [] : (written.exec(text) ?? [])
  return revision === undefined || head === undefined ? undefined : { revision: Number(revision), head }
}

/**
 * Compares an anchor with the chain hashes of the ledger. `same`: the ledger ends at the anchor. `longer`: it
 * contains the anchor and more lines, as after a crash before the next anchor was sent. `other`: it does not
 * contain the anchor.
 */
export const compareAnchor = (
  { revision, head }: Anchor,
  heads: readonly string[],
): 'same' | 'longer' | 'other' => {
  const line = heads[revision - 1]
  if (line === undefined || shortHead(line) !== shortHead(head)) return 'other'
  return revision === heads.length ? 'same' : 'longer'
}
