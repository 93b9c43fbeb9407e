import fs from 'node:fs'

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
