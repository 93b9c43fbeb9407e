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

export type AnchorComparison = 'same' | 'longer' | 'other'

/**
 * Compares an anchor with the chain hashes of the ledger. `same`: the ledger ends at the anchor. `longer`: it
 * contains the anchor and more lines, as after a crash before the next anchor was sent. `other`: it does not
 * contain the anchor.
 */
export const compareAnchor = ({ revision, head }: Anchor, heads: readonly string[]): AnchorComparison => {
  const line = heads[revision - 1]
  if (line === undefined || shortHead(line) !== shortHead(head)) return 'other'
  return revision === heads.length ? 'same' : 'longer'
}
