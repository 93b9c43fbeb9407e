import { isObject, type Json } from '../../../../model/base/json.ts'
import type { Payload } from '../../../../model/events/payload.ts'
import type { Span } from '../span.ts'

/** What stands in the place of a secret; sent again, the rest of it still follows its first part. */
const mark = /\[redacted: [a-z ]{1,40}\]/g
/** This much of each end of a text can belong to a secret that goes on in the next one. */
const edgeUnits = 1000
/** This much of the texts before it, in all: what the gate tells of them. */
const toldUnits = 8000

/** Part of one of the texts that are judged now, or of a message that has left (`text` is undefined). */
interface Link {
  readonly text: number | undefined
  readonly offset: number
  readonly content: string
}

/** Texts as they are read one after another, so that a secret which lies over several of them stands in one. */
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
    // Between the two ends of a long text there is more that is not read here, and nothing goes on over it.
    const isCut =
      previous !== undefined && previous.text === link.text && link.text !== undefined && link.offset > 0
    content += previous === undefined ? '' : isCut ? ' \u0000…\u0000 ' : seam
    placed.push({ ...link, at: content.length })
    content += link.content
  }
  return { content, links: placed }
}

/** Which of the collected texts of `parts` a reader sees: not the names of their fields. */
const partTexts = (parts: Json | undefined, first: number): readonly number[] => {
  let index = first
  const read: number[] = []
  const walk = (value: Json, isRead: boolean): void => {
    if (typeof value === 'string') {
      if (isRead) read.push(index)
      index += 1
    } else if (Array.isArray(value)) for (const item of value) walk(item, isRead)
    else if (isObject(value)) for (const [key, inner] of Object.entries(value)) walk(inner, key !== 'field')
  }
  if (parts !== undefined) walk(parts, true)
  return read
}

/** The ends of the last texts. */
const lastOf = (texts: readonly string[]): readonly string[] => {
  let left = toldUnits
  return texts
    .toReversed()
    .flatMap((text) => {
      const end = left <= 0 ? '' : text.slice(-left)
      left -= end.length
      return end === '' ? [] : [end]
    })
    .toReversed()
}

/** What a reader sees before and after it, in one order of reading. */
interface Around {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** An edit is read after what stood in its place, and in the midst of the messages that came after that. */
const aroundOf = ({ before, recent }: Payload): readonly Around[] => {
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

/** What was told of the chat's last messages, and what stands where an edit will. */
export const toldBefore = (payload: Payload): readonly string[] =>
  payload.event === 'on_outbound_message' ? readable(aroundOf(payload).flatMap(({ before }) => before)) : []

/** The last messages to a chat, this one's text and its other texts, in the order in which they are read. */
export const chainsOf = (payload: Payload, texts: readonly string[]): readonly Chain[] => {
  if (payload.event !== 'on_outbound_message') return []
  const main = typeof payload['notification'] === 'string' ? [0] : []
  const others = partTexts(payload['parts'], main.length)
  // A caption may be read before the text or after it.
  const order = others.length === 0 ? main : [...main, ...others, ...main]
  const told = (content: string): Link => ({ text: undefined, offset: 0, content })
  return aroundOf(payload).flatMap((around) => {
    const last = lastOf(readable(around.before))
    const next = readable(around.after).map((text) => text.slice(0, edgeUnits))
    if (last.length + order.length + next.length < 2) return []
    const links: readonly Link[] = [
      ...last.map(told),
      // Only the beginning of a text that nothing follows can belong to what went before it.
      ...order.flatMap((index) =>
        order.length === 1 && next.length === 0
          ? [{ text: index, offset: 0, content: (texts[index] ?? '').slice(0, edgeUnits) }]
          : edges(index, texts[index] ?? ''),
      ),
      ...next.map(told),
    ]
    return [joined(links, '\n'), joined(links, '')]
  })
}

/** A secret over several texts: what of it stands in those that can still be rewritten. */
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
