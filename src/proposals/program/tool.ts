import fs from 'node:fs'
import path from 'node:path'
import { fail, lacking, type Outcome } from './program.ts'

/** A program of the system: the path at which it was found, and its real path. */
export interface Tool {
  readonly found: string
  readonly real: string
}

/** The program at a path. Undefined: there is none, or it is not executable. */
export const toolAt = (found: string): Tool | undefined => {
  try {
    fs.accessSync(found, fs.constants.X_OK)
    return fs.statSync(found).isFile() ? { found, real: fs.realpathSync.native(found) } : undefined
  } catch {
    return undefined
  }
}

/** The program in the first of the folders that has it. */
export const findOnPath = (name: string, folders: readonly string[]): Tool | undefined => {
  for (const folder of folders) {
    const tool = toolAt(path.join(folder, name))
    if (tool !== undefined) return tool
  }
  return undefined
}

export const foldersOf = (searched: string): readonly string[] =>
  searched.split(path.delimiter).filter((folder) => path.isAbsolute(folder))

/**
 * The program of the system that a bare word or a full path into a folder of the PATH names. Undefined for
 * any other path.
 */
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
