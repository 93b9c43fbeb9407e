import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

const maxBytes = 1_000_000

/** A settings file as it was read. `path` is the target when the file is a link. */
export interface SettingsFile {
  readonly path: string
  /** Absent: the file does not exist. */
  readonly text?: string
  readonly mode?: number
  readonly uid?: number
  readonly gid?: number
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/**
 * Reads a settings file. Links are followed, because people keep their settings in a repository of dotfiles.
 * Throws an Error with the reason.
 */
export const readSettings = (named: string): SettingsFile => {
  if (!isThere(named)) return { path: named }
  let path
  try {
    path = realpathSync(named)
  } catch {
    throw new Error('it is a link that leads nowhere')
  }
  // The file is opened without blocking, because it could be a pipe.
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(handle)
    if (!stat.isFile()) throw new Error('it is not a regular file')
    if (stat.size > maxBytes) throw new Error(`it has ${stat.size} bytes, more than ${maxBytes}`)
    const bytes = readFileSync(handle)
    const text = bytes.toString('utf8')
    if (!Buffer.from(text).equals(bytes)) throw new Error('it is not UTF-8')
    return { path, text, mode: stat.mode & 0o777, uid: stat.uid, gid: stat.gid }
  } finally {
    closeSync(handle)
  }
}

/**
 * Replaces the file atomically and keeps its mode and owner. With `isSecret` only the owner may read it from
 * now on. Throws an Error when it cannot be written, or was changed since it was read.
 */
export const writeSettings = (file: SettingsFile, text: string, isSecret: boolean): void => {
  mkdirSync(dirname(file.path), { recursive: true })
  const fresh = `${file.path}.hookgate-${process.pid}`
  rmSync(fresh, { force: true })
  const handle = openSync(fresh, 'wx', 0o600)
  try {
    if (file.uid !== undefined && file.gid !== undefined && process.getuid?.() === 0)
      fchownSync(handle, file.uid, file.gid)
    writeFileSync(handle, text)
    fchmodSync(handle, isSecret ? (file.mode ?? 0o600) & 0o700 : (file.mode ?? 0o644))
    fsyncSync(handle)
    if (readSettings(file.path).text !== file.text) throw new Error('it was changed meanwhile; run it again')
    renameSync(fresh, file.path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  } finally {
    closeSync(handle)
  }
}
