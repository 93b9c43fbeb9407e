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

/** Linux and macOS: names in it can be changed only by their owners. */
const sticky = 0o1000

/** The first of a path's folders, or the path itself, that one of these users could change or exchange. */
export const changeableBy = (path: string, users: readonly Account[]): string | undefined => {
  for (let at = path; ; at = dirname(at)) {
    const { uid, gid, mode } = statSync(at)
    const isShared =
      (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && users.some(({ groups }) => groups.includes(gid)))
    if (users.some((user) => user.uid === uid) || (isShared && (mode & sticky) === 0)) return at
    if (dirname(at) === at) return undefined
  }
}

/** By descriptor, so that nothing that came in its place meanwhile is touched. */
const setMode = (path: string, mode: number): void => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if ((fstatSync(descriptor).mode & 0o7777) !== mode) fchmodSync(descriptor, mode)
  } finally {
    closeSync(descriptor)
  }
}

const passedThrough = new Set(['seal', 'files', 'run', 'hooks'])

/** Everybody may go through the gate's folder, to what is theirs in it, and see nothing. The hooks' user reads the seals, and the files that wait to leave. */
export const shareHome = (home: string, hooks: Account): void => {
  for (const entry of readdirSync(home, { withFileTypes: true })) {
    if (entry.isFile()) setMode(join(home, entry.name), 0o600)
    else if (entry.isDirectory() && !passedThrough.has(entry.name)) setMode(join(home, entry.name), 0o700)
  }
  for (const name of ['files', 'run/hooks', 'hooks']) mkdirSync(join(home, name), { recursive: true })
  // The mode first: what was given away is no longer ours to change without a further right.
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

/** Gives an empty workspace of the gate's own to the agent. Whether it did. */
export const giveWorkspace = (workspace: string, agent: Account): boolean => {
  if (statSync(workspace).uid !== process.getuid?.() || readdirSync(workspace).length > 0) return false
  chmodSync(workspace, 0o755)
  chownSync(workspace, agent.uid, agent.gid)
  return true
}

export const takeBack = (workspace: string): void =>
  chownSync(workspace, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
