import { judge, type Aim, type Hit } from './grammar.ts'
import { lettersOf, plainly } from './letters.ts'
import { readingsOf } from './readings.ts'
import { signsIn, withoutUnseen } from './signs.ts'
import { speechesOf } from './speech.ts'

export interface Look {
  /** What the text tries. `hidden`: it has characters that nobody sees. */
  readonly aims: readonly (Aim | 'hidden')[]
  /** The text without characters that nobody sees. Absent: it has none. */
  readonly seen?: string
  /** Where the part that was not looked at begins and ends. Absent: no more had to be looked at. */
  readonly unread?: readonly [number, number]
}

const quotes = new Set('"\'`‘’“”«»「」『』')
/** A quote is at most so much longer than what it quotes, on either side. */
const quoteMargin = 30

/** The place of the next quote. Undefined: the line ends before it. */
const quoteFrom = (text: string, from: number, step: 1 | -1): number | undefined => {
  for (let at = from; Math.abs(at - from) <= quoteMargin; at += step) {
    const char = text.charAt(at)
    if (quotes.has(char)) return at
    if (char === '' || char === '\n') return undefined
  }
  return undefined
}

/** True for words that a sentence or a table quotes. The value of a field has quotes, and no sentence. */
const isQuoted = (text: string, { start, end }: Hit): boolean => {
  const [open, close] = [quoteFrom(text, start - 1, -1), quoteFrom(text, end, 1)]
  if (open === undefined || close === undefined) return false
  const before = text.slice(Math.max(0, open - 8), open).trimEnd()
  return (
    /[\p{L}\p{N})#|]$/u.test(before) ||
    /^[#)]{0,2}(?:;|\)|[,.]? \p{L})/u.test(text.slice(close + 1, close + 8))
  )
}

/** A text speaks like instructions when the weights of different aims that stand together reach this. */
const enough = 1
/** The factor for what is quoted, and what a disguise adds to the weight of the whole. */
const [quotedWeight, disguiseWeight] = [0.25, 0.3]
/** Signs in the same part of a text or in two parts side by side stand together. */
const partUnits = 400

const total = (weights: ReadonlyMap<Aim, number>): number =>
  [...weights.values()].reduce((sum, one) => sum + one, 0)
/** The weight of each aim. Further signs of the same aim add nothing. */
const weightsOf = (hits: readonly Hit[]): ReadonlyMap<Aim, number> => {
  const weights = new Map<Aim, number>()
  for (const { aim, weight } of hits) weights.set(aim, Math.max(weights.get(aim) ?? 0, weight))
  return weights
}

/** The aims of the first place that weighs enough. */
const weigh = (text: string, hits: readonly Hit[], isDisguised: boolean): readonly Aim[] => {
  const least = enough - (isDisguised ? disguiseWeight : 0) - Number.EPSILON * 8
  const parts = new Map<number, Hit[]>()
  for (const hit of hits) {
    const part = Math.floor(hit.start / partUnits)
    const one = parts.get(part)
    if (one === undefined) parts.set(part, [hit])
    else one.push(hit)
  }
  for (const [part, own] of parts) {
    const near = [...(parts.get(part - 1) ?? []), ...own]
    if (total(weightsOf(near)) < least) continue
    const said = weightsOf(
      near.map((hit) => (isQuoted(text, hit) ? { ...hit, weight: hit.weight * quotedWeight } : hit)),
    )
    if (total(said) >= least) return [...said.keys()]
  }
  return []
}

/** The most readings of readings, such as base64 of an address. */
const maxDepth = 2

/** `budget`: what a look may still cost. */
const aimsOf = (
  text: string,
  isDisguised: boolean,
  depth: number,
  budget: { units: number },
): readonly Aim[] => {
  budget.units -= text.length
  const plain = plainly(text)
  const speeches = speechesOf(lettersOf(plain))
  const open = speeches.filter((speech) => !speech.isDisguised).flatMap(judge)
  const aims = weigh(plain, [...open, ...signsIn(plain)], isDisguised)
  if (aims.length > 0) return aims
  for (const speech of speeches.filter((one) => one.isDisguised)) {
    const hidden = weigh(plain, judge(speech), true)
    if (hidden.length > 0) return hidden
  }
  if (depth === maxDepth) return []
  for (const reading of readingsOf(text)) {
    const read = aimsOf(reading.text, isDisguised || reading.isDisguised, depth + 1, budget)
    if (read.length > 0) return read
  }
  return []
}

/** A long text is looked at in pieces. What stands where one ends is seen again with the next. */
const [pieceUnits, overlapUnits] = [256 * 1024, 4096]
/** So many units are looked at, with those of other readings. This takes the processor about a second. */
const maxUnits = 1.5 * 1024 * 1024

const isEncoding = (unit: number): boolean => /[\w+/-]/.test(String.fromCharCode(unit))

/** Where the pieces of a text begin. One that begins in base64 or hex begins with a group of it. */
const beginsOf = (text: string): readonly number[] => {
  const begins = [0]
  for (let at = 0; at + pieceUnits < text.length;) {
    const next = at + pieceUnits - overlapUnits
    let run = next
    while (run > at && isEncoding(text.charCodeAt(run - 1))) run -= 1
    begins.push((at = next - ((next - run) % 4)))
  }
  return begins
}

/** Looks whether a text speaks like instructions to an agent. */
export const lookAt = (text: string): Look => {
  const seen = withoutUnseen(text)
  const look = seen === undefined ? { aims: [] } : { aims: ['hidden' as const], seen }
  const read = seen ?? text
  const budget = { units: maxUnits }
  const begins = beginsOf(read)
  // The end comes first, so that what is not looked at stands in one place.
  const last = begins.at(-1) ?? 0
  for (const begin of [last, ...begins.slice(0, -1)]) {
    if (budget.units <= 0) return { ...look, unread: [begin, last] }
    const aims = aimsOf(read.slice(begin, begin + pieceUnits), false, 0, budget)
    if (aims.length > 0) return { ...look, aims: [...look.aims, ...aims] }
  }
  return look
}
