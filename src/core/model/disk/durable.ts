import fs from 'node:fs'
import type { Problem } from '../gate/problem.ts'

/** Opens a file for reading. It follows no link, and a FIFO or a device does not hold it up. */
export const withFile = <T>(file: string, use: (fd: number) => T): T => {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
  try {
    return use(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Syncs a folder to disk, so that a file created or renamed in it survives a power cut. */
export const syncFolder = (folder: string): void => {
  const fd = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Syncs a folder to disk without holding the caller's thread. */
export const syncFolderLater = async (folder: string): Promise<void> => {
  const handle = await fs.promises.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates a file that must not exist yet. It is on disk when this returns. */
export const writeNew = (file: string, content: string | Uint8Array, mode: number): void => {
  const fd = fs.openSync(file, 'wx', mode)
  try {
    fs.fchmodSync(fd, mode)
    fs.writeFileSync(fd, content)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

export const unwritable = (home: string, error: unknown): Problem => ({
  code: 'home.unwritable',
  message: `Expected "${home}" to be a folder that hookgate can write, got an error (${error instanceof Error && 'code' in error ? String(error.code) : String(error)}).`,
  fix: "Give hookgate's user the right to write it, or choose another folder with HOOKGATE_HOME.",
})

/** Creates a folder unless it exists. A new folder gets exactly this mode, whatever the umask is. */
export const makeFolder = (folder: string, mode: number): void => {
  if (fs.mkdirSync(folder, { recursive: true, mode }) !== undefined) fs.chmodSync(folder, mode)
}
