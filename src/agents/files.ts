import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

const maxReadBytes = 256 * 1024
/** Opening a FIFO or a device must not wait for its other side. */
const { O_RDONLY, O_WRONLY, O_CREAT, O_NONBLOCK } = constants

const withFile = async <T>(path: string, flags: number, use: (file: FileHandle) => Promise<T>): Promise<T> => {
  const file = await open(path, flags | O_NONBLOCK, 0o644)
  try {
    if (!(await file.stat()).isFile()) throw new Error('Expected a regular file, got something else.')
    return await use(file)
  } finally {
    await file.close()
  }
}

/** A whole text file. Rejects with words for the person. */
export const readText = (path: string): Promise<string> =>
  withFile(path, O_RDONLY, async (file) => {
    const buffer = Buffer.alloc(maxReadBytes + 1)
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    if (length > maxReadBytes) throw new Error(`Expected a file of at most ${maxReadBytes} bytes, got a longer one. Read a part of it with bash.`)
    return buffer.subarray(0, length).toString()
  })

/** Writes a whole text file, and the folders it is in. */
export const writeText = async (path: string, content: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  await withFile(path, O_WRONLY | O_CREAT, async (file) => {
    await file.truncate(0)
    await file.writeFile(content)
  })
}
