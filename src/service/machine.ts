/** A user or a folder as the system has it. Rights are as of `chmod`, such as 0o711. */
export interface FoundUser {
  readonly uid: number
  readonly gid: number
}
export interface FoundFolder {
  readonly uid: number
  readonly mode: number
  /** True when nothing is in it but other folders that install makes. */
  readonly isEmpty: boolean
}

/** A file that install writes. */
export interface WantedFile {
  readonly path: string
  readonly mode: number
  readonly text: string
  /** What is there now. Undefined: nothing. */
  readonly found: string | undefined
}

export interface WantedUser {
  readonly name: string
  /** Agents have a home, in which their programs keep settings. */
  readonly hasHome: boolean
  readonly found: FoundUser | undefined
}

export interface WantedFolder {
  readonly path: string
  readonly mode: number
  /** The name of the user whose folder it is. */
  readonly owner: string
  readonly found: FoundFolder | undefined
}

/** What the service manager says. */
export interface ManagerFacts {
  /** The full path of systemctl or launchctl. Undefined: it is not installed. */
  readonly program: string | undefined
  /** False in most containers: then nobody starts services here. */
  readonly isRunning: boolean
  readonly isEnabled: boolean
  readonly isActive: boolean
}

/** Everything that decides which steps are left to do. */
export interface Machine {
  readonly kind: 'systemd' | 'launchd'
  /** The folder that is the root of another system, as an image is built. Empty: this system. */
  readonly root: string
  readonly isRoot: boolean
  /** How the person would type this command again, as root. */
  readonly typed: string
  readonly users: readonly WantedUser[]
  /** The outer one first. */
  readonly folders: readonly WantedFolder[]
  readonly unit: WantedFile
  /** The file with tokens. It is written once and belongs to the person then. */
  readonly settings: WantedFile | undefined
  readonly manager: ManagerFacts
  /** The full paths of programs. Undefined: it is not installed. */
  readonly programs: Readonly<Record<'addUser' | 'removeUser', string | undefined>>
  /** The first file or folder of hookgate or Node that other users cannot reach. */
  readonly unreachable: string | undefined
  /** The first of them that somebody besides root can change. */
  readonly changeable: string | undefined
  /** The file for tokens, where others may read or change it. */
  readonly exposed: string | undefined
  /** The first folder of another system that is a link out of it. */
  readonly outside: string | undefined
  /** The gate's folder. */
  readonly home: string
}

/** The name of the unit, of its user and of its folder. */
export const serviceName = 'hookgate'
export const launchdLabel = 'org.hookgate.gate'

export const modeWords = (mode: number): string => mode.toString(8).padStart(4, '0')
