import fs from 'node:fs'
import path from 'node:path'
import { ProblemError } from '../model/gate/problem.ts'
import { stopSearchAbove } from './seal/seal.ts'
import { makeFolder, unwritable } from '../model/disk/durable.ts'

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
