import { chmodSync, chownSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What is the hooks' own to write, in the gate's folder. It lasts over runs and restarts. */
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

/** Made by the gate, which alone can write the folder above: no link can stand in its place. */
const makeFolder = (path: string, mode: number): void => {
  mkdirSync(path, { recursive: true, mode })
  chmodSync(path, mode)
}

/**
 * Makes the folders that hooks write. `user` absent: the gate's own. What hooks of another user left, before the
 * separation changed, is set aside, as is what stands there and is no folder: it is not theirs to write, a link would
 * lead out of the sandbox, and a tree that hooks made is never walked by the gate.
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
 * The folder in which an agent's host keeps what outlives it, such as its snapshots, where the agent's home does not last.
 * What is no folder of the gate's own goes: a link would show the agent whatever it leads to.
 */
export const prepareKept = (home: string, agentId: string): string => {
  const parent = join(home, 'agents')
  const kept = join(parent, agentId)
  for (const path of [parent, kept]) {
    const found = statOf(path)
    if (found !== undefined && !found.isDirectory()) rmSync(path, { force: true })
    makeFolder(path, 0o700)
  }
  return kept
}

/**
 * In the sandbox /tmp is the hooks' own folder, and some of what they need may be mounted below it. A hook could have left
 * a link or a file where such a place is to be: it goes. Only before hooks run is it certain to stay away.
 */
export const clearMountPoints = (tmp: string, places: readonly string[]): void => {
  for (const name of new Set(
    places.flatMap((at) => (at.startsWith('/tmp/') ? [at.split('/')[2] ?? ''] : [])),
  )) {
    const found = statOf(join(tmp, name))
    if (found !== undefined && !found.isDirectory()) rmSync(join(tmp, name), { force: true })
  }
}
