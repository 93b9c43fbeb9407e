import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

const maxFileBytes = 64 * 1024
const maxFolders = 100

/**
 * Reads the start of a regular file. Returns undefined for anything else. Opening a FIFO or a device must not
 * wait for its other side.
 */
const readHead = async (path: string): Promise<string | undefined> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const { size } = await file.stat().then((stat) => (stat.isFile() ? stat : { size: -1 }))
    if (size === -1) return undefined
    const buffer = Buffer.alloc(maxFileBytes)
    const { bytesRead } = await file.read(buffer, 0, maxFileBytes, 0)
    const text = new TextDecoder().decode(buffer.subarray(0, bytesRead))
    return size > bytesRead ? `${text}\n[… ${size - bytesRead} bytes left out]` : text
  } finally {
    await file.close()
  }
}

const foldersAbove = (cwd: string, depth: number): readonly string[] => {
  const folders = [resolve(cwd)]
  for (
    let folder = dirname(resolve(cwd));
    folder !== folders.at(-1) && folders.length <= depth;
    folder = dirname(folder)
  )
    folders.push(folder)
  return folders
}

/**
 * Reads each named file from the nearest folder at or above `cwd` that has it, at most `--depth=N` folders
 * up, and from the user's home.
 */
export const promptFiles = async (args: readonly string[], cwd: string, home: string): Promise<string> => {
  const depth = Math.min(
    maxFolders,
    Number(args.find((arg) => arg.startsWith('--depth='))?.slice('--depth='.length) ?? maxFolders),
  )
  const found = new Map<string, string>()
  for (const name of args.filter((arg) => !arg.startsWith('--'))) {
    for (const folders of [foldersAbove(cwd, depth), [home]]) {
      for (const path of folders.map((folder) => join(folder, name))) {
        const text = found.get(path) ?? (await readHead(path))
        if (text === undefined) continue
        found.set(path, text)
        break
      }
    }
  }
  return [...found].map(([path, text]) => `Contents of ${path}:\n${text}`).join('\n\n')
}
