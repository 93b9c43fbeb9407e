import type { Language } from '../../core/model/chat/language.ts'
import type { Translate } from '../../core/model/chat/prose.ts'
import { saidInChinese } from '../../shared/said/our-words.ts'
import chinese from './zh.json' with { type: 'json' }

/** A translation of each English text. {0} is the place of the first value. */
type Catalogue = Readonly<Record<string, string>>

/** Simplified Chinese. The file has the texts by what they are about. */
export const zh: Catalogue = Object.fromEntries(
  Object.values<Catalogue>(chinese).flatMap((texts) => Object.entries(texts)),
)

const catalogues: Readonly<Record<Language, ReadonlyMap<string, string>>> = {
  en: new Map(),
  zh: new Map([...saidInChinese, ...Object.entries(zh)]),
}

/** Texts of ours that have no word, and differ in their marks only. */
const marks: Readonly<Record<Language, Catalogue>> = {
  en: {},
  zh: {
    '{0}.': '{0}。',
    '{0}, {1}': '{0}、{1}',
    '{0}. {1}': '{0}。{1}',
    '{0}{1}{2} {3}': '{0}{1}{2}{3}',
  },
}

/** The translation into a language. A text that its catalogue lacks stays English. */
export const translateInto = (language: Language): Translate => {
  const catalogue = catalogues[language]
  return (key) => catalogue.get(key) ?? marks[language][key]
}
