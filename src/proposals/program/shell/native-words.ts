import type { ProgramWord } from '../../../core/model/approval/approved.ts'
import path from 'node:path'
import { split } from 'shlex'
import type { Entry } from '../../../core/model/hooks/entry.ts'
import { got } from '../../../core/model/gate/problem.ts'
import { sourceName } from '../../../core/model/approval/names.ts'
import { namedFile } from '../../../shared/gate/names.ts'
import { fail, type Outcome, type ProgramContext, type ProgramPlan } from '../program.ts'
import { findScript, noProgramText } from '../script.ts'
import { toolOf } from '../tool.ts'
import { findWatched, nothingWatched } from '../watched.ts'

const maxWords = 1000

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
  const first = words[0] ?? ''
  if (first === '') {
    return fail(
      'empty',
      `Expected "command" to name a program, got ${got(entry.command)}.`,
      'Write a path such as ./hooks/guard.sh.',
    )
  }
  if (first === '~' || first.startsWith('~/')) {
    return fail(
      'home',
      `Expected a path from the workspace, got "${first}".`,
      'Write the path relative to the workspace, or in full; "~" is not expanded.',
    )
  }
  return { words }
}

/**
 * The options for reading words. A foreign system's shell would look for all files in the hook's working
 * folder.
 */
export interface WordOptions {
  /**
   * The folders in which words that name files are looked for. The first folder is the one of the program and
   * its script.
   */
  readonly folders: readonly [string, ...string[]]
  /** True: named files that are not sealed are watched. False: they are only reported. */
  readonly isWatching: boolean
}

/** Replaces sealed files among the later words. Other named files are reported or watched. */
const replaceWords = (
  words: readonly string[],
  sources: readonly string[],
  workspace: string,
  { folders, isWatching }: WordOptions,
  textAt: ReadonlySet<number>,
) => {
  const unsealed: string[] = []
  const named: string[] = []
  const replaced = words.map((word, index): ProgramWord => {
    if (index === 0 || textAt.has(index)) return word
    const value = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word
    if (value === word && word.startsWith('-')) return word
    const file = folders.map((folder) => namedFile(folder, value)).find((found) => found !== undefined)
    if (file === undefined) return word
    const name = sourceName(workspace, file)
    if (value === word && sources.includes(name)) return { sealed: name }
    if (isWatching) named.push(value)
    else unsealed.push(`"${value}" is read at its own path; list it under "files" to seal it`)
    return word
  })
  return { replaced, unsealed, named }
}

/** The program of words that no shell reads. */
export const wordsProgram = (
  words: readonly string[],
  entry: Entry,
  listed: readonly string[],
  context: ProgramContext,
  reading: WordOptions,
): Outcome<ProgramPlan> => {
  const { workspace } = context
  const [home] = reading.folders
  const first = words[0] ?? ''
  if (words.length > maxWords) {
    return fail(
      'words',
      `Expected "command" and "args" to be at most ${maxWords} words, got ${words.length}.`,
      'Move them into a script.',
    )
  }
  const tool = toolOf(first, context.path)
  if (tool !== undefined && 'problem' in tool) return tool
  const script =
    tool === undefined
      ? { file: path.resolve(home, first), textAt: noProgramText, texts: [], unsealed: [], isShell: false }
      : findScript(words, home)
  if ('problem' in script) return script
  const name = script.file === undefined ? undefined : sourceName(workspace, script.file)
  const sources = [...new Set([...(name === undefined ? [] : [name]), ...listed])]
  const { replaced, unsealed, named } = replaceWords(words, sources, workspace, reading, script.textAt)
  const cwd = path.resolve(workspace, entry.cwd ?? '.')
  const seen =
    script.texts.length === 0 && named.length === 0
      ? nothingWatched
      : findWatched(
          { texts: script.texts, names: named, isShell: script.isShell },
          { ...context, cwd },
          entry.env,
        )
  if ('problem' in seen) return seen
  return {
    words: [tool === undefined ? { sealed: name ?? '' } : tool.found, ...replaced.slice(1)],
    sources,
    watched: seen.watched,
    absent: seen.absent,
    interpreter: tool?.real,
    unsealed: [...new Set([...seen.unsealed, ...script.unsealed, ...unsealed])],
    hookDir: name === undefined ? '.' : path.dirname(name),
  }
}

/**
 * Replaces the name of an example in Starchild's own folder by the name of the same example here, when no
 * such file exists in the workspace. Older workspaces have the examples in `examples`.
 */
const ourExample =
  (workspace: string) =>
  (word: string): string => {
    const name = /^(?:\.\/)?extensions\/shell_hooks\/examples\/([\w.-]+)$/.exec(word)?.[1]
    if (name === undefined || namedFile(workspace, word) !== undefined) return word
    const ours = [`./.hookgate-examples/${name}`, `./examples/${name}`]
    return ours.find((one) => namedFile(workspace, one) !== undefined) ?? word
  }

/**
 * The program of an entry without a shell. Its text is split into words as a shell would, but no shell runs
 * them.
 */
export const nativeProgram = (
  entry: Entry,
  listed: readonly string[],
  context: ProgramContext,
): Outcome<ProgramPlan> => {
  const split = wordsOf(entry)
  if ('problem' in split) return split
  const { workspace } = context
  const words = split.words.map(ourExample(workspace))
  const folders = [workspace, path.resolve(workspace, entry.cwd ?? '.')] as const
  return wordsProgram(words, entry, listed, context, { folders, isWatching: false })
}
