import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

interface Listed {
  readonly groups: Readonly<Record<string, readonly string[]>>
  /** Methods that carry what others wrote, or a picture. */
  readonly indirect: Readonly<Record<string, string>>
  readonly methods: Readonly<
    Record<string, Readonly<Record<'text' | 'url' | 'meta' | 'groups', readonly string[]>>>
  >
}

/** The list of every field of the Bot API that bears text, as it was drawn up from the types. */
export const listed = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../fixtures/tg-text-fields.json'), 'utf8'),
) as Listed

/** Every method with every path of its own; what the list says in prose beside them is left out. */
export const textFields: readonly (readonly [string, string])[] = Object.entries(listed.methods).flatMap(
  ([name, { text, url, meta, groups }]) => {
    const ofGroups = groups
      .flatMap((group) => listed.groups[group] ?? [])
      .map((path) => path.replace('…', 'reply_markup.inline_keyboard[][]'))
    return [...text, ...url, ...meta, ...ofGroups]
      .filter((path) => /^[\w.[\]]+$/.test(path))
      .map((path) => [name, path] as const)
  },
)

/** `a[].b` as `{a: [{b: value}]}`. */
export const nest = (path: string, value: unknown): unknown => {
  const [, key = '', lists = '', rest = ''] = /^(\w+)((?:\[\])*)\.?(.*)$/.exec(path) ?? []
  let inner: unknown = rest === '' ? value : nest(rest, value)
  for (let depth = 0; depth < lists.length / 2; depth++) inner = [inner]
  return { [key]: inner }
}
