import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { yieldIfLarge } from '../../core/model/base/yield-if-large.ts'
import { withOwnLimits } from '../../shared/base/process-group.ts'
import { readFromHost } from './from-host.ts'
import type { Container } from './spawn/containment.ts'
import { markName, type User } from './spawn/group.ts'
import type { RemovedFiles, HookFolders } from './spawn/hooks-bound.ts'
import { containedWord, type FromHost, type ToHost } from './protocol.ts'

export interface HostChild {
  /** The leader of the process group that contains the host and its container. */
  readonly pid: number | undefined
  /** Gives a promise when the message is sent later, in parts. It never rejects. */
  readonly send: (message: ToHost) => Promise<void> | undefined
  readonly kill: () => void
}

// The extension is .ts in the repository and .js in the published package.
const processFile = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './process.ts' : './process.js', import.meta.url),
)

const nodeFlags = [
  // Otherwise a hook could open the inspector of its user's processes with `kill -USR1`.
  '--disable-sigusr1',
  '--disable-warning=ExperimentalWarning',
  // To start a program copies the tables of this process's memory, which takes longer than all else that it
  // does: threads of its own and room for fast code would only make them larger.
  '--single-threaded',
  '--optimize-for-size',
  // What strips the types of the sources is compiled once only. The published program has none.
  '--liftoff-only',
]

/** The most that is copied from one host's stderr, in bytes. */
const maxStderrBytes = 64 * 1024

/**
 * Copies the host's own stderr to the gate's stderr as plain text. The host never gets the gate's stderr
 * itself: a hook of the same user could open the owner's terminal through it and read what is typed there.
 */
const pass = (stderr: Readable | null): void => {
  let left = maxStderrBytes
  stderr
    ?.on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      const text = chunk.subarray(0, left)
      left -= text.length
      if (text.length > 0)
        process.stderr.write(text.toString().replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ' '))
    })
}

/**
 * A longer stdin goes to the host in parts, in UTF-16 units. Writing one message with all of it would hold
 * the gate's thread.
 */
const partUnits = 256 * 1024

const sendInParts = async (
  order: Extract<ToHost, { type: 'run' }>,
  post: (message: ToHost) => void,
): Promise<void> => {
  const { id, request } = order
  const { stdin } = request
  for (let at = 0; at < stdin.length; at += partUnits) {
    post({ type: 'stdin', id, part: stdin.slice(at, at + partUnits) })
    await yieldIfLarge(stdin.length)
  }
  post({ ...order, request: { ...request, stdin: '' } })
}

export interface HostStart {
  readonly user: User | undefined
  readonly container: Container
  readonly mark: string
  readonly folders: HookFolders | undefined
  /** The folder of `prepareGit`. Absent: the host makes the files that git needs. */
  readonly git: string | undefined
  /** The part of these folders that the host empties before any hook runs. */
  readonly emptying: RemovedFiles | undefined
  readonly onMessage: (message: FromHost) => void
  readonly onClose: (how: string) => void
}

/**
 * Starts one hook host. Its environment holds only its mark and the hooks' folders, because a hook could read
 * everything else. A host in a container dies with the thread that calls this. `onClose` comes exactly once,
 * after the last message, and says how the host ended. Throws when the right to become `user` is missing.
 */
export const startHostChild = (options: HostStart): HostChild => {
  const { folders, git, emptying } = options
  const { containment, words } = options.container
  const isContained = containment.kind === 'pid namespace'
  const { prefix = [], ...user } = options.user ?? {}
  // A container changes the user itself, after the steps that need the gate's rights.
  const [program = '', ...args] = [
    ...withOwnLimits,
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
      HOME: folders?.home,
      TMPDIR: folders?.tmp,
      HOOKGATE_GIT: git,
      HOOKGATE_EMPTY: emptying,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Ctrl-C in the terminal must not reach the host: the gate ends the host together with its hooks.
    detached: true,
  })
  pass(child.stderr)
  let error: string | undefined
  child.on('error', (cause) => (error = cause.message))
  /** Node gives a process that did not start the number 0, which would mean this process's own group. */
  const signal = (name: NodeJS.Signals): void => void (child.pid !== undefined && child.kill(name))
  child.on('message', (message) => {
    if (error !== undefined) return
    const heard = readFromHost(message)
    if (heard !== undefined) return options.onMessage(heard)
    error = 'it sent what is no message of a hook host'
    signal('SIGKILL')
  })
  child.on('close', (code, by) => options.onClose(error ?? (by === null ? `exit code ${code}` : by)))
  // An error means that the host died; `close` follows.
  const post = (message: ToHost): void => void (child.connected && child.send(message, () => undefined))
  return {
    pid: child.pid,
    send: (message) => {
      if (message.type === 'run' && message.request.stdin.length > partUnits)
        return sendInParts(message, post)
      post(message)
      return undefined
    },
    kill: () => signal('SIGKILL'),
  }
}
