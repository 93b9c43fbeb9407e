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

let said: ReadonlyMap<string, string> | undefined
/** What travels as plain English. Its catalogue is large, so it is made for the first text that needs it. */
const saidOf = (key: string): string | undefined => (said ??= new Map(saidInChinese())).get(key)

const catalogues: Readonly<Record<Language, (key: string) => string | undefined>> = {
  en: () => undefined,
  zh: (key) => (Object.hasOwn(zh, key) ? zh[key] : saidOf(key)),
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
export const translateInto =
  (language: Language): Translate =>
  (key) =>
    catalogues[language](key) ?? marks[language][key]
