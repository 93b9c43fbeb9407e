import { hasParts, type ProgramWord } from '../../../core/model/approval/approved.ts'
import path from 'node:path'
import type { SealedFile } from '../../../core/model/approval/canonical.ts'
import type { Inside } from '../inside.ts'
import { reachedFrom } from '../program-files.ts'

/** The names of the sealed files and folders in words. */
const sealedIn = (words: readonly ProgramWord[]): readonly string[] =>
  words
    .flatMap((word) => (hasParts(word) ? word.text : [word]))
    .flatMap((part) => (typeof part === 'string' ? [] : [part.sealed]))

/**
 * The names that links from a program's seal to the project must not have, because the program uses code of
 * these names by its own path. So a link leads to data, never to code of the program. Undefined when there
 * may be no links: nothing asks for its own path, or some part uses code by it that no name tells.
 */
export const namesOfCode = (
  words: readonly ProgramWord[],
  files: readonly (SealedFile & Inside)[],
): readonly string[] | undefined => {
  const names = new Set(sealedIn(words))
  const own = files.filter((file) => names.has(file.path))
  // A text that goes to a sealed folder can use code above it, and the project is not above files outside.
  if (own.length < names.size || own.some((file) => path.isAbsolute(file.path))) return undefined
  const reached = reachedFrom(own, files)
  if (reached.some(({ above }) => above === 'code')) return undefined
  if (!reached.some(({ above }) => above === 'data')) return undefined
  return [...new Set(reached.flatMap(({ code }) => code.beside.flatMap((name) => name.split('/'))))]
}
