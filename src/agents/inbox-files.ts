import { open, readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { codeOf } from '../core/model/gate/problem.ts'
import { ensureFolder } from './tools/folders.ts'
import type { InboxFile } from '../shared/events/inbox-line.ts'
import type { GateClient } from './client.ts'

const folder = 'inbox'
const maxNameBytes = 120
const maxNameUnits = 300
const maxNumber = 1000
/** People who may write to the agent must not be able to fill the disk. */
const maxFiles = 1000
export const maxTotalBytes = 1_000_000_000

/**
 * Turns a name that a stranger chose into a safe file name without a path. It has only letters, digits,
 * spaces, `.`, `-` and `_`.
 */
export const plainName = (name: string): string => {
  const plain = name
    .slice(-maxNameUnits)
    .toWellFormed()
    .normalize('NFC')
    .replace(/^.*[/\\]/s, '')
    .replace(/[^\p{L}\p{N}\p{M} ._-]+/gu, '_')
    .replace(/^[\s.-]+/, '')
    .replace(/[\s.]+$/, '')
  const kind = extname(plain)
  const room = maxNameBytes - Buffer.byteLength(kind)
  if (room <= 0) return 'file'
  // When the cut is inside a character, the rest of that character is removed too.
  const stem = Buffer.from(plain.slice(0, plain.length - kind.length))
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD+$/, '')
  return stem === '' ? 'file' : stem + kind
}

/** Creates a file with the name, or with the next free number after it. An existing file is never changed. */
const openNew = async (path: string, name: string) => {
  const kind = extname(name)
  const stem = name.slice(0, name.length - kind.length)
  for (let number = 1; number <= maxNumber; number++) {
    const tried = number === 1 ? name : `${stem}-${number}${kind}`
    try {
      return { file: await open(join(path, tried), 'wx', 0o644), name: tried }
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
  throw new Error(`there are already ${maxNumber} files with that name`)
}

const refuseFull = async (path: string): Promise<void> => {
  const names = await readdir(path)
  const sizes =
    names.length < maxFiles
      ? await Promise.all(
          names.map(async (name) => (await stat(join(path, name)).catch(() => undefined))?.size ?? 0),
        )
      : []
  if (names.length >= maxFiles || sizes.reduce((sum, size) => sum + size, 0) >= maxTotalBytes)
    throw new Error(
      `${folder}/ is full (${maxFiles} files or 1 GB). Remove files that are no longer needed, then send the file again.`,
    )
}

const sizeText = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1_000_000
      ? `${Math.round(bytes / 1000)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`

/**
 * Saves the files that a person sent in the workspace. Returns one line for each file that says where it is,
 * or why it could not be saved. Never rejects.
 */
export const saveFiles = async (
  files: readonly InboxFile[],
  client: Pick<GateClient, 'file'>,
  workspace: string,
): Promise<readonly string[]> => {
  const lines: string[] = []
  for (const { id, name } of files) {
    const plain = plainName(name)
    try {
      ensureFolder(join(workspace, folder))
      await refuseFull(join(workspace, folder))
      const bytes = await client.file(id)
      const opened = await openNew(join(workspace, folder), plain)
      try {
        await opened.file.writeFile(bytes)
      } finally {
        await opened.file.close()
      }
      lines.push(`Received ${plain} (${sizeText(bytes.length)}), saved as ${folder}/${opened.name}.`)
    } catch (error) {
      lines.push(`I could not save ${plain}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return lines
}
