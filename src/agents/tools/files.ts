import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ensureFolder } from './folders.ts'

const maxReadBytes = 256 * 1024
/** Room for a file that grows while it is read, and for files without a known size, as in /proc. */
const spareBytes = 256 * 1024
/** With O_NONBLOCK, opening a FIFO or a device does not wait for its other side. */
const { O_RDONLY, O_WRONLY, O_CREAT, O_NONBLOCK } = constants

const withFile = async <T>(
  path: string,
  flags: number,
  use: (file: FileHandle) => Promise<T>,
): Promise<T> => {
  const file = await open(path, flags | O_NONBLOCK, 0o644)
  try {
    if (!(await file.stat()).isFile()) throw new Error('Expected a regular file, got something else.')
    return await use(file)
  } finally {
    await file.close()
  }
}

/**
 * Reads a whole file. Rejects with a text for the person. `fix` says what to do about a file that is too
 * long.
 */
export const readBytes = (
  path: string,
  maxBytes: number,
  fix = 'Send a smaller file, or say where the person can get it.',
): Promise<Buffer> =>
  withFile(path, O_RDONLY, async (file) => {
    // The file may grow while it is read.
    const { size } = await file.stat()
    const buffer = Buffer.alloc(Math.min(maxBytes, size + spareBytes) + 1)
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    if (length === buffer.length || length > maxBytes)
      throw new Error(`Expected a file of at most ${maxBytes} bytes, got a longer one. ${fix}`)
    return buffer.subarray(0, length)
  })

/** Reads a whole text file. Rejects with a text for the person. */
export const readText = async (path: string): Promise<string> =>
  (await readBytes(path, maxReadBytes, 'Read a part of it with bash.')).toString()

/**
 * Replaces a text that occurs in a file exactly once. All other bytes stay as they are, even when the file is
 * not UTF-8. Rejects with a text for the caller, in which `shown` names the file.
 */
export const replaceText = async (path: string, shown: string, old: string, fresh: string): Promise<void> => {
  const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')
  const pieces = (await readBytes(path, maxReadBytes, 'Edit it with bash.'))
    .toString('latin1')
    .split(bytesOf(old))
  if (old === '' || pieces.length !== 2)
    throw new Error(
      `Expected "old_text" to occur in ${shown} exactly once, got ${old === '' ? 'an empty text' : `it ${pieces.length - 1} times`}.`,
    )
  await writeText(path, Buffer.from(pieces.join(bytesOf(fresh)), 'latin1'))
}

/** Writes a whole file, and creates its folders. */
export const writeText = async (path: string, content: string | Buffer): Promise<void> => {
  ensureFolder(dirname(path))
  await withFile(path, O_WRONLY | O_CREAT, async (file) => {
    await file.truncate(0)
    await file.writeFile(content)
  })
}
