/**
 * The text of a notice: fixed words of ours, and quoted parts that came from an agent, a hook, a file or a
 * stranger. The dispatcher judges quoted parts and may withhold them. Fixed words always arrive. A long quote
 * is shown by its two ends unless `isWhole`. A `handle` says that the notice shows what the handle names: a
 * yes to it counts only if the quotes were sent unchanged.
 */
export type Span =
  | { readonly fixed: string; readonly handle?: string }
  | { readonly quoted: string; readonly isWhole?: true }
export type Prose = readonly Span[]

/** Interpolates our own words as fixed text. Only for literals and for numbers that we computed. */
export const fixed = (text: string | number): Prose => [{ fixed: String(text) }]

/** Fixed words that begin with the handle of what is shown here. */
export const heading = (handle: string, words: string): Prose => [
  { fixed: `${handle} ${words}`.trim(), ...(handle === '' ? {} : { handle }) },
]

/** A quote that is never shortened. The caller limits its length. */
export const whole = (text: string): Prose => [{ quoted: text, isWhole: true }]

/** One word or path of plain characters. It has no room for a sentence or a tappable address. */
const plainName = /^(?:builtin: |\.{1,2}\/|\/)?\w[\w./-]{0,59}$/

/** The name of an agent, a channel or an approved hook: fixed when it is a plain name, otherwise a quote. */
export const named = (name: string): Prose => [plainName.test(name) ? { fixed: name } : { quoted: name }]

/**
 * ``prose`Approved ${command}.` ``: the template is fixed, and every interpolated string is a quoted part.
 */
export const prose = (
  template: TemplateStringsArray,
  ...values: readonly (string | number | Prose)[]
): Prose =>
  template.flatMap((text, index): Prose => {
    const value = values[index]
    const head: Prose = text === '' ? [] : [{ fixed: text }]
    if (value === undefined) return head
    if (typeof value === 'number') return [...head, { fixed: String(value) }]
    return typeof value === 'string' ? [...head, { quoted: value }] : [...head, ...value]
  })

export const joinProse = (parts: readonly Prose[], separator: string): Prose =>
  parts.flatMap((part, index) => (index === 0 ? part : [{ fixed: separator }, ...part]))

/** The handles of what the text shows. */
export const handlesIn = (text: Prose): readonly string[] =>
  text.flatMap((span) => ('handle' in span && span.handle !== undefined ? [span.handle] : []))

/** The text with all quotes. */
export const proseText = (text: Prose): string =>
  text.map((span) => ('fixed' in span ? span.fixed : span.quoted)).join('')
