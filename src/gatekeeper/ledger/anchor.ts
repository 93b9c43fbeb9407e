import { fixed, type Prose } from '../../model/chat/prose.ts'

/** How far a ledger had come, as it is kept outside the machine. */
export interface Anchor {
  readonly revision: number
  /** The first digits of that line's chain hash, in hex. */
  readonly head: string
}

/** How many digits of a chain hash people and anchors are shown. */
export const headDigits = 12

export const shortHead = (head: string): string => head.slice(0, headDigits)

/** One text for one anchor, for what is compared or kept. */
export const anchorKey = ({ revision, head }: Anchor): string => `${revision} ${shortHead(head)}`

/** The notice that is kept pinned in an owner's chat. */
export const anchorText = ({ revision, head }: Anchor): Prose =>
  fixed(
    `hookgate ledger\nrevision ${revision} · head ${shortHead(head)}\nIt shows if the gate was put back to an older state. Leave it pinned.`,
  )

/** As the dispatcher writes it: behind the mark that is stripped from whatever is no notice. */
const written = /^🛡\uFE0F? hookgate ledger\nrevision ([1-9]\d{0,14}) · head ([0-9a-f]{12})\n[^\n]+$/u

/** The anchor in a pinned text, or undefined when it is none. Pure. */
export const readAnchor = (text: string): Anchor | undefined => {
  const [, revision, head] = text.length > 500 ? [] : (written.exec(text) ?? [])
  return revision === undefined || head === undefined ? undefined : { revision: Number(revision), head }
}

/** `same`: the ledger ends there. `longer`: it went on from there, as after a crash before the next anchor. `other`: it never was there. */
export const compareAnchor = (
  { revision, head }: Anchor,
  heads: readonly string[],
): 'same' | 'longer' | 'other' => {
  const line = heads[revision - 1]
  if (line === undefined || shortHead(line) !== shortHead(head)) return 'other'
  return revision === heads.length ? 'same' : 'longer'
}
