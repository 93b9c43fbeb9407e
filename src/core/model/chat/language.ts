/** The languages of our own words. */
export const LANGUAGES = ['en', 'zh'] as const
export type Language = (typeof LANGUAGES)[number]

/** The language for a tag such as `zh-hans` of BCP 47. Undefined when hookgate does not speak it. */
export const languageOf = (tag: string | undefined): Language | undefined => {
  const [first] = (tag ?? '').toLowerCase().split(/[-_]/)
  return LANGUAGES.find((language) => language === first)
}
