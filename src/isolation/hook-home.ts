import { chmodSync, chownSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the folders in the gate's folder that hooks may write. They last over runs and restarts. */
export const hooksOwn = (
  home: string,
): { readonly folder: string; readonly home: string; readonly tmp: string } => {
  const folder = join(home, 'hooks')
  return { folder, home: join(folder, 'home'), tmp: join(folder, 'tmp') }
}

const statOf = (path: string): ReturnType<typeof lstatSync> | undefined => {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** Makes a folder. Only the gate can write the folder above, so no link can take its place. */
const makeFolder = (path: string, mode: number): void => {
  mkdirSync(path, { recursive: true, mode })
  chmodSync(path, mode)
}

/**
 * Makes the folders that hooks write, for `user` (absent: the gate's own user). It renames folders that
 * belong to another user, left from before the separation changed, and paths that are not folders. A link
 * there would lead out of the sandbox. The gate never walks a tree that hooks made.
 */
export const prepareHookHome = (
  home: string,
  user?: { readonly uid: number; readonly gid: number },
): void => {
  const own = hooksOwn(home)
  const uid = user?.uid ?? process.getuid?.()
  const isOther = (path: string): boolean => {
    const found = statOf(path)
    return found !== undefined && (!found.isDirectory() || (uid !== undefined && found.uid !== uid))
  }
  if (isOther(own.home) || isOther(own.tmp)) renameSync(own.folder, `${own.folder}.before-${Date.now()}`)
  makeFolder(own.folder, user === undefined ? 0o700 : 0o710)
  if (user !== undefined) chownSync(own.folder, process.getuid?.() ?? 0, user.gid)
  for (const path of [own.home, own.tmp]) {
    if (statOf(path) !== undefined) continue
    makeFolder(path, 0o700)
    if (user !== undefined) chownSync(path, user.uid, user.gid)
  }
}

/**
 * Makes the folder in which an agent's host stores what must outlive it, such as its snapshots, where the
 * agent's home does not last. A path that is not a folder is removed, because a link would show its target to
 * the agent.
 */
export const prepareKept = (home: string, agentId: string): string => {
  const parent = join(home, 'agents')
  const stored = join(parent, agentId)
  for (const path of [parent, stored]) {
    const found = statOf(path)
    if (found !== undefined && !found.isDirectory()) rmSync(path, { force: true })
    makeFolder(path, 0o700)
  }
  return stored
}

/**
 * Removes files and links where mount points below /tmp are needed. In the sandbox /tmp is the hooks' own
 * folder, so a hook could have left one there. It must be called before hooks run, because only then does the
 * place stay free.
 */
export const clearMountPoints = (tmp: string, places: readonly string[]): void => {
  for (const name of new Set(
    places.flatMap((at) => (at.startsWith('/tmp/') ? [at.split('/')[2] ?? ''] : [])),
  )) {
    const found = statOf(join(tmp, name))
    if (found !== undefined && !found.isDirectory()) rmSync(join(tmp, name), { force: true })
  }
}
