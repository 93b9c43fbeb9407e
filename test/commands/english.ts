import { expect } from 'vitest'
import { inLanguage, type Prose } from '../../src/core/model/chat/prose.ts'
import { translateInto, zh } from '../../src/commands/text/catalogues.ts'
import { saidInChinese } from '../../src/shared/said/our-words.ts'

const translate = translateInto('zh')
const translated = new Set(
  [...Object.entries(zh), ...saidInChinese()].flatMap(([key, text]) => (key === text ? [] : [key])),
)

/** Two words of English or more. A path, an address and a part of a name are none. */
const words = /(?<![\w/.@:-])[A-Za-z][a-z']+(?: [A-Za-z]?[a-z']+)+(?![\w/@-])/g

/** A line to type, and a program, are English for everybody. */
const typed = /\/[a-z]+(?: [\w<>|[\]:.…"-]+)*|(?:hookgate|git) \w+/g
const inOneLine = (text: string): string => text.replaceAll(/(?:\\n|\s)+/g, ' ')

/** A shortened text can end within a word. */
const isPartOf = (theirs: string, some: string): boolean =>
  theirs.includes(some) ||
  theirs.includes(some.replace(/ \S+$/, '')) ||
  theirs.includes(some.replace(/^\S+ /, ''))

/** Finds our own words that a person who chose Chinese reads in English. */
export const watchForEnglish = () => {
  const theirs: string[] = []
  const names = new Set<string>()
  const found = new Set<string>()
  return {
    /** Tells the words that a person types. */
    typed: (paths: readonly string[]): void => {
      for (const name of paths.flatMap((path) => path.split(' '))) names.add(name)
    },
    /** Tells what others wrote. It stays as they wrote it. */
    theirs: (text: string): void => void theirs.push(text),
    /** Reads a text as it leaves. */
    look: (text: Prose): void => {
      for (const span of inLanguage(text, translate)) {
        const shown = 'fixed' in span ? span.fixed : span.quoted
        const isOurs = translated.has(shown) && /[a-z] ?[a-z]/.test(shown)
        const english = shown.replaceAll(typed, '').match(words) ?? []
        for (const some of isOurs ? [shown, ...english] : english) found.add(some)
      }
    },
    expectNone: (): void => {
      const all = inOneLine(theirs.join('\n'))
      const isNamed = (some: string): boolean => some.split(' ').every((word) => names.has(word))
      expect([...found].filter((some) => !isPartOf(all, some) && !isNamed(some))).toEqual([])
    },
  }
}
