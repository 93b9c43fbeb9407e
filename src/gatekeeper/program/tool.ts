import fs from 'node:fs'
import path from 'node:path'
import { fail, lacking, type Outcome } from './program.ts'

/** A program of the system: where it was found, and what that leads to. */
export interface Tool {
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

export const foldersOf = (searched: string): readonly string[] =>
  searched.split(path.delimiter).filter((folder) => path.isAbsolute(folder))

/** A bare word, or a full path into a folder of the PATH: an interpreter or tool of the system. */
export const toolOf = (first: string, searched: string): Outcome<Tool> | undefined => {
  const folders = foldersOf(searched)
  if (first.includes('/')) {
    const folder = path.dirname(path.normalize(first))
    return folders.includes(folder) ? findOnPath(path.basename(first), [folder]) : undefined
  }
  return (
    findOnPath(first, folders) ??
    lacking(
      first,
      fail(
        'missing',
        `Expected "${first}" to be a program on the hooks' PATH, got nothing there.`,
        `Install it, or write ./${first} for a file in the workspace.`,
      ),
    )
  )
}
