import { execFile, spawn } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, renameSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'

/** How much of what hooks wrote goes: what they can fetch or make again, or all of it. */
export type Emptying = 'caches' | 'all'

/** The folders that hooks write, which together are bounded. */
export interface HookFolders {
  readonly home: string
  readonly tmp: string
}

/** What npx, uv, bun, cargo and the like fetch again. */
const caches = [
  '.cache',
  '.npm',
  '.bun/install/cache',
  '.cargo/registry',
  '.local/share/uv',
  '.local/share/pnpm',
  'go/pkg',
]

/** What went stays here for a day, so that nothing that matters is lost at once, and a flood does not wash it away. */
export const setAside = '.set-aside'
/** What is being removed. */
const going = '.going'
const keptMs = 24 * 60 * 60_000
const measureTimeoutMs = 60_000
const searched = { PATH: '/usr/bin:/bin:/run/current-system/sw/bin', LC_ALL: 'C' }

/** Bytes on the disk. A tree that cannot be measured in time counts as endless; one that is not there as empty. */
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

/** What hooks wrote, without what was set aside or goes. Never rejects. */
export const measureHome = async ({ home, tmp }: HookFolders): Promise<number> => {
  const own = [home, tmp].flatMap((folder) => [join(folder, setAside), join(folder, going)])
  // One after another: the first one warms what the others read.
  let bytes = (await sizeOf(home)) + (await sizeOf(tmp))
  for (const place of own) bytes -= Math.min(bytes, await sizeOf(place))
  return bytes
}

/** Beside hooks that run already, since it can take long; what a dead host left is done by the next one. */
export const removeGoing = ({ home, tmp }: HookFolders): void => {
  const places = [home, tmp]
    .map((folder) => join(folder, going))
    .filter((place) => statOf(place) !== undefined)
  if (places.length === 0) return
  // A folder that it may not look into is its own to open first.
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

/** What cannot be moved, since something is mounted there, stays. */
const move = (from: string, to: string): void => {
  try {
    mkdirSync(dirname(to), { recursive: true })
    renameSync(from, to)
  } catch {
    // It was not there, or is not this user's to move.
  }
}

/** Before any hook runs: renames alone, which take no time however much there is. */
export const emptyHome = ({ home, tmp }: HookFolders, what: Emptying): void => {
  const mark = `${process.pid}-${Date.now()}`
  if (what === 'caches') {
    for (const name of caches) move(join(home, name), join(home, going, mark, name))
    return
  }
  for (const folder of [home, tmp]) {
    const aside = join(folder, setAside)
    const gone = join(folder, going, mark)
    // By its own mark: a move leaves the times of what it moves as they were.
    const ageMs = Date.now() - (statOf(aside)?.mtimeMs ?? Number.NEGATIVE_INFINITY)
    // A time ahead was written by a hook, or by a clock that was set back: it keeps nothing for longer than a day.
    const isKept = Math.abs(ageMs) < keptMs
    if (!isKept) move(aside, join(gone, setAside))
    const names = readdirSync(folder).filter((name) => name !== setAside && name !== going)
    for (const name of names) move(join(folder, name), join(isKept ? gone : aside, name))
  }
}
