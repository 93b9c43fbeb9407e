/** Longer words would make the screen larger without excluding more texts. */
export const maxWordChars = 12
/** Shorter words are in nearly every text. */
const minWordChars = 2

/**
 * Every text that the pattern matches contains one of these words, in lower case. Undefined: no such words
 * are known.
 */
export type Words = readonly string[] | undefined

type Atom =
  | { readonly kind: 'char'; readonly char: string }
  /** Consumes no character, so that the characters before and after it form one word. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'other' }
  | { readonly kind: 'group'; readonly words: Words }

const least = (words: Words): number =>
  words === undefined ? 0 : Math.min(...words.map((word) => word.length))
const keener = (one: Words, other: Words): Words => (least(other) > least(one) ? other : one)

/**
 * Thrown at syntax that this reader does not know for certain, so that it never reads a pattern differently
 * from the engine.
 */
class UnknownSyntax extends Error {}

const tokens = {
  quantifier: /(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/y,
  flags: /\(\?[imsU]*(?:-[imsU]+)?\)/y,
  group: /\((?:\?[imsU]*(?:-[imsU]+)?:|\?P?<\w+>|(?!\?))/y,
  emptyWidth: /[$^]|\\[bBAz]/y,
  oneOfMany: /\.|\\[dDsSwWnrtfv]|\[\^?\]?(?:\\[^]|[^\\\][])*\]/y,
  escaped: /\\([!-/:-@[-`{-~])/y,
  literal: /[^\\[\]().*+?^$|]/y,
}

/**
 * Finds words without which a pattern cannot match, from its source. A sequence gives its longest run of
 * plain characters; alternatives give the words of each. Letter case is ignored in the pattern and in the
 * text.
 */
export const wordsOf = (source: string): Words => {
  let at = 0
  const take = (token: RegExp): RegExpExecArray | undefined => {
    token.lastIndex = at
    const match = token.exec(source)
    if (match === null) return undefined
    at = token.lastIndex
    return match
  }

  const atom = (): Atom => {
    if (take(tokens.flags) !== undefined || take(tokens.emptyWidth) !== undefined) return { kind: 'empty' }
    if (take(tokens.group) !== undefined) {
      const words = alternatives()
      if (source[at] !== ')') throw new UnknownSyntax()
      at += 1
      return { kind: 'group', words }
    }
    if (take(tokens.oneOfMany) !== undefined) return { kind: 'other' }
    const char = take(tokens.escaped)?.[1] ?? take(tokens.literal)?.[0]
    if (char === undefined) throw new UnknownSyntax()
    // Letter case outside ASCII has special rules, so such a character only ends a word.
    return /[ -~]/.test(char) ? { kind: 'char', char: char.toLowerCase() } : { kind: 'other' }
  }

  /** True when the preceding item may be absent from a match. */
  const isOptional = (quantifier: RegExpExecArray): boolean =>
    /^[*?]/.test(quantifier[0]) || Number(quantifier[1] ?? 1) === 0

  const sequence = (): Words => {
    let best: Words
    let run = ''
    const endRun = (): void => {
      if (run.length >= minWordChars) best = keener(best, [run.slice(0, maxWordChars)])
      run = ''
    }
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const next = atom()
      const quantifiers: RegExpExecArray[] = []
      for (let found = take(tokens.quantifier); found !== undefined; found = take(tokens.quantifier))
        quantifiers.push(found)
      // After flags, as in `aa(?s)*`, the engine repeats the item before the flags.
      if (next.kind === 'empty' && quantifiers.length > 0) throw new UnknownSyntax()
      const isSure = !quantifiers.some(isOptional)
      if (next.kind === 'char' && isSure) run += next.char
      if (next.kind === 'group' && isSure) best = keener(best, next.words)
      if (next.kind !== 'empty' && (next.kind !== 'char' || quantifiers.length > 0)) endRun()
    }
    endRun()
    return best
  }

  const alternatives = (): Words => {
    const all = [sequence()]
    while (source[at] === '|') {
      at += 1
      all.push(sequence())
    }
    return all.every((words) => words !== undefined) ? all.flat() : undefined
  }

  try {
    const words = alternatives()
    return at < source.length ? undefined : words
  } catch (error) {
    if (error instanceof UnknownSyntax) return undefined
    throw error
  }
}
