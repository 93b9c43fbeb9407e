import { execFile, spawn } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, renameSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'

/** The part of the hooks' files that is removed: caches that hooks can fetch or make again, or everything. */
export type RemovedFiles = 'caches' | 'all'

/** The folders that hooks write. Their total size is bounded. */
export interface HookFolders {
  readonly home: string
  readonly tmp: string
}

/** The caches that npx, uv, bun, cargo and similar tools fetch again. */
const caches = [
  '.cache',
  '.npm',
  '.bun/install/cache',
  '.cargo/registry',
  '.local/share/uv',
  '.local/share/pnpm',
  'go/pkg',
]

/**
 * Removed files stay in this folder for a day, so that nothing important is lost at once. A second flood of
 * files does not replace them.
 */
export const setAside = '.set-aside'
/** The folder whose content is being deleted. */
const going = '.going'
const keptMs = 24 * 60 * 60_000
const measureTimeoutMs = 60_000
const searched = { PATH: '/usr/bin:/bin:/run/current-system/sw/bin', LC_ALL: 'C' }

/**
 * The bytes of a folder on the disk. A tree that cannot be measured in time counts as infinite, a missing one
 * as empty.
 */
const sizeOf = (folder: string): Promise<number> =>
  new Promise((resolve) => {
    execFile(
      'du',
      ['-skx', folder],
      { env: searched, cwd: '/', timeout: measureTimeoutMs, killSignal: 'SIGKILL' },
      (error, stdout) => {
        const kilobytes = Number.parseInt(stdout, 10)
        resolve(
          error?.killed === true ? Number.POSITIVE_INFINITY : Number.isNaN(kilobytes) ? 0 : kilobytes * 1024,
        )
      },
    )
  })

/** The bytes that hooks wrote, without files that were set aside or are being deleted. Never rejects. */
export const measureHome = async ({ home, tmp }: HookFolders): Promise<number> => {
  const own = [home, tmp].flatMap((folder) => [join(folder, setAside), join(folder, going)])
  // The folders are measured one after another, because the first measurement fills the disk cache for the
  // others.
  let bytes = (await sizeOf(home)) + (await sizeOf(tmp))
  for (const place of own) bytes -= Math.min(bytes, await sizeOf(place))
  return bytes
}

/**
 * Deletes in the background while hooks already run, because it can take long. The next host deletes what a
 * dead host left.
 */
export const removeGoing = ({ home, tmp }: HookFolders): void => {
  const places = [home, tmp]
    .map((folder) => join(folder, going))
    .filter((place) => statOf(place) !== undefined)
  if (places.length === 0) return
  // The owner can make an unreadable folder readable before deleting it.
  const script = 'for f; do [ -L "$f" ] || chmod -R u+rwX "$f"; rm -rf "$f"; done'
  spawn('/bin/sh', ['-c', script, 'sh', ...places], { env: searched, cwd: '/', stdio: 'ignore' }).on(
    'error',
    () => undefined,
  )
}

const statOf = (path: string): Stats | undefined => {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** Moves a file or folder. A mount point cannot be moved and stays. */
const move = (from: string, to: string): void => {
  try {
    mkdirSync(dirname(to), { recursive: true })
    renameSync(from, to)
  } catch {
    // It does not exist, or this user may not move it.
  }
}

/** Empties the folders before any hook runs. It only renames, which is fast for any amount of data. */
export const emptyHome = ({ home, tmp }: HookFolders, what: RemovedFiles): void => {
  const mark = `${process.pid}-${Date.now()}`
  if (what === 'caches') {
    for (const name of caches) move(join(home, name), join(home, going, mark, name))
    return
  }
  for (const folder of [home, tmp]) {
    const aside = join(folder, setAside)
    const gone = join(folder, going, mark)
    // The folder's own time is used, because a move does not change the times of the moved files.
    const ageMs = Date.now() - (statOf(aside)?.mtimeMs ?? Number.NEGATIVE_INFINITY)
    // A time in the future comes from a hook or a changed clock. It keeps nothing for longer than a day.
    const isKept = Math.abs(ageMs) < keptMs
    if (!isKept) move(aside, join(gone, setAside))
    const names = readdirSync(folder).filter((name) => name !== setAside && name !== going)
    for (const name of names) move(join(folder, name), join(isKept ? gone : aside, name))
  }
}
