/** What a scanner looks for: secrets, or what identifies a person. */
export type Subject = 'secrets' | 'personal'

/** A range of a text that holds a secret or personal data, in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
  /** The kind of what stands there in a few words. It appears in the replacement text. */
  readonly kind: string
}

/** Sorts the spans and joins those that overlap. The first of them gives the kind. */
export const joinSpans = (spans: readonly Span[]): readonly Span[] => {
  const joined: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1)
    if (last === undefined || span.start >= last.end) joined.push(span)
    else if (span.end > last.end) joined[joined.length - 1] = { ...last, end: span.end }
  }
  return joined
}

export const replaceSpans = (text: string, spans: readonly Span[]): string => {
  let from = 0
  let replaced = ''
  for (const { start, end, kind } of joinSpans(spans)) {
    replaced += `${text.slice(from, start)}[redacted: ${kind}]`
    from = end
  }
  return replaced + text.slice(from)
}
