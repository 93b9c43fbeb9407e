import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Container } from './spawn/containment.ts'
import { markName, type User } from './spawn/group.ts'
import type { Emptying, HookFolders } from './spawn/hooks-bound.ts'
import { containedWord, type FromHost, type ToHost } from './protocol.ts'

export interface HostChild {
  /** Leads the process group of what holds the host, and of the host. */
  readonly pid: number | undefined
  readonly send: (message: ToHost) => void
  readonly kill: () => void
}

// The extension is .ts in the repository and .js in what is published.
const processFile = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './process.ts' : './process.js', import.meta.url),
)

const nodeFlags = [
  // A hook could open the inspector of its own user's processes with `kill -USR1`.
  '--disable-sigusr1',
  '--disable-warning=ExperimentalWarning',
]

/** Of what a host says on stderr in its life, in bytes. */
const maxSaidBytes = 64 * 1024

/**
 * Says on the gate's stderr what the host says on its own, as text alone. The host never holds that one itself: a hook
 * of the same user could open the owner's terminal through it, and read what is typed there.
 */
const pass = (stderr: Readable | null): void => {
  let left = maxSaidBytes
  stderr
    ?.on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      const said = chunk.subarray(0, left)
      left -= said.length
      if (said.length > 0)
        process.stderr.write(said.toString().replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ' '))
    })
}

export interface HostStart {
  readonly user: User | undefined
  readonly container: Container
  readonly mark: string
  readonly folders: HookFolders | undefined
  /** See `prepareGit`; absent: the host makes what git needs. */
  readonly git: string | undefined
  /** What of those it is to empty before any hook runs. */
  readonly emptying: Emptying | undefined
  readonly onMessage: (message: FromHost) => void
  readonly onClose: (how: string) => void
}

/**
 * Starts one hook host. Its environment is its mark and the hooks' folders: what else the gate knows, a hook could read there.
 * It dies with the thread that calls this when a container holds it.
 * `onClose` comes exactly once, after its last message, with how it ended. Throws when the right to become `user` is missing.
 */
export const startHostChild = (options: HostStart): HostChild => {
  const { folders, git, emptying } = options
  const { containment, words } = options.container
  const isContained = containment.kind === 'pid namespace'
  const { prefix = [], ...user } = options.user ?? {}
  // A container's own words change the user, behind what only the gate's may do.
  const [program = '', ...args] = [
    ...(isContained ? words : prefix),
    process.execPath,
    ...nodeFlags,
    processFile,
    ...(isContained ? [containedWord] : []),
  ]
  const child = spawn(program, args, {
    ...(isContained ? {} : user),
    cwd: '/',
    env: {
      [markName]: options.mark,
      ...(folders === undefined ? {} : { HOME: folders.home, TMPDIR: folders.tmp }),
      ...(git === undefined ? {} : { HOOKGATE_GIT: git }),
      ...(emptying === undefined ? {} : { HOOKGATE_EMPTY: emptying }),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Out of the terminal's reach: after Ctrl-C it is the gate that ends it, with its hooks.
    detached: true,
  })
  pass(child.stderr)
  let error: string | undefined
  child.on('error', (cause) => (error = cause.message))
  /** One that never was has the number 0 with Node, and that is this process's own group. */
  const signal = (name: NodeJS.Signals): void => void (child.pid !== undefined && child.kill(name))
  child.on('message', (message) => options.onMessage(message as FromHost))
  child.on('close', (code, by) => options.onClose(error ?? (by === null ? `exit code ${code}` : by)))
  return {
    pid: child.pid,
    // An error means that it died; `close` follows.
    send: (message) => void child.send(message, () => undefined),
    kill: () => signal('SIGKILL'),
  }
}
