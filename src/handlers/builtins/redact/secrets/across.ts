import { isObject, type Json } from '../../../../core/model/base/json.ts'
import type { Payload } from '../../../../core/model/events/payload.ts'
import type { Span } from '../span.ts'

/**
 * Matches the replacement of a secret. It is removed, so that the rest of a secret still follows its first
 * part.
 */
const mark = /\[redacted: [a-z0-9 ]{1,40}\]/g
/** The number of units at each end of a text that may belong to a secret in two texts. */
const edgeUnits = 1000
/** The most units of earlier messages in all. The gate passes no more. */
const recentUnits = 8000

/** A part of one of the texts that are judged now, or of a message that was sent (`text` is undefined). */
interface Link {
  readonly text: number | undefined
  readonly offset: number
  readonly content: string
}

/** Texts that are read one after another, joined so that a secret across several of them is found as one. */
export interface Chain {
  readonly content: string
  readonly links: readonly (Link & { readonly at: number })[]
}

const edges = (text: number, content: string): readonly Link[] =>
  content.length <= 2 * edgeUnits
    ? [{ text, offset: 0, content }]
    : [
        { text, offset: 0, content: content.slice(0, edgeUnits) },
        { text, offset: content.length - edgeUnits, content: content.slice(-edgeUnits) },
      ]

const joined = (links: readonly Link[], seam: string): Chain => {
  let content = ''
  const placed: Chain['links'][number][] = []
  for (const link of links) {
    const previous = placed.at(-1)
    // The middle of a long text is left out here, so no secret may continue from one end to the other.
    const isCut =
      previous !== undefined && previous.text === link.text && link.text !== undefined && link.offset > 0
    content += previous === undefined ? '' : isCut ? ' \u0000…\u0000 ' : seam
    placed.push({ ...link, at: content.length })
    content += link.content
  }
  return { content, links: placed }
}

/** One of the collected texts, with the field of `parts` that it belongs to. */
interface PartText {
  readonly index: number
  readonly field: string
}

/** The texts of `parts` that a reader sees. The names of fields are left out. */
const partTexts = (parts: Json | undefined, first: number): readonly PartText[] => {
  let index = first
  const read: PartText[] = []
  const walk = (value: Json, field: string | undefined): void => {
    if (typeof value === 'string') {
      if (field !== undefined) read.push({ index, field })
      index += 1
    } else if (Array.isArray(value)) for (const item of value) walk(item, field)
    else if (isObject(value)) {
      const own = typeof value['field'] === 'string' ? value['field'] : ''
      for (const [key, inner] of Object.entries(value)) walk(inner, key === 'field' ? undefined : own)
    }
  }
  if (parts !== undefined) walk(parts, '')
  return read
}

/** The texts of the same kind, such as the labels of all buttons without their addresses, by their number. */
const rowsOf = (read: readonly PartText[]): readonly (readonly number[])[] =>
  [...Map.groupBy(read, ({ field }) => field.replaceAll(/\d+/g, 'N')).values()]
    .filter((row) => row.length > 1)
    .map((row) =>
      row
        .toSorted((a, b) => Number(/\d+/.exec(a.field)) - Number(/\d+/.exec(b.field)))
        .map(({ index }) => index),
    )

/** The longest word of a text: the piece of a secret that a number or a title goes before. */
const longestWord = (text: number, content: string): Link => {
  const [longest] = Array.from(content.slice(0, edgeUnits).matchAll(/[\w-]+/g)).toSorted(
    (a, b) => b[0].length - a[0].length,
  )
  return { text, offset: longest?.index ?? 0, content: longest?.[0] ?? '' }
}

/** The last units of the earlier texts, within the bound. */
const lastOf = (texts: readonly string[]): readonly string[] => {
  let left = recentUnits
  return texts
    .toReversed()
    .flatMap((text) => {
      const end = left <= 0 ? '' : text.slice(-left)
      left -= end.length
      return end === '' ? [] : [end]
    })
    .toReversed()
}

/**
 * Returns the texts that a reader sees before and after the message, in each order in which it may be read.
 * An edit may be read after the text that it replaces, and between the messages around it.
 */
const aroundOf = ({ before, recent }: Payload) => {
  const told = (Array.isArray(recent) ? recent : []).filter((text) => typeof text === 'string')
  if (typeof before !== 'string') return [{ before: told, after: [] }]
  const place = told.findLastIndex((text) => text !== '' && before.endsWith(text))
  return [
    { before: [before, ...told], after: [] },
    { before: [before], after: [] },
    { before: told.slice(0, Math.max(0, place)), after: told.slice(place + 1) },
  ]
}
const readable = (texts: readonly string[]): readonly string[] =>
  texts.map((text) => text.replaceAll(mark, '').trim()).filter((text) => text !== '')

/** The chat's last messages, and the text that an edit replaces. */
export const toldBefore = (payload: Payload): readonly string[] =>
  payload.event === 'on_outbound_message' ? readable(aroundOf(payload).flatMap(({ before }) => before)) : []

/**
 * Joins the chat's last messages, this message's text and its other texts, in the order in which they are
 * read.
 */
export const chainsOf = (payload: Payload, texts: readonly string[]): readonly Chain[] => {
  if (payload.event !== 'on_outbound_message') return []
  const main = typeof payload['notification'] === 'string' ? [0] : []
  const read = partTexts(payload['parts'], main.length)
  const all = read.map(({ index }) => index)
  const rows = rowsOf(read)
  const told = (content: string): Link => ({ text: undefined, offset: 0, content })
  const around = aroundOf(payload).map(({ before, after }) => ({
    last: lastOf(readable(before)).map(told),
    next: readable(after).map((text) => told(text.slice(0, edgeUnits))),
  }))
  const chains = [all, ...rows.filter((row) => row.join() !== all.join())].flatMap((read) => {
    // A caption may be read before or after the text.
    const order = read.length === 0 ? main : [...main, ...read, ...main]
    return around.flatMap(({ last, next }) => {
      if (last.length + order.length + next.length < 2) return []
      const links: readonly Link[] = [
        ...last,
        // When no text follows, only the beginning of this text can belong to an earlier part.
        ...order.flatMap((index) =>
          order.length === 1 && next.length === 0
            ? [{ text: index, offset: 0, content: (texts[index] ?? '').slice(0, edgeUnits) }]
            : edges(index, texts[index] ?? ''),
        ),
        ...next,
      ]
      return [joined(links, '\n'), joined(links, '')]
    })
  })
  return [
    ...chains,
    ...rows.map((row) =>
      joined(
        row.map((index) => longestWord(index, texts[index] ?? '')),
        '',
      ),
    ),
  ]
}

/** The part of a secret across several texts that can still be rewritten. */
export interface Crossing {
  readonly text: number
  readonly span: Span
  readonly beganBefore: boolean
}

export const crossings = ({ links }: Chain, spans: readonly Span[]): readonly Crossing[] =>
  spans.flatMap((span) => {
    const touched = links.filter(({ at, content }) => span.start < at + content.length && span.end > at)
    if (touched.length < 2) return []
    const beganBefore = touched.some(({ text }) => text === undefined)
    return touched.flatMap(({ text, offset, at, content }) =>
      text === undefined
        ? []
        : [
            {
              text,
              beganBefore,
              span: {
                kind: span.kind,
                start: offset + Math.max(0, span.start - at),
                end: offset + Math.min(content.length, span.end - at),
              },
            },
          ],
    )
  })
