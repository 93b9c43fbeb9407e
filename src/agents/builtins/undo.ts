import { lstat, rmdir, unlink } from 'node:fs/promises'
import { BuiltinError } from './git.ts'
import { latin1Path, lines, zeroed, type Shadow } from './shadow.ts'
import { leftOutOf, setAside, snapshotsOf, takeSnapshot } from './snapshot.ts'

const maxNamed = 10

/** The paths of two trees that differ, by what going back to the other one does to them. */
const changesOf = (
  diff: string,
): {
  readonly added: readonly string[]
  readonly deleted: readonly string[]
  readonly changed: readonly string[]
} => {
  const [added, deleted, changed]: [string[], string[], string[]] = [[], [], []]
  const words = lines(diff)
  for (let index = 0; index + 1 < words.length; index += 2) {
    const [status = '', path = ''] = words.slice(index, index + 2)
    if (status === 'A') deleted.push(path)
    else if (status === 'D') added.push(path)
    else changed.push(path)
  }
  return { added, deleted, changed }
}

const isFolder = async (root: string, path: string): Promise<boolean> =>
  (await lstat(latin1Path(root, path)).catch(() => undefined))?.isDirectory() === true

/** Writes files as the snapshot has them. What became a folder meanwhile, with something in it, is left alone and returned. */
const writeBack = async ({ root, run }: Shadow, paths: readonly string[]): Promise<readonly string[]> => {
  const blocked: string[] = []
  for (const path of paths) if (await isFolder(root, path)) blocked.push(path)
  const free = paths.filter((path) => !blocked.includes(path))
  if (free.length > 0)
    await run(['checkout-index', '-z', '--force', '--stdin'], { stdin: zeroed(free), index: 'undo.index' })
  return blocked
}

/** Removes a file, and the folders above it that are empty then. */
const remove = async (root: string, path: string): Promise<void> => {
  await unlink(latin1Path(root, path))
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (
      await rmdir(latin1Path(root, path.slice(0, end))).then(
        () => false,
        () => true,
      )
    )
      return
  }
}

const named = (what: string, paths: readonly string[]): string => {
  if (paths.length === 0) return ''
  const names = paths.slice(0, maxNamed).map((path) =>
    Buffer.from(path, 'latin1')
      .toString()
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?'),
  )
  return ` ${what} ${paths.length}: ${names.join(', ')}${paths.length > maxNamed ? ', …' : ''}.`
}

/**
 * Puts the working tree back to the last snapshot that differs from it: what was deleted comes back, what was changed is
 * as it was, what is new goes. What git ignores, and what that snapshot had left out, stays. Returns what it did, in words.
 */
export const undo = async (shadow: Shadow): Promise<string> => {
  const { root, run } = shadow
  const all = await takeSnapshot(shadow)
  const [target, current] = all.slice(-2)
  if (target === undefined || current === undefined)
    throw new BuiltinError(
      'Expected an earlier snapshot that differs from the files as they are, got none. The built-in hook "snapshot" takes them, once it is approved; from now on /undo can go back to the files as they are now.',
    )
  const { added, deleted, changed } = changesOf(
    await run(['diff-tree', '-r', '-z', '--no-renames', '--name-status', current.tree, target.tree]),
  )
  const leftOut = await leftOutOf(shadow, target)
  await run(['read-tree', target.tree], { index: 'undo.index' })
  const blocked = await writeBack(shadow, [...deleted, ...changed])
  // Asked again with the old .gitignore files in place: what they name was no part of the snapshot.
  const stillNew = new Set(await shadow.list())
  const isSpared = (path: string): boolean =>
    !stillNew.has(path) ||
    leftOut.some((other) => path === other || (other.endsWith('/') && path.startsWith(other)))
  const spared = added.filter(isSpared)
  const removed = added.filter((path) => !isSpared(path))
  for (const path of removed) await remove(root, path)
  const stuck = await writeBack(shadow, blocked)
  await setAside(shadow, current)
  const done = [
    named(
      'Brought back',
      deleted.filter((path) => !stuck.includes(path)),
    ),
    named(
      'Reverted',
      changed.filter((path) => !stuck.includes(path)),
    ),
    named('Removed', removed),
    named('Left alone', [...spared, ...stuck]),
  ].join('')
  const left = (await snapshotsOf(shadow)).length - 1
  return `Undone.${done} ${left === 0 ? 'No earlier snapshot is left.' : `Earlier snapshots that are left: ${left}.`}`
}
