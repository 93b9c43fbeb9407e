import { mkdir, open, readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { InboxFile } from '../model/events/record.ts'
import type { GateClient } from './client.ts'

const folder = 'inbox'
const maxNameBytes = 120
const maxNameUnits = 300
const maxNumber = 1000
/** Whoever may write to the agent must not fill the disk. */
const maxFiles = 1000
export const maxTotalBytes = 1_000_000_000

/** A name of this folder alone, that shows as what it is: letters, digits, spaces, `.`, `-`, `_`. A stranger chose it. */
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
  // Cut in the middle of a character, its rest goes too.
  const stem = Buffer.from(plain.slice(0, plain.length - kind.length))
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD+$/, '')
  return stem === '' ? 'file' : stem + kind
}

/** Takes the name, or the next free one with a number behind. Nothing that is there is touched. */
const openNew = async (path: string, name: string) => {
  const kind = extname(name)
  const stem = name.slice(0, name.length - kind.length)
  for (let number = 1; number <= maxNumber; number++) {
    const tried = number === 1 ? name : `${stem}-${number}${kind}`
    try {
      return { file: await open(join(path, tried), 'wx', 0o644), name: tried }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
  throw new Error(`there are ${maxNumber} files of that name`)
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
      `${folder}/ is full (${maxFiles} files or 1 GB). Remove what is no longer needed, then send it again.`,
    )
}

const sizeWords = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1_000_000
      ? `${Math.round(bytes / 1000)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`

/** Gets what a person sent into the workspace. One line for each that says where it is, or why it is not. Never rejects. */
export const saveFiles = async (
  files: readonly InboxFile[],
  client: Pick<GateClient, 'file'>,
  workspace: string,
): Promise<readonly string[]> => {
  const lines: string[] = []
  for (const { id, name } of files) {
    const plain = plainName(name)
    try {
      await mkdir(join(workspace, folder), { recursive: true })
      await refuseFull(join(workspace, folder))
      const bytes = await client.file(id)
      const opened = await openNew(join(workspace, folder), plain)
      try {
        await opened.file.writeFile(bytes)
      } finally {
        await opened.file.close()
      }
      lines.push(`Got ${plain} (${sizeWords(bytes.length)}), saved as ${folder}/${opened.name}.`)
    } catch (error) {
      lines.push(`I could not get ${plain}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return lines
}
