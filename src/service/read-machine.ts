import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runProgram } from './carry-out.ts'
import {
  launchdLabel,
  serviceName,
  type FoundFolder,
  type FoundUser,
  type Machine,
  type ManagerFacts,
  type WantedFile,
} from './machine.ts'
import { launchdPlist, systemdUnit } from './unit.ts'

export interface MachinePorts {
  readonly kind: Machine['kind']
  readonly root: string
  readonly typed: string
  /** The words that start this program: the Node that runs it, and its file. */
  readonly program: readonly [node: string, cli: string]
  /** The folder of hookgate's own code. */
  readonly code: string
  /** The users that gate.yaml names. */
  readonly agentUsers: readonly string[]
  readonly hooksUser: string
  /** On macOS: the person who called sudo. */
  readonly person: { readonly name: string; readonly home: string } | undefined
  /** The packaged unit. */
  model(): string
  findUser(name: string): FoundUser | undefined
  /** The full path of one of the system's programs. */
  programOf(name: string): string | undefined
  /** The first of these files and the folders above them that somebody besides root can change. */
  changeable(paths: readonly string[]): string | undefined
}

/** The folder that holds the gate's folder and the workspace. The packaged unit names it, too. */
const stateFolder = '/var/lib/hookgate'
export const serviceHome = join(stateFolder, 'gate')

const maxFileBytes = 1024 * 1024

/**
 * A file that is there and is none, cannot be read, or is not root's with this mode has a text that nobody
 * wants.
 */
const textOf = (path: string, mode?: number): string | undefined => {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    const isAsMade = mode === undefined || (stat.uid === 0 && (stat.mode & 0o7777) === mode)
    return stat.isFile() && isAsMade && stat.size <= maxFileBytes ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}

const wantedUnit = (path: string, text: string): WantedFile => ({
  path,
  mode: 0o644,
  text,
  found: textOf(path, 0o644),
})

const entriesOf = (path: string): readonly string[] => {
  try {
    return readdirSync(path)
  } catch {
    // Who may not list it may not say that it is empty.
    return ['?']
  }
}

const folderAt = (path: string, own: readonly string[]): FoundFolder | undefined => {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    const isEmpty = entriesOf(path).every((name) => own.includes(join(path, name)))
    return { uid: stat.uid, mode: stat.isDirectory() ? stat.mode & 0o7777 : -1, isEmpty }
  } catch {
    return undefined
  }
}

/** The first of a path and its folders that other users may not pass or read. */
const closedAt = (path: string): string | undefined => {
  const real = realpathSync(path)
  if ((statSync(real).mode & 0o004) === 0) return real
  for (let at = dirname(real); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return at
    if (dirname(at) === at) return undefined
  }
}

/** The outermost folder of these paths that is a link out of another system. */
const outsideOf = (root: string, paths: readonly string[]): string | undefined => {
  if (root === '' || !existsSync(root)) return undefined
  const inside = join(realpathSync(root), '/')
  for (const path of paths) {
    let outside: string | undefined
    for (let at = dirname(path); at.length > root.length; at = dirname(at))
      if (existsSync(at) && !realpathSync(at).startsWith(inside)) outside = at
    if (outside !== undefined) return outside
  }
  return undefined
}

const managerFacts = async ({ kind, root, programOf }: MachinePorts): Promise<ManagerFacts> => {
  const program =
    programOf(kind === 'systemd' ? 'systemctl' : 'launchctl') ??
    (kind === 'launchd' ? '/bin/launchctl' : undefined)
  if (program === undefined) return { program, isRunning: false, isEnabled: false, isActive: false }
  const says = async (...words: readonly string[]): Promise<boolean> =>
    (await runProgram([program, ...words])).code === 0
  if (kind === 'launchd') {
    const isActive = await says('print', `system/${launchdLabel}`)
    return { program, isRunning: true, isEnabled: isActive, isActive }
  }
  // As sd_booted(3) finds out.
  const isRunning = root === '' && existsSync('/run/systemd/system')
  return {
    program,
    isRunning,
    isEnabled: await says(...(root === '' ? [] : [`--root=${root}`]), 'is-enabled', serviceName),
    isActive: isRunning && (await says('is-active', serviceName)),
  }
}

const settingsText = `# Only root may read this file. hookgate reads it when it starts.
# Take the # away, and restart: systemctl restart hookgate
# TELEGRAM_BOT_TOKEN=what @BotFather gave you
# HOOKGATE_OWNERS=telegram:your id
`

/** Reads how far the service is installed here. It changes nothing. */
export const readMachine = async (ports: MachinePorts): Promise<Machine> => {
  const {
    kind,
    root,
    typed,
    program,
    code,
    agentUsers,
    hooksUser,
    person,
    model,
    findUser,
    programOf,
    changeable,
  } = ports
  const common = {
    kind,
    root,
    typed,
    isRoot: process.getuid?.() === 0,
    manager: await managerFacts(ports),
    programs: { addUser: programOf('useradd'), removeUser: programOf('userdel') },
  }
  if (kind === 'launchd') {
    const { name, home } = person ?? { name: 'root', home: '/var/root' }
    return {
      ...common,
      users: [],
      folders: [],
      unit: wantedUnit(
        `/Library/LaunchDaemons/${launchdLabel}.plist`,
        launchdPlist(launchdLabel, program, { name, home }),
      ),
      settings: undefined,
      unreachable: undefined,
      changeable: undefined,
      exposed: undefined,
      outside: undefined,
      home: join(home, '.hookgate'),
    }
  }
  const user = (name: string, hasHome: boolean) => ({ name, hasHome, found: findUser(name) })
  const paths = [stateFolder, serviceHome].map((path) => `${root}${path}`)
  const unit = `${root}/etc/systemd/system/${serviceName}.service`
  const settings = `${root}/etc/hookgate.env`
  const found = statSync(settings, { throwIfNoEntry: false })
  const isExposed =
    found !== undefined &&
    ((found.mode & 0o077) !== 0 || (root === '' && changeable([settings]) !== undefined))
  const programs = root === '' ? [program[0], program[1], join(code, 'package.json')] : []
  return {
    ...common,
    users: [
      user(serviceName, false),
      ...[...new Set(agentUsers)].map((name) => user(name, true)),
      user(hooksUser, false),
    ],
    folders: paths.map((path) => ({ path, mode: 0o711, owner: serviceName, found: folderAt(path, paths) })),
    unit: wantedUnit(unit, systemdUnit(model(), program)),
    settings: { path: settings, mode: 0o600, text: settingsText, found: textOf(settings) },
    unreachable: programs.map(closedAt).find((at) => at !== undefined),
    changeable: changeable(programs),
    exposed: isExposed ? settings : undefined,
    outside: outsideOf(root, [unit, settings, ...paths, `${root}/home/any`]),
    home: `${root}${serviceHome}`,
  }
}
