/**
 * What a word of a command, a stream or a file can be: at most 8 possible texts, and where they come from. In
 * a text, private characters stand for what is not known.
 */
export interface Value {
  readonly texts: readonly string[]
  /** Bits of `origin`. */
  readonly from: number
}

/** Where a text comes from. */
export const origin = {
  network: 1,
  /** Out of a decoder, so that nobody reads it before it runs. */
  decoded: 2,
  /** A place of keys. */
  key: 4,
  /** A place that can have keys. It counts only when it is sent. */
  maybeKey: 8,
  /** All variables of the environment. */
  environment: 16,
  /** A whole folder in one stream. */
  folder: 32,
  /** A file that the program reads. */
  file: 64,
  /** Words of a list that stands nowhere in the command. */
  list: 128,
  /** What stands nowhere in the command: a variable that it does not set, or what code prints. */
  unread: 256,
} as const

/** A part that only a run can determine. */
export const OPEN = '\uE012'

/** File name patterns that the shell expands: `*`, `?` and `[…]`. Quoted ones stay as they are. */
export const STAR = '\uE013'

export const ANY = '\uE014'

/** A value that was cut because it is too long, or because too many are possible. It is an open one, too. */
export const CUT = '\uE012\uE016'

/** The folder of temporary files. */
export const TEMPORARY = '\uE015'

const ours = /[\uE000-\uE0FF]/g

/** The text without characters that have a meaning here. It keeps its length. */
export const withoutMarks = (text: string): string => text.replaceAll(ours, '\uFFFD')

const maxTexts = 8

const maxUnits = 4096

export const valueOf = (texts: readonly string[], from = 0): Value => {
  const some = [...new Set(texts)].map((text) => (text.length > maxUnits ? CUT : text))
  return { texts: some.length > maxTexts ? [...some.slice(0, maxTexts - 1), CUT] : some, from }
}

/** What stands in one piece. It can be as long as the command. */
export const literal = (text: string): Value => ({ texts: [text], from: 0 })

export const open = (from = 0): Value => ({ texts: [OPEN], from })

export const empty: Value = literal('')

/** The first text of a value. */
export const textOf = (value: Value | undefined): string => value?.texts[0] ?? ''

export const textsOf = (words: readonly Value[]): readonly string[] => words.map(textOf)

/** The value with each of its texts changed. */
export const mapped = ({ texts, from }: Value, change: (text: string) => string): Value =>
  valueOf(texts.map(change), from)

/** One of the texts fits a pattern. */
export const fits = ({ texts }: Value, pattern: RegExp): boolean => texts.some((text) => pattern.test(text))

/** The word with each of the texts in place of a sign. */
export const filled = (word: Value, sign: string, texts: readonly string[], from: number): Value =>
  word.texts.some((text) => text.includes(sign))
    ? valueOf(
        word.texts.flatMap((text) => texts.map((one) => text.replaceAll(sign, () => one))),
        from,
      )
    : word

/** One value that can be each of them. */
export const either = (values: readonly Value[]): Value =>
  values.length === 1
    ? (values[0] ?? empty)
    : valueOf(
        values.flatMap(({ texts }) => texts),
        originsOf(values),
      )

/** Lists of which one or the other holds. */
export const eachOr = (some: readonly Value[], others: readonly Value[]): readonly Value[] =>
  Array.from({ length: Math.max(some.length, others.length) }, (_, at) =>
    either([some[at], others[at]].filter((value) => value !== undefined)),
  )

export const originsOf = (values: readonly Value[]): number =>
  values.reduce((bits, { from }) => bits | from, 0)

/** The value of texts that stand side by side. */
export const joined = (values: readonly Value[], separator = ''): Value => {
  if (values.length === 1) return values[0] ?? empty
  let texts: readonly string[] = ['']
  values.forEach((value, index) => {
    const before = index === 0 ? '' : separator
    const one = value.texts.length === 1 ? value.texts[0] : undefined
    texts =
      one === undefined
        ? valueOf(texts.flatMap((text) => value.texts.map((more) => text + before + more))).texts
        : texts.map((text) => text + before + one)
  })
  return valueOf(texts, originsOf(values))
}

/** What a filter makes of a text: it can be what it was. Nobody reads a changed one before it runs. */
export const filtered = ({ texts, from }: Value): Value =>
  texts.every((text) => text === OPEN || text === '')
    ? open(from)
    : valueOf([...texts, OPEN], from | origin.decoded)

/** The name of a file in a folder. */
export const under = (folder: Value, name: string): Value => joined([folder, literal('/'), literal(name)])

export const isCut = (text: string): boolean => text.includes(CUT)

export const isOpen = (text: string): boolean => text.includes(OPEN)

/** The text as a person reads it. */
export const shown = (text: string): string =>
  text
    .replaceAll(CUT, '…')
    .replaceAll(OPEN, '…')
    .replaceAll(STAR, '*')
    .replaceAll(ANY, '?')
    .replaceAll(TEMPORARY, '/tmp')
