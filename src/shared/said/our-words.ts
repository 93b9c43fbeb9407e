import {
  fromTable,
  inEnglish,
  named,
  prose,
  proseLines,
  type Prose,
  type Template,
  verbatim,
} from '../../core/model/chat/prose.ts'
import type { Problem } from '../../core/model/gate/problem.ts'
import { formatProblem, placeOf } from '../base/problem.ts'
import chinese from './zh.json' with { type: 'json' }

/**
 * Problems, faults and other texts of ours travel as plain English: through records, other processes and the
 * API. Where one of them comes into a chat, this file finds out which of our texts it is, so that its words
 * can be translated. Whatever is not in the catalogue stays a quote, letter for letter. So a text that
 * imitates one of ours gains a translation and nothing else.
 */

/**
 * Simplified Chinese by the English text. `{0!}`: the value in this place is a text of ours itself. `{0?}`:
 * it is the name of a hook. `{0~}`: any text can stand in this place, however few words are around it.
 */
const written: readonly (readonly [string, string])[] = Object.values<Readonly<Record<string, string>>>(
  chinese,
).flatMap((texts) => Object.entries(texts))

const plainKey = (key: string): string => key.replaceAll(/\{(\d+)[!?~]\}/g, '{$1}')

const placesIn = (text: string): string => (text.match(/\{\d+/g) ?? []).toSorted().join(' ')

/** The number of letters and brackets that are ours. */
const lettersOf = (key: string): number => key.replaceAll(/\{\d+[!?~]?\}|[^\p{L}()]/gu, '').length
/** So many letters of ours are no accident. Fewer count only where all that stands between them is ours. */
const leastOwn = 10

/** What a text says first, with its full stop and without: a short line has no room for the rest. */
const headsOf = ([key, text]: readonly [string, string]): readonly (readonly [string, string])[] => {
  const [, first = '', mark = '', rest = ''] = /^(.+?)([.;])(?= |$)(.*)$/s.exec(key) ?? []
  const [, head = ''] = /^(.+?)[。；]/s.exec(text) ?? []
  if (head === '' || lettersOf(first) < leastOwn || placesIn(first) !== placesIn(head)) return []
  return mark === '.' && rest !== ''
    ? [
        [first, head],
        [`${first}.`, `${head}。`],
      ]
    : [[first, head]]
}

const withHeads = (): readonly (readonly [string, string])[] => {
  const isWritten = new Set(written.map(([key]) => plainKey(key)))
  return [...written, ...written.flatMap(headsOf).filter(([key]) => !isWritten.has(plainKey(key)))]
}

const placesOf = (key: string, mark: '!' | '?' | '~'): ReadonlySet<number> =>
  new Set(
    [...key.matchAll(/\{(\d+)([!?~])\}/g)].flatMap(([, at, found]) => (found === mark ? [Number(at)] : [])),
  )

/** The translations by the keys of their templates. */
export const saidInChinese = (): readonly (readonly [string, string])[] =>
  withHeads().map(([key, text]) => [plainKey(key), text])

const names: ReadonlySet<string> = new Set(Object.keys(chinese['names of our hooks']))
/** The name of a hook that hookgate ships. Undefined: it is another name. */
const ourName = (name: string): Prose | undefined => (names.has(name) ? fromTable(name) : undefined)

interface Said {
  /** The words between the values. */
  readonly pieces: readonly string[]
  /** The places whose values are texts of ours. */
  readonly inner: ReadonlySet<number>
  /** The places whose values are names of hooks. */
  readonly labels: ReadonlySet<number>
  /** The places whose values are any texts. */
  readonly free: ReadonlySet<number>
  readonly own: number
}

const saidOf = (key: string): Said => {
  const pieces = plainKey(key).split(/\{\d+\}/)
  return {
    pieces,
    inner: placesOf(key, '!'),
    labels: placesOf(key, '?'),
    free: placesOf(key, '~'),
    own: lettersOf(key),
  }
}

/** The length of the beginning by which a text is looked up. */
const startUnits = 5

/** Some texts of the catalogue, by what a text has to be or to begin with. */
interface Known {
  readonly exact: ReadonlyMap<string, Said>
  readonly byStart: ReadonlyMap<string, readonly Said[]>
  readonly open: readonly Said[]
}

/** How much of a text is ours. A value that is a text of ours counts, too. */
const weightOf = ({ own, inner }: Said): number => own + inner.size * leastOwn

/** Where several fit, the one with the most words of ours is meant. */
const mostFirst = (some: readonly Said[]): readonly Said[] =>
  some.toSorted((a, b) => weightOf(b) - weightOf(a))

const knownOf = (some: readonly Said[]): Known => {
  const inOrder = mostFirst(some)
  const startOf = ({ pieces: [first = ''] }: Said): string => first.slice(0, startUnits)
  const parted = inOrder.filter(({ pieces }) => pieces.length > 1)
  const open = parted.filter((said) => startOf(said).length < startUnits)
  const starts = Map.groupBy(
    parted.filter((said) => startOf(said).length === startUnits),
    startOf,
  )
  return {
    exact: new Map(
      inOrder.flatMap((said) => (said.pieces.length === 1 ? [[said.pieces[0] ?? '', said]] : [])),
    ),
    byStart: new Map([...starts].map(([start, these]) => [start, mostFirst([...these, ...open])] as const)),
    open,
  }
}

const isTelling = ({ own }: Said): boolean => own >= leastOwn
const isStrong = (said: Said): boolean => isTelling(said) || said.pieces.length === 1

const sortedOut = () => {
  const all = withHeads().map(([key]) => saidOf(key))
  return {
    telling: knownOf(all.filter(isTelling)),
    strong: knownOf(all.filter(isStrong)),
    weak: knownOf(all.filter((said) => !isStrong(said))),
  }
}
let sorted: ReturnType<typeof sortedOut> | undefined
/** Made for the first text that is read, since a gate that starts reads none. */
const catalogue = (): ReturnType<typeof sortedOut> => (sorted ??= sortedOut())

const candidatesFor = (text: string, { exact, byStart, open }: Known): readonly Said[] => {
  const same = exact.get(text)
  return same === undefined ? (byStart.get(text.slice(0, startUnits)) ?? open) : [same]
}

/** What is longer, deeper or in more pieces stays a quote, so that the time for each text is bounded. */
const maxUnits = 4000
const maxDepth = 6
const maxParts = 12
/** The most texts of the catalogue that are compared with one text and its values. */
const maxCompared = 30_000
/** The most ways in which one text is divided into words of ours and values. */
const maxWays = 12

type Values = readonly string[]

/** A text that was read. `isRead`: every value that has to be a text of ours is one. */
interface Reading {
  readonly words: Prose
  readonly isRead: boolean
}

/** The ways in which a text fits, the one with the shortest first values first. */
const waysOf = (text: string, pieces: readonly string[]): readonly Values[] => {
  const [first = '', ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return text === first ? [[]] : []
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return []
  const end = text.length - last.length
  const ways: Values[] = []
  const divide = (at: number, left: readonly string[], values: Values): void => {
    const [piece, ...others] = left
    if (piece === undefined) return void ways.push([...values, text.slice(at, end)])
    for (let next = text.indexOf(piece, at); next >= 0 && next + piece.length <= end;) {
      divide(next + piece.length, others, [...values, text.slice(at, next)])
      if (piece === '' || ways.length >= maxWays) return
      next = text.indexOf(piece, next + 1)
    }
  }
  divide(first.length, rest, [])
  return ways
}

/** A value between quotation marks, as our texts name what they got. */
const isQuotation = (text: string): boolean => /^"(?:[^"\\]|\\.)*"$/.test(text)

/** How a value is shown that is not ours. */
type Show = (value: string) => Prose
const quoted: Show = (text) => (text === '' ? [] : prose`${text}`)

/** Two sentences. Chinese has no blank between them. The two empty values tell this text from others. */
const sentencePair = (first: Prose, second: Prose): Prose => prose`${first}${[]}${[]} ${second}`

/** How two sentences are joined that had this sign between them. */
const afterSentence = (sign: string): ((first: Prose, second: Prose) => Prose) =>
  sign === ' ' ? sentencePair : (first, second) => proseLines(first, second)

/** Where the sentences of a text end, without the last one. Undefined: there is one sentence, or too many. */
const endsOf = (text: string): readonly number[] | undefined => {
  const ends = [...text.matchAll(/[.?!](?=[ \n]\S)/g)].map(({ index }) => index + 1)
  return ends.length === 0 || ends.length > maxParts ? undefined : ends
}

/** How much of a text is no text of ours, in UTF-16 units. */
const foreignUnits = ({ words }: Reading): number =>
  inEnglish(words).reduce((sum, span) => sum + ('quoted' in span ? span.quoted.length : 0), 0)

/** All of these, or nothing where one of them is not read. */
const joined = (
  parts: readonly (Reading | undefined)[],
  join: (one: Prose, other: Prose) => Prose,
): Reading | undefined =>
  parts.reduce((one, other) =>
    one?.isRead === true && other?.isRead === true
      ? { words: join(one.words, other.words), isRead: true }
      : undefined,
  )

/** Reads one text with all texts inside of it. */
const createReading = (show: Show) => {
  const { telling, strong, weak } = catalogue()
  let compared = 0
  /** What was read, by set, so that no part of the text is read twice. */
  const known = new Map<unknown, Map<string, Reading | undefined>>()
  const once = (of: unknown, text: string, read: () => Reading | undefined): Reading | undefined => {
    const texts = known.get(of) ?? new Map<string, Reading | undefined>()
    known.set(of, texts)
    if (!texts.has(text)) texts.set(text, read())
    return texts.get(text)
  }

  const inner = (value: string, depth: number, own: number): Reading | undefined => {
    const text = value.trim()
    if (text === '') return { words: value === '' ? [] : verbatim(value), isRead: true }
    if (isQuotation(text)) return { words: show(value), isRead: true }
    if (depth === 0) return undefined
    // Between no letters of ours only a text counts that is ours without any doubt.
    const found = own === 0 ? whole(text, telling, depth) : sentences(text, true, depth)
    if (found === undefined) return undefined
    const [before = '', after = ''] = value.split(text)
    const words = [...found.words, ...(after === '' ? [] : verbatim(after))]
    if (before === '') return { ...found, words }
    return { ...found, words: before === ' ' ? sentencePair([], words) : [...verbatim(before), ...words] }
  }

  const fit = (text: string, said: Said, depth: number): Reading | undefined => {
    const isSure = isStrong(said)
    let partly: Reading | undefined
    for (const values of waysOf(text, said.pieces)) {
      // Nothing but a number, a name or a text of ours stands between a few letters of ours.
      const isOther = (value: string, place: number): boolean =>
        value.includes(' ') && !said.free.has(place) && !said.inner.has(place)
      if (!isSure && values.some(isOther)) continue
      const found = values.map((value, place) =>
        said.inner.has(place) ? inner(value, depth - 1, said.own) : undefined,
      )
      const isRead = [...said.inner].every((place) => found[place]?.isRead === true)
      if (!isRead && !isSure) continue
      const template: Template = {
        template: said.pieces,
        values: values.map(
          (value, place) =>
            found[place]?.words ?? (said.labels.has(place) ? ourName(value) : undefined) ?? show(value),
        ),
      }
      if (isRead) return { words: [template], isRead }
      partly ??= { words: [template], isRead }
    }
    return partly
  }

  /** The text as one of these. Undefined: it is none. */
  const whole = (text: string, some: Known, depth: number): Reading | undefined =>
    once(some, text, () => {
      let partly: Reading | undefined
      for (const said of candidatesFor(text, some)) {
        if ((compared += 1) > maxCompared) break
        const found = fit(text, said, depth)
        if (found?.isRead === true) return found
        partly ??= found
      }
      return partly
    })

  /** The text as sentences of ours, as few as possible. */
  const several = (text: string, some: Known, depth: number): Reading | undefined => {
    const ends = endsOf(text)
    if (ends === undefined) return undefined
    const from = (start: number): Reading | undefined =>
      once(ends, text.slice(start), () => {
        const rest = start === 0 ? undefined : whole(text.slice(start), some, depth)
        if (rest?.isRead === true) return rest
        for (const end of ends.filter((one) => one > start).toReversed()) {
          const first = whole(text.slice(start, end), some, depth)
          const others = first?.isRead === true ? from(end + 1) : undefined
          const both = joined([first, others], afterSentence(text.charAt(end)))
          if (both !== undefined) return both
        }
        return undefined
      })
    return from(0)
  }

  /** The text as sentences, of which some are ours and the others are values. Undefined: none is ours. */
  const mixed = (text: string, sure: Known, depth: number): Reading | undefined => {
    const ends = endsOf(text)
    if (ends === undefined) return undefined
    const pieceFrom = (start: number): { readonly end: number; readonly words?: Prose } => {
      const after = [...ends, text.length].filter((end) => end > start)
      for (const end of after.toReversed()) {
        const found = whole(text.slice(start, end), sure, depth)
        if (found?.isRead === true) return { end, words: found.words }
      }
      return { end: after[0] ?? text.length }
    }
    let words: Prose | undefined
    let hasOurs = false
    for (let start = 0; start < text.length;) {
      const { end, words: ours } = pieceFrom(start)
      hasOurs ||= ours !== undefined
      const piece = ours ?? show(text.slice(start, end))
      words = words === undefined ? piece : afterSentence(text.charAt(start - 1))(words, piece)
      start = end + 1
    }
    return hasOurs && words !== undefined ? { words, isRead: false } : undefined
  }

  /** Several texts of ours with commas between them. */
  const list = (text: string, depth: number): Reading | undefined => {
    const parts = text.split(', ', maxParts + 1)
    if (parts.length === 1 || parts.length > maxParts) return undefined
    return joined(
      parts.map((part) => whole(part, strong, depth)),
      (one, other) => prose`${one}, ${other}`,
    )
  }

  /** The text as one of ours, or as some. Undefined: not all of it is. */
  const sentences = (text: string, isOurs: boolean, depth: number): Reading | undefined =>
    once(isOurs, text, () => {
      if (text.length > maxUnits) return undefined
      const sure = isOurs ? strong : telling
      const one = whole(text, sure, depth)
      if (one?.isRead === true) return one
      const more = several(text, sure, depth) ?? (isOurs ? list(text, depth) : undefined)
      const read = more ?? (isOurs ? whole(text, weak, depth) : undefined)
      if (read !== undefined) return read
      const partly = mixed(text, sure, depth)
      if (one === undefined || partly === undefined) return one ?? (isOurs ? partly : undefined)
      return foreignUnits(partly) < foreignUnits(one) ? partly : one
    })

  return (text: string, isOurs: boolean): Prose | undefined => sentences(text, isOurs, maxDepth)?.words
}

/** A text that only our own code makes. Undefined: none of ours is like it. */
export const readOurs = (text: string, show: Show = quoted): Prose | undefined =>
  createReading(show)(text, true)

/**
 * A text that only our own code makes. What it says of others is shown as a quote in it, or as `show` says.
 */
export const ourWords = (text: string, show: Show = quoted): Prose => readOurs(text, show) ?? show(text)

/** The same for a text that no hook has to judge, such as the reason of a lockdown. */
export const fixedWords = (text: string): Prose => ourWords(text, verbatim)

/** A line that a hook may have written. Our own hooks and their faults speak in words of ours. */
export const heardWords = (line: string): Prose | undefined => createReading(quoted)(line, false)

export const isOurName = (label: string): boolean => names.has(label)

/** The name of a hook. The hooks that hookgate ships have names in the language of the reader. */
export const labelWords = (label: string): Prose => ourName(label) ?? named(label)

/** A problem with its place and its fix. */
export const problemWords = (problem: Problem): Prose =>
  problem.isForeign === true
    ? prose`${formatProblem(problem)}`
    : [...quoted(placeOf(problem)), ...sentencePair(ourWords(problem.message), ourWords(problem.fix))]
