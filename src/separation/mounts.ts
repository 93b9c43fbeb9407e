import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What stands at a place of the sandbox: what is there outside, to write or only to read, or an empty folder. */
export interface Mount {
  readonly at: string
  readonly kind: 'write' | 'read' | 'empty'
}

export interface SandboxOptions {
  readonly home: string
  readonly workspace: string
  /** The folder of hookgate's own code. */
  readonly root: string
  /** The home of the user that everything runs as. */
  readonly userHome: string
  readonly isRoot: boolean
}

const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const isUnder = (folder: string, path: string): boolean => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

const foldersAbove = (path: string): readonly string[] => (dirname(path) === '/' ? [] : [...foldersAbove(dirname(path)), dirname(path)])

const canChange = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const depthOf = ({ at }: Mount): number => at.split('/').length

/**
 * What an agent sees of the machine, outer places first. `/tmp` and `/run` are its own: the sockets of the user's other
 * programs (a terminal multiplexer, the session's service manager, a container daemon) would be ways around the sandbox.
 * Root's agent owns every system file, so it may only read them.
 */
export const mountsFor = ({ home, workspace, root, userHome, isRoot }: SandboxOptions): readonly Mount[] => {
  const mounts = new Map<string, Mount['kind']>()
  const put = (path: string, kind: Mount['kind']): void => void mounts.set(realOf(path), kind)
  mounts.set('/', isRoot ? 'read' : 'write')
  // There root writes what the kernel then runs or obeys, also without its capabilities.
  if (isRoot) for (const place of ['/sys', '/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus']) if (existsSync(place)) put(place, 'read')
  for (const place of ['/tmp', '/run', '/var/run']) if (existsSync(place)) put(place, 'empty')
  // How names of the network are found, and where NixOS has its programs.
  for (const place of ['/etc/resolv.conf', '/run/nscd', '/run/current-system']) if (existsSync(place) && realOf(place).startsWith('/run/')) put(place, 'read')
  for (const place of ['/var/tmp', userHome, workspace]) if (place !== '/' && existsSync(place)) put(place, 'write')
  // With what links in its folder lead to: a checkout can have its packages elsewhere.
  const links = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(root, name))
  for (const place of [root, ...links, process.execPath]) if (existsSync(place)) put(place, 'read')
  put(home, 'empty')

  const kindAt = (path: string): Mount['kind'] => {
    const [outer = '/'] = [...mounts.keys()].filter((at) => isUnder(at, path)).toSorted((a, b) => b.length - a.length)
    return mounts.get(outer) ?? 'write'
  }
  // A place where something is mounted cannot be moved. Without that the agent could move a folder above and put its own there.
  const pins = [home, root].map(realOf).flatMap(foldersAbove).filter((folder) => !mounts.has(folder) && kindAt(folder) === 'write' && canChange(dirname(folder)))
  for (const pin of pins) mounts.set(pin, 'write')
  return [...mounts].map(([at, kind]) => ({ at, kind })).toSorted((a, b) => depthOf(a) - depthOf(b))
}
