import fs from 'node:fs'
import path from 'node:path'
import type { Problem } from '../model/problem.ts'

export interface Script {
  /** The script's full path; absent when no word names a file. */
  readonly file?: string
  /** Places in argv that hold program text, not names. */
  readonly textAt: ReadonlySet<number>
  readonly unsealed: readonly string[]
}

export const noShellText: ReadonlySet<number> = new Set()

const shellText = 'files named inside shell text are not sealed'

/** `-c`, also among other one-letter flags (`bash -lc`): the next word is text. */
const isTextFlag = (word: string): boolean => /^-[a-z]{0,3}c[a-z]{0,3}$/.test(word) || word === '--command'
/** `-e`: text for node, perl and ruby, but a plain flag before the script's name for a shell. */
const isEvalFlag = (word: string): boolean => /^-[a-z]{0,3}[eEp]$/.test(word) || word === '--eval' || word === '--print'
/** Programs whose first plain word is the script that they run. */
const runsScripts = (program: string): boolean =>
  /^(?:(?:ba|da|z|k|fi)?sh|python[\d.]*|node|nodejs|deno|bun|tsx|ruby[\d.]*|perl[\d.]*|php[\d.]*|lua[\d.]*)$/.test(program)

/**
 * The full path of what `word` names, relative to `folder`; undefined when nothing or a directory is there, and for
 * the system's own streams (`/dev/stdin`). Links are not followed.
 */
export const namedFile = (folder: string, word: string): string | undefined => {
  if (word === '') return undefined
  const file = path.resolve(folder, word)
  if (/^\/(?:dev|proc)\//.test(file)) return undefined
  try {
    return fs.lstatSync(file).isDirectory() ? undefined : file
  } catch {
    // Nothing there, or no name that could be: program text can be longer than any path.
    return undefined
  }
}

const missing = (words: readonly string[]): { readonly problem: Problem } => ({
  problem: {
    code: 'program.script',
    message: `Expected a word of ${JSON.stringify(words.join(' '))} to name a script, got none that exists.`,
    fix: 'Create the script or correct its path; it is relative to the workspace.',
  },
})

/** The script that an interpreter is given: the first word after it that names a file. */
export const findScript = (words: readonly string[], workspace: string): Script | { readonly problem: Problem } => {
  const textAt = new Set<number>()
  const unsealed: string[] = []
  const program = path.basename(words[0] ?? '')
  let hasPlainWord = false
  for (let index = 1; index < words.length; index++) {
    const word = words[index] ?? ''
    const next = words[index + 1]
    if (isTextFlag(word) || (isEvalFlag(word) && next !== undefined && namedFile(workspace, next) === undefined)) {
      textAt.add(++index)
      unsealed.push(shellText)
    } else if (word === '-m' && program.startsWith('python')) {
      textAt.add(++index)
      unsealed.push(`the module "${next ?? ''}" is not sealed`)
    } else if (!word.startsWith('-')) {
      const file = namedFile(workspace, word)
      if (file !== undefined) return { file, textAt, unsealed }
      hasPlainWord = true
    }
  }
  if (unsealed.length > 0 || words.length === 1) return { textAt, unsealed }
  if (hasPlainWord && runsScripts(program)) return missing(words)
  return { textAt, unsealed: ['no file of this command is sealed: none of its words names one'] }
}
