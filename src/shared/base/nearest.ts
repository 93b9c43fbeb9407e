const maxUnits = 40

/** The Levenshtein distance of two short names, each cut to `maxUnits`. */
const distance = (left: string, right: string): number => {
  const a = left.slice(0, maxUnits)
  const b = right.slice(0, maxUnits)
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** The known name that is closest to a mistyped one. Undefined when none is close. */
export const nearest = (typed: string, known: readonly string[]): string | undefined => {
  const scored = known.map((name) => ({ name, score: distance(typed.toLowerCase(), name.toLowerCase()) }))
  const best = scored.toSorted((a, b) => a.score - b.score)[0]
  return best !== undefined && best.score <= Math.max(2, Math.floor(Math.min(typed.length, maxUnits) / 3))
    ? best.name
    : undefined
}
