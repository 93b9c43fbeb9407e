import path from 'node:path'
import { namedFile } from '../../shared/gate/names.ts'
import { fail, type Outcome } from './program.ts'

export interface Script {
  /** The script's full path. Absent when no word names a file. */
  readonly file?: string
  /** The indexes in argv that hold program text or a module's name, not names of files. */
  readonly textAt: ReadonlySet<number>
  /** The program texts among the words, as in `sh -c "…"`. */
  readonly texts: readonly string[]
  /** True when the texts are for a shell. */
  readonly isShell: boolean
  readonly unsealed: readonly string[]
}

export const noProgramText: ReadonlySet<number> = new Set()

/** `-c`, alone or with other one-letter flags (`bash -lc`): the next word is text. */
const isTextFlag = (word: string): boolean => /^-[a-z]{0,3}c[a-z]{0,3}$/.test(word) || word === '--command'
/** `-e`: text for node, perl and ruby, but a plain flag before the script's name for a shell. */
const isEvalFlag = (word: string): boolean =>
  /^-[a-z]{0,3}[eEp]$/.test(word) || word === '--eval' || word === '--print'

export const isShellName = (program: string): boolean => /^(?:ba|da|z|k|fi)?sh$/.test(program)
/** True for programs whose first word that is not an option is the script that they run. */
export const runsScripts = (program: string): boolean =>
  isShellName(program) ||
  /^(?:python[\d.]*|node|nodejs|deno|bun|tsx|ruby[\d.]*|perl[\d.]*|php[\d.]*|lua[\d.]*)$/.test(program)

/** Finds the script of an interpreter: the first later word that names a file in `folder`. */
export const findScript = (words: readonly string[], folder: string): Outcome<Script> => {
  const textAt = new Set<number>()
  const texts: string[] = []
  const unsealed: string[] = []
  const program = path.basename(words[0] ?? '')
  const found = { textAt, texts, unsealed, isShell: isShellName(program) }
  let hasPlainWord = false
  for (let index = 1; index < words.length; index++) {
    const word = words[index] ?? ''
    const next = words[index + 1]
    if (
      isTextFlag(word) ||
      (isEvalFlag(word) && next !== undefined && namedFile(folder, next) === undefined)
    ) {
      textAt.add(++index)
      texts.push(next ?? '')
    } else if (word === '-m' && program.startsWith('python')) {
      textAt.add(++index)
      unsealed.push(`the module "${next ?? ''}" is not sealed`)
    } else if (!word.startsWith('-')) {
      const file = namedFile(folder, word)
      if (file !== undefined) return { ...found, file }
      hasPlainWord = true
    }
  }
  if (textAt.size > 0 || words.length === 1) return found
  if (hasPlainWord && runsScripts(program)) {
    const message = `Expected a word of ${JSON.stringify(words.join(' '))} to name a script, got none that exists.`
    return fail('script', message, 'Create the script or correct its path; it is relative to the workspace.')
  }
  return { ...found, unsealed: ['no file of this command is sealed, because none of its words names a file'] }
}
