import fs from 'node:fs'
import path from 'node:path'
import { split } from 'shlex'
import type { Entry } from '../model/entry.ts'
import { got, type Problem } from '../model/problem.ts'
import { findScript, namedFile, noShellText } from './script.ts'

/** One word of a hook's argv; a sealed word stands for the seal's copy of that file. */
export type Word = string | { readonly sealed: string }

/** What an entry's command runs, before anything of it is read. */
export interface Program {
  readonly words: readonly Word[]
  /** Files to seal, each relative to the workspace, or absolute outside it. */
  readonly sources: readonly string[]
  /** The real path of a program that was found on the fixed PATH. It is pinned, never sealed or hashed. */
  readonly interpreter?: string
  /** Sentences for the person: what this hook may read that is not sealed. */
  readonly unsealed: readonly string[]
  /** The folder that the program came from, relative to the workspace, or absolute outside it. */
  readonly hookDir: string
}

export interface Places {
  readonly workspace: string
  /** The fixed PATH of hooks. */
  readonly path: string
}

type Outcome<T> = T | { readonly problem: Problem }

const maxWords = 1000

const fail = (code: string, message: string, fix: string): { readonly problem: Problem } => ({
  problem: { code: `program.${code}`, message, fix },
})

const wordsOf = (entry: Entry): Outcome<{ readonly words: readonly string[] }> => {
  let words: readonly string[]
  try {
    words = [...split(entry.command), ...entry.args]
  } catch {
    return fail(
      'quotes',
      `Expected "command" to have its quotes closed, got ${got(entry.command)}.`,
      'Close the quote or escape it with a backslash.',
    )
  }
  if (words.some((word) => word.includes('\0'))) {
    return fail('nul', 'Expected "command" and "args" to be plain text, got a NUL character.', 'Remove it.')
  }
  if (words.length > maxWords) {
    return fail('words', `Expected "command" and "args" to be at most ${maxWords} words, got ${words.length}.`, 'Move them into a script.')
  }
  if ((words[0] ?? '') === '') {
    return fail('empty', `Expected "command" to name a program, got ${got(entry.command)}.`, 'Write a path such as ./hooks/guard.sh.')
  }
  return { words }
}

/** A file's name in approvals: relative inside the workspace, absolute outside. */
export const sourceName = (workspace: string, file: string): string => {
  const relative = path.relative(workspace, file)
  if (relative === '') return '.'
  return relative === '..' || relative.startsWith(`..${path.sep}`) ? file : relative
}

interface Tool {
  readonly found: string
  readonly real: string
}

/** Where the first of the folders that has it has a program. */
export const findOnPath = (name: string, folders: readonly string[]): Tool | undefined => {
  for (const folder of folders) {
    const found = path.join(folder, name)
    try {
      fs.accessSync(found, fs.constants.X_OK)
      if (fs.statSync(found).isFile()) return { found, real: fs.realpathSync.native(found) }
    } catch {
      // Not here, or not to be executed: the next folder may have it.
    }
  }
  return undefined
}

/** A bare word, or a full path into a folder of the PATH: an interpreter or tool of the system. */
const toolOf = (first: string, places: Places): Outcome<Tool> | undefined => {
  const folders = places.path.split(path.delimiter).filter((folder) => path.isAbsolute(folder))
  if (first.includes('/')) {
    const folder = path.dirname(path.normalize(first))
    return folders.includes(folder) ? findOnPath(path.basename(first), [folder]) : undefined
  }
  return (
    findOnPath(first, folders) ??
    fail(
      'missing',
      `Expected "${first}" to be a program on the hooks' PATH (${places.path}), got nothing there.`,
      `Install it, or write ./${first} for a file in the workspace.`,
    )
  )
}

const homeFix = 'Write the path relative to the workspace, or in full; "~" is not expanded.'

/** Later words that name files: sealed ones are replaced, others are marked. */
const placeWords = (
  words: readonly string[],
  sources: readonly string[],
  folders: { readonly workspace: string; readonly cwd: string },
  textAt: ReadonlySet<number>,
): { readonly placed: readonly Word[]; readonly unsealed: readonly string[] } => {
  const { workspace, cwd } = folders
  const unsealed: string[] = []
  const placed = words.map((word, index): Word => {
    if (index === 0 || textAt.has(index)) return word
    const value = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word
    if (value === word && word.startsWith('-')) return word
    const file = namedFile(workspace, value) ?? namedFile(cwd, value)
    if (file === undefined) return word
    const name = sourceName(workspace, file)
    if (value === word && sources.includes(name)) return { sealed: name }
    unsealed.push(`"${value}" is read from where it lies; what a hook reads is sealed only if "files" lists it`)
    return word
  })
  return { placed, unsealed }
}

/** Finds what `entry` would run. Nothing is read but names; the words are split as a shell would, but no shell runs them. */
export const resolveProgram = (entry: Entry, places: Places): Outcome<Program> => {
  const split = wordsOf(entry)
  if ('problem' in split) return split
  const { words } = split
  const first = words[0] ?? ''
  const tilde = [first, ...entry.files].find((word) => word === '~' || word.startsWith('~/'))
  if (tilde !== undefined) return fail('home', `Expected a path from the workspace, got "${tilde}".`, homeFix)
  const nul = entry.files.find((file) => file === '' || file.includes('\0'))
  if (nul !== undefined) return fail('files', `Expected every word of "files" to be a path, got ${JSON.stringify(nul)}.`, 'Remove it.')
  const tool = toolOf(first, places)
  if (tool !== undefined && 'problem' in tool) return tool
  const { workspace } = places
  const folders = { workspace, cwd: path.resolve(workspace, entry.cwd ?? '.') }
  const extra = entry.files.map((file) => sourceName(workspace, path.resolve(workspace, file)))

  if (tool === undefined) {
    const program = sourceName(workspace, path.resolve(workspace, first))
    const sources = [...new Set([program, ...extra])]
    const { placed, unsealed } = placeWords(words, sources, folders, noShellText)
    return { words: [{ sealed: program }, ...placed.slice(1)], sources, unsealed, hookDir: path.dirname(program) }
  }
  const script = findScript(words, workspace)
  if ('problem' in script) return script
  const name = script.file === undefined ? undefined : sourceName(workspace, script.file)
  const sources = [...new Set([...(name === undefined ? [] : [name]), ...extra])]
  const { placed, unsealed } = placeWords(words, sources, folders, script.textAt)
  return {
    words: [tool.found, ...placed.slice(1)],
    sources,
    interpreter: tool.real,
    unsealed: [...new Set([...script.unsealed, ...unsealed])],
    hookDir: name === undefined ? '.' : path.dirname(name),
  }
}
