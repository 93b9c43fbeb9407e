import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { hooksOwn } from '../hook-home.ts'
import { canChange, foldersAbove, isUnder, linksOn, realOf } from '../paths.ts'
import { toolFolders } from '../tools.ts'

/**
 * What stands at a place of the sandbox: what is there outside, to write or only to read; a folder of its own, which
 * lasts where it is `from` outside; the same, with nothing but what else is mounted in it; or a link.
 */
export type Mount =
  | { readonly at: string; readonly kind: 'write' | 'read' | 'empty' | 'bare'; readonly from?: string }
  | { readonly at: string; readonly kind: 'link'; readonly to: string }

export interface SandboxOptions {
  readonly home: string
  readonly workspace: string
  /** The folder of hookgate's own code. */
  readonly root: string
  /** The homes of the user that everything runs as: the environment's, and the one of the system's list. */
  readonly userHomes: readonly string[]
  /** The folders of PATH. */
  readonly path: readonly string[]
  readonly isRoot: boolean
}

/** Who is in the sandbox: an agent, with its sockets and the folder that is kept for it, or the hooks. */
export type Guest = { readonly sockets: readonly string[]; readonly kept?: string } | 'hooks'

/** Sockets of container daemons that make root of whomever they serve. */
const daemons = ['/var/snap', '/var/lib/lxd', '/var/lib/incus']
/** Of the gate's folder for hooks: what they are, the files that they judge, where a resident meets the gate, how their Python begins, what stands before their git, what was said. */
export const forHooks = ['seal', 'files', 'run/hooks', 'run/python', 'run/git', 'run/transcripts']

const realHomes = ({ userHomes }: SandboxOptions): readonly string[] =>
  [...new Set(userHomes.map(realOf))].filter(canChange)
const isKept = ({ workspace }: SandboxOptions, home: string): boolean =>
  home === '/' || isUnder(realOf(workspace), home)

/** The homes that are not there in the sandbox. */
export const hiddenHomes = (options: SandboxOptions): readonly string[] =>
  realHomes(options).filter((home) => !isKept(options, home))

/** Whether an agent sees what is at a real path, as far as the homes go. */
export const isShown = (options: SandboxOptions): ((real: string) => boolean) => {
  const hidden = hiddenHomes(options)
  const mounts = mountsFor(options, { sockets: [] }).filter(({ kind }) => kind !== 'link')
  return (real) => {
    if (!hidden.some((home) => isUnder(home, real))) return true
    const outer = mounts.findLast(({ at }) => isUnder(at, real))
    return outer?.kind === 'write' || outer?.kind === 'read'
  }
}

/** A home that is there to be written after all: it is the workspace, or in it. */
export const openHome = (options: SandboxOptions): string | undefined =>
  realHomes(options).find((home) => isKept(options, home))

const depthOf = ({ at }: Mount): number => at.split('/').length

/**
 * What an agent or the hooks see of the machine, outer places first. `/tmp` and `/run` are its own: the sockets of the
 * user's other programs (a terminal multiplexer, the session's service manager, a container daemon) would be ways around
 * the sandbox. So are files in the user's home that a shell or another program obeys: of it there are only the workspace
 * and tools. Root's agent owns every system file, so it may only read them.
 */
export const mountsFor = (options: SandboxOptions, guest: Guest): readonly Mount[] => {
  const { home, workspace, root, path, isRoot } = options
  type Kind = Exclude<Mount['kind'], 'link'>
  const mounts = new Map<string, Kind>([['/', isRoot ? 'read' : 'write']])
  const put = (kind: Kind, places: readonly string[]): void => {
    for (const place of places) if (existsSync(place)) mounts.set(realOf(place), kind)
  }
  // There root writes what the kernel then runs or obeys, also without its capabilities.
  if (isRoot) put('read', ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus'])
  // A user may freeze and kill what is in its own cgroups; what waits in the spool runs later, outside.
  put('read', ['/sys', '/var/spool'])
  put('empty', ['/tmp', '/var/tmp', '/run', '/var/run', ...daemons])
  // How names of the network are found, and where NixOS has its programs.
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
  // Of that home hooks have nothing, and one of them must not be able to move what another one runs from.
  put(guest === 'hooks' ? 'bare' : 'empty', hidden)

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
  put('write', [workspace])
  // With what links in its folder lead to: a checkout can have its packages elsewhere.
  const links = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => join(root, name))
  // An installed one has the packages that it needs beside it.
  const beside = basename(dirname(root)) === 'node_modules' ? [dirname(root)] : []
  put('read', [...beside, root, ...links, process.execPath])
  mounts.set(own, 'bare')
  const shown = guest === 'hooks' ? forHooks.map((name) => join(home, name)) : guest.sockets
  const inOwn = (place: string): string => join(own, relative(home, place))
  for (const place of shown) mounts.set(inOwn(place), 'read')
  // Each by itself: where something is mounted, no hook can put a link that the next start would follow.
  const written =
    guest === 'hooks'
      ? [hooksOwn(home).home, hooksOwn(home).tmp]
      : guest.kept === undefined
        ? []
        : [guest.kept]
  for (const place of written) mounts.set(inOwn(place), 'write')

  // A place where something is mounted cannot be moved. Without that a folder above could be, and another one put there.
  for (const folder of [home, root, workspace].map(realOf).flatMap(foldersAbove)) {
    const kind = kindAt(folder)
    if (!mounts.has(folder) && (kind === 'empty' || (kind === 'write' && canChange(dirname(folder)))))
      mounts.set(folder, kind)
  }
  const isHidden = (at: string): boolean => ['empty', 'bare'].includes(kindAt(at))
  const ways = [home, workspace, root, process.execPath, ...path.filter((folder) => folder.startsWith('/'))]
    .flatMap(linksOn)
    .filter(([at]) => isHidden(at))
  // What hooks write to /tmp lasts, and an owner can read it.
  const lasting =
    guest === 'hooks' ? new Map([[realOf('/tmp'), inOwn(hooksOwn(home).tmp)]]) : new Map<string, string>()
  const mountAt = (at: string, kind: Kind): Mount => {
    const from = lasting.get(at)
    return from === undefined ? { at, kind } : { at, kind, from }
  }
  return [
    ...[...mounts].map(([at, kind]) => mountAt(at, kind)),
    ...[...new Map(ways)].map(([at, to]) => ({ at, kind: 'link' as const, to })),
  ].toSorted((a, b) => depthOf(a) - depthOf(b))
}
