import fs from 'node:fs'
import path from 'node:path'
import { ProblemError, type Problem } from '../model/gate/problem.ts'
import { stopSearchAbove } from './seal/seal.ts'

export const unwritable = (home: string, error: unknown): Problem => ({
  code: 'home.unwritable',
  message: `Expected "${home}" to be a folder that hookgate can write, got an error (${error instanceof Error && 'code' in error ? String(error.code) : String(error)}).`,
  fix: "Give hookgate's user the right to write it, or choose another folder with HOOKGATE_HOME.",
})

/** Creates a folder unless it exists. A new folder gets exactly this mode, whatever the umask is. */
export const makeFolder = (folder: string, mode: number): void => {
  if (fs.mkdirSync(folder, { recursive: true, mode }) !== undefined) fs.chmodSync(folder, mode)
}

/** The folder's real path, so that files below it are never sealed through a link. */
export const realFolder = (folder: string): string => {
  try {
    return fs.realpathSync.native(folder)
  } catch {
    return path.resolve(folder)
  }
}

/** Prepares the gate's folder. Throws a ProblemError when it cannot be written. */
export const prepareHome = (named: string): { readonly home: string; readonly seals: string } => {
  makeHome(named)
  const home = realFolder(named)
  return { home, seals: path.join(home, 'seal') }
}

const makeHome = (home: string): void => {
  const seals = path.join(home, 'seal')
  const secrets = path.join(home, 'secrets')
  try {
    makeFolder(home, 0o755)
    makeFolder(secrets, 0o700)
    fs.chmodSync(secrets, 0o700)
    makeFolder(seals, 0o755)
    for (const folder of [home, secrets, seals]) fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK)
    stopSearchAbove(seals)
  } catch (error) {
    throw new ProblemError(unwritable(home, error))
  }
}
