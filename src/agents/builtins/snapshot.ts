import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isKept, latin1Path, lines, zeroed, type SnapshotRepository } from './snapshot-repository.ts'

const maxSnapshots = 50
const maxUndone = 10
const lookAtOnce = 64

/** One state of the working tree, stored as a ref of the snapshot repository. */
export interface Snapshot {
  readonly number: string
  readonly tree: string
}

/**
 * Lists the paths that the tree had and the snapshot does not store: files that are too big or unreadable,
 * and repositories inside (with a slash).
 */
export const leftOutOf = async (
  repository: SnapshotRepository,
  { number }: Snapshot,
): Promise<readonly string[]> => lines(await repository.run(['cat-file', 'blob', `refs/left-out/${number}`]))

/** Lists the snapshots, oldest first. */
export const snapshotsOf = async (
  { run }: SnapshotRepository,
  kind = 'snapshots',
): Promise<readonly Snapshot[]> =>
  (await run(['for-each-ref', '--format=%(refname) %(objectname)', '--sort=refname', `refs/${kind}/`]))
    .split('\n')
    .flatMap((line) => {
      const match = /^refs\/[a-z-]+\/(\d+) ([0-9a-f]+)$/.exec(line)
      return match === null ? [] : [{ number: match[1] ?? '', tree: match[2] ?? '' }]
    })

const sortOut = async (
  root: string,
  paths: readonly string[],
): Promise<{ readonly kept: readonly string[]; readonly leftOut: readonly string[] }> => {
  const [kept, leftOut]: [string[], string[]] = [[], []]
  for (let from = 0; from < paths.length; from += lookAtOnce) {
    const some = paths.slice(from, from + lookAtOnce)
    const isStored = await Promise.all(
      some.map(async (path) => !path.endsWith('/') && (await isKept(latin1Path(root, path)))),
    )
    for (const [index, path] of some.entries()) (isStored[index] === true ? kept : leftOut).push(path)
  }
  return { kept, leftOut }
}

/** Deletes all but the newest snapshots, and from time to time the objects that only those used. */
const prune = async (
  { run }: SnapshotRepository,
  kinds: readonly string[],
  all: readonly Snapshot[],
  keep: number,
): Promise<void> => {
  const old = all.slice(0, Math.max(0, all.length - keep))
  if (old.length === 0) return
  await run(['update-ref', '--stdin'], {
    stdin: old.flatMap(({ number }) => kinds.map((kind) => `delete refs/${kind}/${number}\n`)).join(''),
  })
  if (Number(old.at(-1)?.number) % maxSnapshots === 0) await run(['prune', '--expire=now'])
}

/**
 * Takes a snapshot of the working tree if it has changed. Returns all snapshots, and the last one equals the
 * present tree.
 */
export const takeSnapshot = async (repository: SnapshotRepository): Promise<readonly Snapshot[]> => {
  const { root, folder, run } = repository
  const { kept, leftOut } = await sortOut(root, await repository.list())
  const isThere = new Set(kept)
  const gone = lines(await run(['ls-files', '-z', '--cached'])).filter((path) => !isThere.has(path))
  try {
    if (gone.length > 0)
      await run(['update-index', '-z', '--force-remove', '--stdin'], { stdin: zeroed(gone) })
    await run(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], { stdin: zeroed(kept) })
  } catch (error) {
    // The next snapshot creates a new index.
    await rm(join(folder, 'index'), { force: true })
    throw error
  }
  const tree = (await run(['write-tree'])).trim()
  const before = await snapshotsOf(repository)
  if (before.at(-1)?.tree === tree) return before
  const number = String(Number(before.at(-1)?.number ?? 0) + 1).padStart(10, '0')
  const blob = (await run(['hash-object', '-w', '--stdin'], { stdin: zeroed(leftOut) })).trim()
  await run(['update-ref', '--stdin'], {
    stdin: `update refs/snapshots/${number} ${tree}\nupdate refs/left-out/${number} ${blob}\n`,
  })
  const all = [...before, { number, tree }]
  await prune(repository, ['snapshots', 'left-out'], all, maxSnapshots)
  return all.slice(-maxSnapshots)
}

/** Removes the last snapshot from the list, and keeps its content for a while under another name. */
export const setAside = async (repository: SnapshotRepository, { number, tree }: Snapshot): Promise<void> => {
  await repository.run(['update-ref', '--stdin'], {
    stdin: `update refs/undone/${number} ${tree}\ndelete refs/snapshots/${number}\ndelete refs/left-out/${number}\n`,
  })
  await prune(repository, ['undone'], await snapshotsOf(repository, 'undone'), maxUndone)
}
