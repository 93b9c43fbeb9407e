import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../../core/model/gate/problem.ts'

/** True when the folder is there now. False when the one above it is missing. Throws in all other cases. */
const isMade = (path: string, mode: number): boolean => {
  try {
    mkdirSync(path, { mode })
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return true
    throw error
  }
}

/**
 * Makes a folder and those above it, unless they exist. Node's own recursive way never returns where a folder
 * on the way was deleted while a program still uses it (Node 24.21), and an agent can bring that about.
 */
export const ensureFolder = (path: string, mode = 0o777): void => {
  if (isMade(path, mode)) return
  const above = dirname(path)
  if (above !== path) ensureFolder(above, mode)
  // Another program may have made it meanwhile.
  if (!isMade(path, mode)) throw new Error(`Expected ${path} to be a folder that can be made, got none.`)
}
