import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { hooksOwn } from '../hook-home.ts'
import { canChange, foldersAbove, isUnder, linksOn, realOf } from '../paths.ts'
import { toolFolders } from '../tools.ts'

/**
 * One mount of the sandbox. `write` and `read`: the path of the machine, writable or read-only. `empty`: a
 * folder of its own, which lasts if it is stored at `from` outside. `bare`: the same, but it holds only other
 * mounts. `link`: a symbolic link.
 */
export type Mount =
  | { readonly at: string; readonly kind: 'write' | 'read' | 'empty' | 'bare'; readonly from?: string }
  | { readonly at: string; readonly kind: 'link'; readonly to: string }

export interface SandboxOptions {
  readonly home: string
  readonly workspace: string
  /** The folder of hookgate's own code. */
  readonly root: string
  /**
   * The homes of the user that runs everything: the one of the environment, and the one in the system's list.
   */
  readonly userHomes: readonly string[]
  /** The folders of PATH. */
  readonly path: readonly string[]
  readonly isRoot: boolean
}

/**
 * The tenant of a sandbox: an agent with its sockets and the folder stored for it, or the hooks. `strict`: a
 * program that nobody approved. It can write nothing but /tmp, and sees only these paths of the gate's
 * folder.
 */
export type SandboxProfile =
  | { readonly sockets: readonly string[]; readonly kept?: string }
  | { readonly strict: readonly string[] }
  | 'hooks'

/** Folders of container daemons. Their sockets give root rights to every client. */
const daemons = ['/var/snap', '/var/lib/lxd', '/var/lib/incus']
/**
 * Paths of the gate's folder that hooks see: their seals, the files that they judge, the sockets of resident
 * hooks, the startup code of Python, the wrapper of git, and the transcripts.
 */
export const hookPaths = ['seal', 'files', 'run/hooks', 'run/python', 'run/git', 'run/transcripts']

const realHomes = ({ userHomes }: SandboxOptions): readonly string[] =>
  [...new Set(userHomes.map(realOf))].filter(canChange)
const isWritableHome = ({ workspace }: SandboxOptions, home: string): boolean =>
  home === '/' || isUnder(realOf(workspace), home)

/** Returns the homes that are hidden in the sandbox. */
export const hiddenHomes = (options: SandboxOptions): readonly string[] =>
  realHomes(options).filter((home) => !isWritableHome(options, home))

/** Returns whether an agent sees a real path. Only paths in homes can be hidden. */
export const isShown = (options: SandboxOptions): ((real: string) => boolean) => {
  const hidden = hiddenHomes(options)
  const mounts = mountsFor(options, { sockets: [] }).filter(({ kind }) => kind !== 'link')
  return (real) => {
    if (!hidden.some((home) => isUnder(home, real))) return true
    const outer = mounts.findLast(({ at }) => isUnder(at, real))
    return outer?.kind === 'write' || outer?.kind === 'read'
  }
}

/** Returns a home that the agent can write after all, because it is the workspace or lies in it. */
export const openHome = (options: SandboxOptions): string | undefined =>
  realHomes(options).find((home) => isWritableHome(options, home))

const depthOf = ({ at }: Mount): number => at.split('/').length

/**
 * Returns the mounts of a sandbox, outer paths first. `/tmp` and `/run` are private: sockets of the user's
 * other programs (a terminal multiplexer, the session's service manager, a container daemon) would be ways
 * around the sandbox. Files in the user's home that a shell or another program obeys would be too, so only
 * the workspace and tools of the home are mounted. An agent that runs as root owns every system file, so it
 * may only read them.
 */
export const mountsFor = (options: SandboxOptions, profile: SandboxProfile): readonly Mount[] => {
  const { home, workspace, root, path, isRoot } = options
  type Kind = Exclude<Mount['kind'], 'link'>
  const strict = typeof profile === 'object' && 'strict' in profile ? profile.strict : undefined
  const isStrict = strict !== undefined
  const mounts = new Map<string, Kind>([['/', isRoot || isStrict ? 'read' : 'write']])
  const put = (kind: Kind, places: readonly string[]): void => {
    for (const place of places) if (existsSync(place)) mounts.set(realOf(place), kind)
  }
  // Root could write files there that the kernel later runs or obeys, even without its capabilities.
  if (isRoot) put('read', ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus'])
  // A user may freeze and kill what is in its own cgroups; what waits in the spool runs later, outside.
  put('read', ['/sys', '/var/spool'])
  put('empty', ['/tmp'])
  put(isStrict ? 'bare' : 'empty', ['/var/tmp', '/run', '/var/run', ...daemons])
  // These paths serve the lookup of network names, and NixOS has its programs in the last one.
  put(
    'read',
    ['/etc/resolv.conf', '/run/nscd', '/run/current-system'].filter((place) =>
      realOf(place).startsWith('/run/'),
    ),
  )
  const hidden = hiddenHomes(options)
  put(
    'write',
    realHomes(options).filter((place) => place !== '/' && !hidden.includes(place)),
  )
  // Hooks see nothing of that home, and a hook must not be able to move what another one runs from.
  put(profile === 'hooks' || isStrict ? 'bare' : 'empty', hidden)

  const kindAt = (place: string): Kind => {
    const [outer = '/'] = [...mounts.keys()]
      .filter((at) => isUnder(at, place))
      .toSorted((a, b) => b.length - a.length)
    return mounts.get(outer) ?? 'write'
  }
  const own = realOf(home)
  const tools = toolFolders(path, hidden).filter(
    (place) => !isUnder(realOf(workspace), place) && !isUnder(place, own),
  )
  put(
    'read',
    tools.filter((place) => hidden.some((one) => isUnder(one, place)) || kindAt(place) === 'write'),
  )
  put(isStrict ? 'read' : 'write', [workspace])
  // Targets of links in its folder are mounted too, because a checkout can have its packages elsewhere.
  const links = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => join(root, name))
  // An installed hookgate has the packages that it needs beside it.
  const beside = basename(dirname(root)) === 'node_modules' ? [dirname(root)] : []
  put('read', [...beside, root, ...links, process.execPath])
  mounts.set(own, 'bare')
  const shown =
    profile === 'hooks'
      ? hookPaths.map((name) => join(home, name))
      : 'strict' in profile
        ? profile.strict
        : profile.sockets
  const inOwn = (place: string): string => join(own, relative(home, place))
  for (const place of shown) mounts.set(inOwn(place), 'read')
  // Each folder is mounted separately: at a mount point no hook can put a link that the next start would
  // follow.
  const written =
    profile === 'hooks'
      ? [hooksOwn(home).home, hooksOwn(home).tmp]
      : 'strict' in profile || profile.kept === undefined
        ? []
        : [profile.kept]
  for (const place of written) mounts.set(inOwn(place), 'write')

  // A mount point cannot be moved. Without this a folder above could be moved, and another one put in its
  // place.
  for (const folder of isStrict ? [] : [home, root, workspace].map(realOf).flatMap(foldersAbove)) {
    const kind = kindAt(folder)
    if (!mounts.has(folder) && (kind === 'empty' || (kind === 'write' && canChange(dirname(folder)))))
      mounts.set(folder, kind)
  }
  const isHidden = (at: string): boolean => ['empty', 'bare'].includes(kindAt(at))
  const ways = [home, workspace, root, process.execPath, ...path.filter((folder) => folder.startsWith('/'))]
    .flatMap(linksOn)
    .filter(([at]) => isHidden(at))
  // The files that hooks write to /tmp last, and an owner can read them.
  const lasting =
    profile === 'hooks' ? new Map([[realOf('/tmp'), inOwn(hooksOwn(home).tmp)]]) : new Map<string, string>()
  const mountAt = (at: string, kind: Kind): Mount => {
    const from = lasting.get(at)
    return from === undefined ? { at, kind } : { at, kind, from }
  }
  return [
    ...[...mounts].map(([at, kind]) => mountAt(at, kind)),
    ...[...new Map(ways)].map(([at, to]) => ({ at, kind: 'link' as const, to })),
  ].toSorted((a, b) => depthOf(a) - depthOf(b))
}
