import { expect, test } from 'vitest'

type Table = Readonly<Record<string, unknown>>

/** The scripts of the page are JavaScript, so they are loaded by their address. */
const load = async (name: 'en' | 'zh'): Promise<Table> => {
  const url = new URL(`../../../bots/web/page/language/${name}.js`, import.meta.url)
  const module = (await import(url.href)) as Readonly<Record<string, Table>>
  return module[name] ?? {}
}
const [en, zh] = await Promise.all([load('en'), load('zh')])

/** The path and the kind of each text of a table. */
const shapeOf = (table: Table, path = ''): readonly string[] =>
  Object.entries(table).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null
      ? shapeOf(value as Table, `${path}${key}.`)
      : [`${path}${key}: ${typeof value}${typeof value === 'function' ? ` of ${value.length}` : ''}`],
  )
/** Each text as it reads with sample values. */
const textsOf = (table: Table): readonly string[] =>
  Object.values(table).flatMap((value) => {
    if (typeof value === 'string') return [value]
    if (typeof value === 'function') return [String((value as (...values: unknown[]) => unknown)('A1', 'B2'))]
    return textsOf(value as Table)
  })

test('both languages have the same texts, with the same values', () => {
  expect(shapeOf(zh)).toEqual(shapeOf(en))
})

test('no text is empty, and a text of one language does not stand in the other by mistake', () => {
  for (const table of [en, zh]) expect(textsOf(table).filter((text) => text.trim() === '')).toEqual([])
  expect(textsOf(en).filter((text) => /\p{sc=Han}/u.test(text))).toEqual([])
  const isName = /^(?:hookgate|B2|Enter|A1 B2|A1 · SHA-256 B2|hookgate )$/
  expect(textsOf(zh).filter((text) => !/\p{sc=Han}/u.test(text) && !isName.test(text))).toEqual([])
})

test('a text keeps each of its values', () => {
  const placesOf = (table: Table): readonly string[] =>
    textsOf(table).map((text) => ['A1', 'B2'].filter((value) => text.includes(value)).join())
  expect(placesOf(zh)).toEqual(placesOf(en))
})
