import fs from 'node:fs'
import path from 'path'
import { isSystemStream, pathInSeal } from '../../core/model/approval/names.ts'
import type { SealedFile } from '../../core/model/approval/canonical.ts'

/**
 * The full path of the file that `word` names, relative to `folder`. Undefined for a directory, for a missing
 * file and for the system's streams. Links are not followed.
 */
export const namedFile = (folder: string, word: string): string | undefined => {
  if (word === '') return undefined
  const file = path.resolve(folder, word)
  if (isSystemStream(file)) return undefined
  try {
    return fs.lstatSync(file).isDirectory() ? undefined : file
  } catch {
    // Nothing is there, or the text is longer than any path.
    return undefined
  }
}

/** True when a file lies in `folder`, after the links in the folders of both paths are resolved. */
export const leadsInto = (folder: string, file: string): boolean => {
  try {
    const way = path.relative(fs.realpathSync(folder), fs.realpathSync(path.dirname(file)))
    return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
  } catch {
    // Nothing is there.
    return false
  }
}

/**
 * True when two files would have the same path in a seal, because of a workspace folder named `_outside`.
 * Then they cannot both be sealed.
 */
export const hasClash = (names: readonly string[]): boolean =>
  new Set(names.map(pathInSeal)).size !== names.length
/** What an approval binds of a file. */
export const boundOf = ({ path, sha256, bytes, isExecutable }: SealedFile): SealedFile => ({
  path,
  sha256,
  bytes,
  isExecutable,
})
