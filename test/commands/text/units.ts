import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync } from 'vite'
import { isObject } from '../../../src/core/model/base/json.ts'
import { shippedEntries } from '../../../src/compose/proposal-reader/gallery.ts'
import chinese from '../../../src/commands/text/zh.json' with { type: 'json' }
import said from '../../../src/shared/said/zh.json' with { type: 'json' }
import { keyOf } from '../../../src/core/model/chat/prose.ts'

const translationsIn = (
  sections: Readonly<Record<string, Readonly<Record<string, string>>>>,
): readonly (readonly [string, string])[] =>
  Object.values(sections)
    .flatMap((texts) => Object.entries(texts))
    .map(([key, text]) => [key.replaceAll(/\{(\d+)[!?~]\}/g, '{$1}'), text])

/** The translations of texts that travel as strings, so that they are found again in them. */
export const saidTranslations = translationsIn(said)
export const translations = [...translationsIn(chinese), ...saidTranslations]

/** One text of ours in the code: its key in the catalogues, and where it stands. */
export interface Unit {
  readonly key: string
  readonly at: string
}

type Node = Readonly<Record<string, unknown>>
const root = resolve(import.meta.dirname, '../../..')

const isNode = (value: unknown): value is Node => isObject(value) && typeof value['type'] === 'string'
const nodesOf = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : [])

/** The texts of a template literal between its values. */
const piecesOf = (template: Node): readonly string[] =>
  nodesOf(template['quasis']).map(({ value }) =>
    isObject(value) && typeof value['cooked'] === 'string' ? value['cooked'] : '',
  )

/** The literal strings that an expression may be. Undefined for one of another kind, such as a call. */
const literalsOf = (node: unknown): readonly string[] | undefined => {
  if (!isNode(node)) return undefined
  if (node['type'] === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : []
  if (node['type'] === 'TemplateLiteral')
    return nodesOf(node['expressions']).length === 0 ? piecesOf(node) : undefined
  if (node['type'] !== 'ConditionalExpression') return undefined
  const [yes, no] = [literalsOf(node['consequent']), literalsOf(node['alternate'])]
  return yes === undefined || no === undefined ? undefined : [...yes, ...no]
}

/** Words that a translation could change. Commands and addresses are not among them. */
const hasWords = (key: string): boolean =>
  /[A-Za-z]/.test(key.replaceAll(/\{\d+\}|→ \/[\w ]*|\/\w+|https?:\S+/g, ''))

/** The properties whose literals are texts of ours, by the beginning of the paths of their files. */
const tables: readonly { readonly under: string; readonly names: readonly string[] }[] = [
  { under: 'src/commands/', names: ['summary', 'label'] },
  { under: 'src/core/model/events/event.ts', names: ['when', 'onBlock', 'contextTo'] },
]

const unitsIn = (path: string, text: string): { units: readonly Unit[]; loose: readonly Unit[] } => {
  const units: Unit[] = []
  const loose: Unit[] = []
  const at = ({ start }: Node): string => `${path}:${text.slice(0, Number(start)).split('\n').length}`
  const add = (node: Node, key: string): void => {
    if (hasWords(key)) units.push({ key: key.trim(), at: at(node) })
  }
  const nameOf = (node: unknown): unknown => (isNode(node) ? node['name'] : undefined)
  const inTables = new Set(tables.flatMap(({ under, names }) => (path.startsWith(under) ? names : [])))
  const visit = (node: Node): void => {
    if (
      node['type'] === 'TaggedTemplateExpression' &&
      nameOf(node['tag']) === 'prose' &&
      isNode(node['quasi'])
    )
      add(node, keyOf(piecesOf(node['quasi'])))
    if (node['type'] === 'CallExpression') {
      const name = nameOf(node['callee'])
      const given = nodesOf(node['arguments'])
      const words = name === 'fixed' ? given[0] : name === 'heading' ? given[1] : undefined
      const literals = words === undefined ? [] : literalsOf(words)
      for (const literal of literals ?? []) add(node, literal)
      if (literals === undefined && words !== undefined)
        loose.push({ key: text.slice(Number(words['start']), Number(words['end'])), at: at(node) })
    }
    if (node['type'] === 'Property' && inTables.has(String(nameOf(node['key']))))
      for (const literal of literalsOf(node['value']) ?? []) add(node, literal)
    for (const value of Object.values(node)) {
      if (isNode(value)) visit(value)
      else for (const child of nodesOf(value)) visit(child)
    }
  }
  visit(parseSync(path, text).program as unknown as Node)
  return { units, loose }
}

/** The names and the descriptions of the hooks that hookgate ships. */
const shippedUnits = (): readonly Unit[] =>
  shippedEntries().flatMap(({ name, description, origin }) =>
    [name, description].flatMap((key) => (key === undefined ? [] : [{ key, at: origin }])),
  )

/**
 * The texts of ours that people read in a chat. `loose`: what `fixed` is given that is no literal, so that
 * nobody can translate it.
 */
export const findUnits = (): { readonly units: readonly Unit[]; readonly loose: readonly Unit[] } => {
  const found = ['src', 'bots']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name}`,
      ),
    )
    .filter((path) => path.endsWith('.ts') && !path.includes('/node_modules/'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter(
      ({ path, text }) =>
        /prose`|\bfixed\(|\bheading\(/.test(text) || tables.some(({ under }) => path.startsWith(under)),
    )
    .map(({ path, text }) => unitsIn(path, text))
  return {
    units: [...found.flatMap(({ units }) => units), ...shippedUnits()],
    loose: found.flatMap(({ loose }) => loose),
  }
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(findUnits(), null, 1)}\n`)
