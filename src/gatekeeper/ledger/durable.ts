import fs from 'node:fs'

/** Makes a folder's names durable: a file that was created or renamed in it is still there after a power cut. */
export const syncFolder = (folder: string): void => {
  const fd = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Creates a file that must not exist yet, on disk when this returns. */
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
