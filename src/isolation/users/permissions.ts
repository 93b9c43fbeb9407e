import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Account } from './accounts.ts'

/** In a folder with this bit (Linux and macOS), only the owners of files can rename or remove them. */
const sticky = 0o1000

/**
 * Returns the first of the path and its folders that one of these users could change or replace; undefined if
 * there is none.
 */
export const changeableBy = (path: string, users: readonly Account[]): string | undefined => {
  for (let at = path; ; at = dirname(at)) {
    const { uid, gid, mode } = statSync(at)
    const isShared =
      (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && users.some(({ groups }) => groups.includes(gid)))
    if (users.some((user) => user.uid === uid) || (isShared && (mode & sticky) === 0)) return at
    if (dirname(at) === at) return undefined
  }
}

/** Sets a mode by descriptor, so that a file which replaced the path meanwhile is not touched. */
const setMode = (path: string, mode: number): void => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if ((fstatSync(descriptor).mode & 0o7777) !== mode) fchmodSync(descriptor, mode)
  } finally {
    closeSync(descriptor)
  }
}

const passedThrough = new Set(['seal', 'files', 'run', 'hooks'])

/**
 * Sets the permissions of the gate's folder. Everybody may pass through it to their own paths and cannot list
 * it. The hooks' user reads the seals and the files that wait to be sent.
 */
export const shareHome = (home: string, hooks: Account): void => {
  for (const entry of readdirSync(home, { withFileTypes: true })) {
    if (entry.isFile()) setMode(join(home, entry.name), 0o600)
    else if (entry.isDirectory() && !passedThrough.has(entry.name)) setMode(join(home, entry.name), 0o700)
  }
  for (const name of ['files', 'run/hooks', 'hooks']) mkdirSync(join(home, name), { recursive: true })
  // The mode is set first, because the gate may not change the mode of a folder that it gave away.
  for (const [name, mode] of [
    ['seal', 0o750],
    ['files', 0o710],
    ['run/hooks', 0o710],
    ['hooks', 0o710],
  ] as const) {
    chmodSync(join(home, name), mode)
    chownSync(join(home, name), process.getuid?.() ?? 0, hooks.gid)
  }
  for (const [name, mode] of [
    ['run/empty', 0o555],
    ['run', 0o711],
    ['.', 0o711],
  ] as const)
    chmodSync(join(home, name), mode)
}

/** Gives the workspace to the agent if it is empty and belongs to the gate's user. Returns whether it did. */
export const giveWorkspace = (workspace: string, agent: Account): boolean => {
  if (statSync(workspace).uid !== process.getuid?.() || readdirSync(workspace).length > 0) return false
  chmodSync(workspace, 0o755)
  chownSync(workspace, agent.uid, agent.gid)
  return true
}

export const takeBack = (workspace: string): void =>
  chownSync(workspace, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
