import { clockWords, utc, type Zone } from './zone.ts'

/**
 * A piece of a notice as it leaves: fixed words of ours, or a quoted part that came from an agent, a hook, a
 * file or a stranger. The dispatcher judges quoted parts and may withhold them. Fixed words always arrive. A
 * long quote is shown by its two ends unless `isWhole`. A `handle` says that the notice shows what the handle
 * names: a yes to it counts only if the quotes were sent unchanged. With `isPart` it shows too little of it
 * for a yes. A quote that `isShown` is one that the owner asked to read, so no hook judges it. Where a
 * messenger has spoilers, it stands behind one. `hook`: the fingerprint of an approved hook whose own words
 * the quote is. That hook does not judge it.
 */
export type PlainSpan =
  | { readonly fixed: string; readonly handle?: string; readonly isPart?: true }
  | {
      readonly quoted: string
      readonly isWhole?: true
      readonly isShown?: true
      readonly hook?: string
    }

/** Words of ours with places for values between them, in English. It is one unit of translation. */
export interface Template {
  readonly template: readonly string[]
  readonly values: readonly Prose[]
}

/** A time, which each reader is shown in their own time zone. */
export interface Timestamp {
  readonly atMs: number
  /** When the text is written, in epoch milliseconds. A time of another day has its date. */
  readonly nowMs: number
  readonly precision: 'minute' | 'second'
}

/** The text of a notice, before anybody knows the language and the time zone of its reader. */
export type Span = PlainSpan | Template | Timestamp
export type Prose = readonly Span[]

/** Finds the text of a key in another language. Undefined: the text stays English. */
export type Translate = (key: string) => string | undefined

/** The key of a template in a catalogue of translations: its English text, with {0} for the first value. */
export const keyOf = (template: readonly string[]): string =>
  template.reduce((key, text, index) => `${key}{${index - 1}}${text}`)

/** Our own words, as a literal; or a number, a name or another value of ours that has no translation. */
export const fixed = (text: string | number): Prose =>
  typeof text === 'number' ? verbatim(String(text)) : [{ template: [text], values: [] }]

/** A value of ours that no language changes, such as a handle or a text that was judged already. */
export const verbatim = (text: string): Prose => [{ fixed: text }]

/**
 * Our own words that stand as a literal in a table which others read as strings, such as the summary of a
 * command. The test of the catalogues knows these tables, so each of the words is a unit of translation.
 */
export const fromTable = (text: string): Prose => [{ template: [text], values: [] }]

/** Fixed words that begin with the handle of what is shown here. `isPart`: too little is shown for a yes. */
export const heading = (handle: string, words: string, isPart?: true): Prose => [
  { fixed: handle, ...(handle === '' ? {} : { handle, isPart }) },
  ...fromTable(handle === '' ? words : ` ${words}`.trimEnd()),
]

/** A quote that is never shortened. The caller limits its length. */
export const whole = (text: string): Prose => [{ quoted: text, isWhole: true }]

/** A quote that the owner asked to read, although a hook holds it back. The caller limits its length. */
export const spoiler = (text: string): Prose => [{ quoted: text, isWhole: true, isShown: true }]

/** One word or path of plain characters. It has no room for a sentence or a tappable address. */
const plainName = /^(?:builtin: |[a-z]+:|\.{1,2}\/|\/)?\w[\w./-]{0,59}$/

/** The name of an agent, a person, a channel or a hook: fixed when it is a plain name, otherwise a quote. */
export const named = (name: string): Prose => [plainName.test(name) ? { fixed: name } : { quoted: name }]

const valueOf = (value: string | number | Prose): Prose => {
  if (typeof value === 'number') return verbatim(String(value))
  return typeof value === 'string' ? [{ quoted: value }] : value
}

/**
 * ``prose`Approved ${command}.` ``: the template is fixed, and every interpolated string is a quoted part.
 */
export const prose = (
  template: TemplateStringsArray,
  ...values: readonly (string | number | Prose)[]
): Prose => [{ template: [...template], values: values.map(valueOf) }]

/**
 * A text about an approved hook. Its quotes are what the owner approved of that hook, or what the hook itself
 * said, so that hook does not judge them. `hook`: its fingerprint. Undefined: the text stays as it is.
 */
export const ofHook = (hook: string | undefined, text: Prose): Prose => {
  if (hook === undefined) return text
  return text.map((span) => {
    if ('quoted' in span) return { ...span, hook }
    return 'template' in span ? { ...span, values: span.values.map((value) => ofHook(hook, value)) } : span
  })
}

/** Texts with a separator between them. A part that is false or absent is left out. */
export const joinProse = (parts: readonly (Prose | false | undefined)[], separator: string): Prose =>
  parts
    .filter((part) => part !== undefined && part !== false)
    .flatMap((part, index) => (index === 0 ? part : [{ fixed: separator }, ...part]))

/** Texts below each other. */
export const proseLines = (...parts: readonly (Prose | false | undefined)[]): Prose => joinProse(parts, '\n')

/** The white space at both ends of a key is no part of its translation. */
const ends = /^(\s*)([\s\S]*?)(\s*)$/

const fill = ({ template, values }: Template, translate: Translate, zone: Zone): readonly PlainSpan[] => {
  const [, before = '', key = '', after = ''] = ends.exec(keyOf(template)) ?? []
  const found = key === '' ? undefined : translate(key)
  // A text of another language may name the values in another order.
  const pieces = `${before}${found ?? key}${after}`.split(/\{(\d+)\}/)
  return pieces.flatMap((piece, index): readonly PlainSpan[] => {
    if (index % 2 === 0) return piece === '' ? [] : [{ fixed: piece }]
    return inLanguage(values[Number(piece)] ?? [{ fixed: `{${piece}}` }], translate, zone)
  })
}

/** The text in the language of its reader, with all times in the reader's time zone. */
export const inLanguage = (text: Prose, translate: Translate, zone: Zone = utc): readonly PlainSpan[] =>
  text.flatMap((span) => {
    if ('template' in span) return fill(span, translate, zone)
    return 'atMs' in span ? [{ fixed: clockWords(span, zone) }] : [span]
  })

/** The text in English. */
export const inEnglish = (text: Prose): readonly PlainSpan[] => inLanguage(text, () => undefined)

/** The handles of what the text shows. */
export const handlesIn = (text: Prose): readonly string[] =>
  inEnglish(text).flatMap((span) => ('handle' in span && span.handle !== undefined ? [span.handle] : []))

/** True when the text shows too little for a yes of something that it names. */
export const hasParts = (text: Prose): boolean =>
  inEnglish(text).some((span) => 'isPart' in span && span.isPart === true)

/** The text in English with all quotes. */
export const proseText = (text: Prose): string =>
  inEnglish(text)
    .map((span) => ('fixed' in span ? span.fixed : span.quoted))
    .join('')
