import { lstat, rmdir, unlink } from 'node:fs/promises'
import { isHosts, latin1Path, lines, zeroed, type SnapshotRepository } from './snapshot-repository.ts'
import { leftOutOf, setAside, snapshotsOf, takeSnapshot } from './snapshot.ts'

const maxNamed = 10

/** Sorts the paths that differ between two trees by their change from the other tree to the present one. */
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
    // Older snapshots have such files.
    if (isHosts(path)) continue
    if (status === 'A') deleted.push(path)
    else if (status === 'D') added.push(path)
    else changed.push(path)
  }
  return { added, deleted, changed }
}

const isFolder = async (root: string, path: string): Promise<boolean> =>
  (await lstat(latin1Path(root, path)).catch(() => undefined))?.isDirectory() === true

/** Restores files from the snapshot. A path that has become a folder is not changed and is returned. */
const writeBack = async (
  { root, run }: SnapshotRepository,
  paths: readonly string[],
): Promise<readonly string[]> => {
  const blocked: string[] = []
  for (const path of paths) if (await isFolder(root, path)) blocked.push(path)
  const free = paths.filter((path) => !blocked.includes(path))
  if (free.length > 0)
    await run(['checkout-index', '-z', '--force', '--stdin'], { stdin: zeroed(free), index: 'undo.index' })
  return blocked
}

/** Removes a file, and the folders above it that become empty. */
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

/** One sentence about files, or none. */
const named = (
  paths: readonly string[],
  says: (count: number, names: string) => string,
): readonly string[] => {
  if (paths.length === 0) return []
  const names = paths.slice(0, maxNamed).map((path) =>
    Buffer.from(path, 'latin1')
      .toString()
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?'),
  )
  return [says(paths.length, `${names.join(', ')}${paths.length > maxNamed ? ', …' : ''}`)]
}

/**
 * Restores the last snapshot that differs from the working tree: deleted files come back, changed files are
 * restored, and new files are removed. Files that git ignores, and files that the snapshot does not store,
 * stay. Returns a text about what it did.
 */
export const undo = async (repository: SnapshotRepository): Promise<string> => {
  const { root, run } = repository
  const all = await takeSnapshot(repository)
  const [target, current] = all.slice(-2)
  if (target === undefined || current === undefined)
    return 'Nothing to undo: no snapshot differs from your files. The built-in hook "snapshot" takes snapshots once it is approved. From now on /undo can go back to the present files.'
  const { added, deleted, changed } = changesOf(
    await run(['diff-tree', '-r', '-z', '--no-renames', '--name-status', current.tree, target.tree]),
  )
  const leftOut = await leftOutOf(repository, target)
  await run(['read-tree', target.tree], { index: 'undo.index' })
  const blocked = await writeBack(repository, [...deleted, ...changed])
  // The files are listed again with the restored .gitignore files, because files that those exclude were not
  // part of the snapshot.
  const stillNew = new Set(await repository.list())
  const isSpared = (path: string): boolean =>
    !stillNew.has(path) ||
    leftOut.some((other) => path === other || (other.endsWith('/') && path.startsWith(other)))
  const spared = added.filter(isSpared)
  const removed = added.filter((path) => !isSpared(path))
  for (const path of removed) await remove(root, path)
  const stuck = await writeBack(repository, blocked)
  await setAside(repository, current)
  const left = (await snapshotsOf(repository)).length - 1
  const isFree = (path: string): boolean => !stuck.includes(path)
  return [
    'Undone.',
    ...named(deleted.filter(isFree), (count, names) => `Brought back ${count}: ${names}.`),
    ...named(changed.filter(isFree), (count, names) => `Reverted ${count}: ${names}.`),
    ...named(removed, (count, names) => `Removed ${count}: ${names}.`),
    ...named([...spared, ...stuck], (count, names) => `Left alone ${count}: ${names}.`),
    left === 0 ? 'No earlier snapshot is left.' : `Earlier snapshots left: ${left}.`,
  ].join(' ')
}
