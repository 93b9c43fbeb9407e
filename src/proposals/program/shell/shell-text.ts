import type { WithProblem } from '../../../core/model/gate/problem.ts'
import path from 'node:path'
import type { Shell } from '../../../core/model/hooks/dialect.ts'
import type { Entry } from '../../../core/model/hooks/entry.ts'
import { wordsProgram } from './native-words.ts'
import { fail, lacking, type Outcome, type ProgramContext, type ProgramPlan } from '../program.ts'
import { isSelfRunning } from '../runnable.ts'
import type { createFolderFiles } from '../belonging.ts'
import { sealText } from '../../sealed-text.ts'
import { findOnPath, foldersOf } from '../tool.ts'
import { findWatched } from '../watched.ts'

const blanks = /^[ \t\n]+|[ \t\n]+$/g
const plainWords = /^[A-Za-z0-9_@%+=:,./-]+(?: [A-Za-z0-9_@%+=:,./-]+)*$/
const assignment = /^[A-Za-z_][A-Za-z0-9_]*\+?=/

/**
 * The words of a text that needs no shell. Run as words, the program can be sealed and sees no difference. A
 * path that does not exist counts too: it is refused, while a shell would run a file that appears there
 * later.
 */
const wordsWithout = (text: string, args: readonly string[], cwd: string): readonly string[] | undefined => {
  // Further arguments become parameters of the shell, which such a text does not pass on.
  if (args.length > 0 || !plainWords.test(text)) return undefined
  const words = text.split(' ')
  const first = words[0] ?? ''
  if (!first.includes('/') || assignment.test(first)) return undefined
  return isSelfRunning(path.resolve(cwd, first)) ? words : undefined
}

const homePath = /^(?:~|"?\$HOME"?|"?\$\{HOME\}"?)\//

const homeProblem = (text: string): WithProblem =>
  fail(
    'home',
    `Expected ${JSON.stringify(text.split(/\s/, 1)[0])} to be a file in the home of the person who started hookgate, got nothing there.`,
    'Correct the path, or copy the program into the workspace.',
  )

type ReadFolder = ReturnType<typeof createFolderFiles>

/** The program of an entry whose command is text for a shell, as in other hook systems. */
export const shellProgram = (
  entry: Entry,
  shell: Shell,
  listed: readonly string[],
  context: ProgramContext,
  folderFiles: ReadFolder,
): Outcome<ProgramPlan> => {
  const { command, args, env } = entry
  if ([command, ...args].some((word) => word.includes('\0'))) {
    return fail('nul', 'Expected "command" and "args" to be plain text, got a NUL character.', 'Remove it.')
  }
  const text = command.replace(blanks, '')
  if (text === '')
    return fail('empty', 'Expected "command" to be text for a shell, got nothing.', 'Write a command.')
  const cwd = path.resolve(context.workspace, entry.cwd ?? '.')
  const words = wordsWithout(text, args, cwd)
  if (words !== undefined)
    return wordsProgram(words, entry, listed, context, { folders: [cwd], isWatching: true })
  const found = (name: Shell) => findOnPath(name, foldersOf(context.path))
  // Most texts for bash work in any shell. The card shows which shell reads the text.
  const under: Shell = shell === 'bash' && found('bash') === undefined ? 'sh' : shell
  const tool = found(under)
  if (tool === undefined) {
    const message = `Expected "${shell}" to be a program on the hooks' PATH, got nothing there.`
    return lacking(shell, fail('missing', message, 'Install it.'))
  }
  const sealed = sealText(entry, listed, { ...context, cwd, folderFiles })
  const { rest, named, sources } = sealed
  if (homePath.test(rest.trim())) return homeProblem(text)
  const seen = findWatched(
    { texts: [rest], names: args, isShell: true, named, hasSealed: rest !== command },
    { ...context, cwd },
    env,
  )
  if ('problem' in seen) return seen
  return {
    ...seen,
    // The word after the text is the shell's name for itself.
    words: [tool.found, '-c', sealed.text, ...(args.length === 0 ? [] : [under, ...args])],
    sources: [...new Set([...sources, ...listed])],
    folders: sealed.folders,
    unsealed: [...seen.unsealed, ...sealed.unsealed],
    under,
    interpreter: tool.real,
    hookDir: path.dirname(entry.origin),
  }
}
