import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, relative } from 'node:path'
import { codeOf } from '../core/model/gate/problem.ts'

/**
 * A file's text, or the reason why it could not be read. An agent may have written any file of the workspace.
 */
export type FileText = { readonly text: string } | { readonly why: string }

/** Returns why a file that was opened at this path may not be read; undefined when it may. */
export type Refuses = (descriptor: number, path: string) => string | undefined

/**
 * Reads a regular file of at most `maxBytes`. It never blocks on a FIFO, and never follows a link as the last
 * part of the path.
 */
export const readBounded = (path: string, maxBytes: number, refuses?: Refuses): FileText => {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    return {
      why:
        code === 'ENOENT' || code === 'ENOTDIR'
          ? 'missing'
          : code === 'ELOOP'
            ? 'not a regular file'
            : 'unreadable',
    }
  }
  try {
    const { size } = fstatSync(descriptor)
    if (!fstatSync(descriptor).isFile()) return { why: 'not a regular file' }
    if (size > maxBytes) return { why: 'too large' }
    const refusal = refuses?.(descriptor, path)
    if (refusal !== undefined) return { why: refusal }
    const buffer = Buffer.alloc(size)
    let length = 0
    for (let read = -1; read !== 0 && length < size; length += read)
      read = readSync(descriptor, buffer, length, size - length, length)
    return { text: buffer.toString('utf8', 0, length) }
  } catch {
    return { why: 'unreadable' }
  } finally {
    closeSync(descriptor)
  }
}

const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Returns true if a path leads into a folder. Links are followed. */
export const isInside = (folder: string, path: string): boolean => {
  const way = relative(realOf(folder), realOf(path))
  return way === '' || !(way === '..' || way.startsWith('../') || isAbsolute(way))
}

/**
 * Returns true if the folder of the file lies in this folder. A link could lead anywhere, even into the
 * gate's folder.
 */
export const isFolderInside = (folder: string, file: string): boolean => {
  try {
    return isInside(realpathSync(folder), realpathSync(dirname(file)))
  } catch {
    // A folder that does not exist leads nowhere else.
    return true
  }
}
