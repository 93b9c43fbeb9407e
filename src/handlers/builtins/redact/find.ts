import { decodings } from './disguises/codes.ts'
import { dumpsIn } from './disguises/dumps.ts'
import { decodedIn } from './disguises/encoded.ts'
import { fold } from './disguises/fold.ts'
import { findKept } from './secrets/preset-rules.ts'
import { findAssigned } from './secrets/assigned.ts'
import { findKeys } from './secrets/keys.ts'
import { findKubernetes } from './secrets/kubernetes.ts'
import { findNamed, findTokens } from './secrets/own-rules.ts'
import { hasRandom, isPublished } from './secrets/random.ts'
import { nearChanges, throughout, written, type TextReading } from './disguises/reading.ts'
import { findSeedPhrases } from './secrets/seed-phrase.ts'
import { unseparated } from './disguises/separated.ts'
import { findSplit, unwrap } from './disguises/split.ts'
import type { Span } from './span.ts'
import { backwards, turn } from './disguises/turn.ts'

/** The most levels of encoding that are decoded. */
const maxDecodings = 3

/**
 * True for a placeholder such as `ghp_xxxx`, which repeats one character or has the alphabet, and for an
 * example that its vendor publishes. In an address, the name of the host may be like that.
 */
const isPlaceholder = (secret: string): boolean =>
  /^[A-Za-z]{2,12}[_-](?:[a-z]{2,8}[_-])?([A-Za-z0-9*])\1+$/.test(secret) ||
  (/^(?!.*:\/\/)\S*?(?:([xX*#])\1{5}|abcdefghij)/i.test(secret) && !hasRandom(secret)) ||
  isPublished(secret)

/** Runs all rule sets. Each is a function from a text to spans. */
const findPlain = async (text: string): Promise<readonly Span[]> => {
  const tokens = findTokens(text)
  return [
    ...(await findKept(text, tokens.kinds)),
    ...tokens.found,
    ...findNamed(text),
    ...findAssigned(text),
    ...findKubernetes(text),
    ...findKeys(text),
    ...findSeedPhrases(text),
  ].filter(({ start, end }) => !isPlaceholder(text.slice(start, end)))
}

/**
 * True when the span touches none of the earlier spans. An earlier span keeps its end, because a reading
 * across line ends cannot know where a secret ends.
 */
const isNew = ({ start, end }: Span, before: readonly Span[]): boolean =>
  before.every((known) => known.end <= start || known.start >= end)

/** Finds secrets of the preset rules that continue across the end of a line. */
const findWrapped = async (text: string): Promise<readonly Span[]> => {
  const line = unwrap(text)
  if (line === undefined) return []
  const spans = (await findKept(line.text, findTokens(line.text).kinds)).map((span) => ({
    span,
    place: written(line, span),
  }))
  return spans
    .filter(({ span, place }) => place.end - place.start > span.end - span.start)
    .map(({ place }) => place)
}

/** Detects tags and links, which may separate the parts of a secret. */
const hasTags = /<[A-Za-z/!]|\]\(/

/** The other readings of a text: decoded, reversed, or without separators. */
const otherReadings = (text: string): readonly TextReading[] =>
  [unseparated(text), ...decodings(text), ...dumpsIn(text), backwards(text)].flatMap((reading) =>
    reading === undefined ? [] : [nearChanges(reading)],
  )

/** Finds secrets in such a reading: whole, in pieces, or encoded once more, as in a dump. */
const findOther = async (reading: TextReading): Promise<readonly Span[]> => {
  const encoded = decodedIn(reading.text)
  const inside = encoded === undefined ? [] : [throughout(reading, encoded)]
  const all = await Promise.all(
    [reading, ...inside].map(async (read) =>
      [...(await findPlain(read.text)), ...findSplit(read.text)].map((span) => written(read, span)),
    ),
  )
  return all.flat()
}

/**
 * Finds the secrets of a text as it is written and in its other readings: without disguise, joined, and
 * decoded. Spans are in the units of the written text.
 */
export const find = async (text: string, decodings = 0): Promise<readonly Span[]> => {
  const found: Span[] = [...(await findPlain(text))]
  const signs = fold(text, 'signs')
  const markup = fold(text, 'markup')
  const italics = /_[^_\s]/.test(text) ? fold(text, 'italics') : undefined
  const seen = new Set([text])
  const isFirst = (read: string): boolean => seen.size < seen.add(read).size
  for (const reading of [signs, markup, italics]) {
    if (reading === undefined || !isFirst(reading.text)) continue
    for (const span of await findPlain(reading.text)) found.push(written(reading, span))
  }
  for (const reading of signs?.text === markup?.text ? [signs] : [signs, markup]) {
    const read = reading?.text ?? text
    const inText = (span: Span): Span => (reading === undefined ? span : written(reading, span))
    if (reading === signs || hasTags.test(text)) {
      found.push(...findSplit(read).map(inText))
      for (const span of (await findWrapped(read)).map(inText)) if (isNew(span, found)) found.push(span)
    }
    const decoded = decodings === maxDecodings ? undefined : decodedIn(read)
    if (decoded !== undefined && isFirst(decoded.text))
      for (const span of await find(decoded.text, decodings + 1)) found.push(inText(written(decoded, span)))
  }
  for (const reading of otherReadings(text))
    if (isFirst(reading.text)) found.push(...(await findOther(reading)))
  const turned = turn(text)
  if (turned !== undefined)
    for (const span of await find(turned.text, decodings))
      if (isNew(written(turned, span), found)) found.push(written(turned, span))
  return found
}
