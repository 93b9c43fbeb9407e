import { isDeepStrictEqual } from 'node:util'
import { isMap, isNode, isScalar, isSeq, parseDocument, stringify, type Document } from 'yaml'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { formatProblem } from '../../shared/base/problem.ts'
import type { EventPorts } from '../entry/entry-check.ts'
import { shellHooksFile } from './systems.ts'
import { readShellHooks } from './shell-hooks.ts'
import { readYaml, yamlOptions } from './yaml.ts'

/** The new text of a file, or the reason why it stays as it is. */
export type Edited = { readonly text: string } | { readonly why: string }

/**
 * Inserts the hook as text after the last one, so that every other line stays as its author wrote it.
 * Undefined: the list is empty, or is not written with one dash for each hook.
 */
const inserted = (text: string, hook: JsonObject): string | undefined => {
  const list = parseDocument(text, yamlOptions).get('hooks', true)
  const last: unknown = isSeq(list) ? list.items.at(-1) : undefined
  if (!isNode(last) || !last.range) return undefined
  const [start, end] = last.range
  const indent = /^( *)- +$/.exec(text.slice(text.lastIndexOf('\n', start - 1) + 1, start))?.[1]
  if (indent === undefined) return undefined
  const lineEnd = text.indexOf('\n', text[end - 1] === '\n' ? end - 1 : end)
  const at = lineEnd === -1 ? text.length : lineEnd
  const item = stringify([hook], { lineWidth: 0 }).trimEnd().replaceAll(/^/gm, indent)
  return `${text.slice(0, at)}\n${item}${text.slice(at) || '\n'}`
}

/** Writes the whole file anew. Its comments stay, and may stand at another indentation. */
const rewritten = (text: string, hook: JsonObject): string | undefined => {
  const document: Document = parseDocument(text, yamlOptions)
  if (document.contents === null) document.contents = document.createNode({})
  if (!isMap(document.contents)) return undefined
  const found = document.get('hooks', true)
  if (found === undefined || (isScalar(found) && found.value === null))
    document.set('hooks', document.createNode([]))
  const list = document.get('hooks', true)
  if (!isSeq(list)) return undefined
  // An empty list is written as [], and what is added to it would stand on that line.
  if (list.items.length === 0) list.flow = false
  list.add(document.createNode(hook))
  return document.toString({ lineWidth: 0 })
}

/** True when the new text says what the old one says, with this one hook behind the others. */
const addsOnly = (
  before: JsonObject,
  edited: string,
  hook: JsonObject,
  read: (text: string) => Json,
): boolean => isDeepStrictEqual(read(edited), { ...before, hooks: [...(listOf(before) ?? []), hook] })

const listOf = ({ hooks }: JsonObject): readonly Json[] | undefined =>
  Array.isArray(hooks) ? hooks : undefined

/**
 * Adds one proposal to the text of `shell_hooks.yaml` and changes nothing else of it. The result is read
 * again as the gate reads it, and an entry that would be invalid is not added. An agent writes both the text
 * and the hook, so only a thread that can be killed may call this function.
 */
export const withHook = (text: string, hook: JsonObject, ports: EventPorts): Edited => {
  const { problem, proposed: before } = readShellHooks(text, shellHooksFile, ports)
  if (problem !== undefined) return { why: formatProblem(problem) }
  const rootOf = (from: string): Json => {
    const document = readYaml(from, { file: shellHooksFile, maxChars: Number.POSITIVE_INFINITY })
    return 'problem' in document ? null : document.root
  }
  const root = rootOf(text) ?? {}
  if (!isObject(root)) return { why: `${shellHooksFile} has no "hooks". Correct it.` }
  if (listOf(root)?.some((one) => isDeepStrictEqual(one, hook)))
    return { why: `${shellHooksFile} proposes this hook already.` }
  const edited = [inserted, rewritten]
    .map((edit) => edit(text, hook))
    .find((one) => one !== undefined && addsOnly(root, one, hook, rootOf))
  if (edited === undefined)
    return { why: `The list in ${shellHooksFile} takes no further hook from here. Add it by hand.` }
  const { proposed, problem: broken } = readShellHooks(edited, shellHooksFile, ports)
  if (broken !== undefined) return { why: formatProblem(broken) }
  const added = proposed[listOf(root)?.length ?? 0]
  if (added?.kind === 'entry' && proposed.length === before.length + 1) return { text: edited }
  return {
    why: added?.kind === 'invalid' ? formatProblem(added.problem) : 'This is no hook. Correct it.',
  }
}
