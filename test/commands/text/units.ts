import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync } from 'vite'
import { isObject } from '../../../src/core/model/base/json.ts'
import { keyOf } from '../../../src/core/model/chat/prose.ts'

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
  { under: 'src/commands/table.ts', names: ['description'] },
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

/**
 * The texts of ours that people read in a chat. `loose`: what `fixed` is given that is no literal, so that
 * nobody can translate it.
 */
export const findUnits = (): { readonly units: readonly Unit[]; readonly loose: readonly Unit[] } => {
  const found = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ path: `src/${name}`, text: readFileSync(join(root, 'src', name), 'utf8') }))
    .filter(
      ({ path, text }) =>
        /prose`|\bfixed\(|\bheading\(/.test(text) || tables.some(({ under }) => path.startsWith(under)),
    )
    .map(({ path, text }) => unitsIn(path, text))
  return {
    units: found.flatMap(({ units }) => units),
    loose: found.flatMap(({ loose }) => loose),
  }
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(findUnits(), null, 1)}\n`)
