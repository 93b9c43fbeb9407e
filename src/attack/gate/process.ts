import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AttackMode, GateFolders, SystemUser } from './mode.ts'
import type { Owner } from './owner.ts'
import { until } from './until.ts'

export interface GateProcessOptions {
  readonly gateUser: AttackMode['gateUser']
  readonly owner: Owner
  /** The path of hookgate's program. */
  readonly cli: string
  readonly folders: GateFolders
  /** The file that gets the console's output. */
  readonly console: string
  /** The compile cache of Node. */
  readonly cache: string
}

export interface GateProcess {
  pid(): number | undefined
  /** Presses Enter at the console. Resolves with the address of the page that the gate then gives. */
  newLogin(): Promise<string>
  start(): Promise<void>
  stop(): Promise<void>
}

const killed = async (child: ChildProcess | undefined): Promise<void> => {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  child.kill('SIGCONT')
  await gone
}

export const ownedBy = async (path: string, user: SystemUser | undefined): Promise<void> => {
  if (user !== undefined) await chown(path, user.uid, user.gid)
}

/**
 * Runs the process of the attacked gate. Its console goes to a file, so the gate writes the login to
 * secrets/login instead.
 */
export const createGateProcess = ({
  gateUser,
  owner,
  cli,
  folders: { home, workspace, userHome },
  console,
  cache,
}: GateProcessOptions): GateProcess => {
  let child: ChildProcess | undefined
  const output = (): string => readFileSync(console, 'utf8')
  const loginFile = join(home, 'secrets', 'login')
  const login = (): string | undefined =>
    existsSync(loginFile) ? /Open (\S+)/.exec(readFileSync(loginFile, 'utf8'))?.[1] : undefined
  return {
    pid: () => child?.pid,
    newLogin: async () => {
      const before = login()
      child?.stdin?.write('\n')
      return until('a login', () => login() !== before && login())
    },
    start: async () => {
      await writeFile(console, '')
      await ownedBy(console, gateUser)
      const out = openSync(console, 'a')
      const mine = spawn(process.execPath, [cli, 'start'], {
        ...gateUser,
        cwd: userHome,
        stdio: ['pipe', out, out],
        // A folder of the agent is the first one on the PATH of the person.
        env: {
          PATH: `${join(workspace, 'bin')}:${process.env['PATH'] ?? ''}`,
          HOME: userHome,
          HOOKGATE_PORT: '0',
          HOOKGATE_HOME: home,
          HOOKGATE_WORKSPACE: workspace,
          NODE_COMPILE_CACHE: cache,
          ...owner.env(),
        },
      })
      child = mine
      closeSync(out)
      mine.stdin?.on('error', () => undefined)
      await until('the gate to start', () => {
        if (mine.exitCode !== null) throw new Error(`hookgate ended with ${mine.exitCode}:\n${output()}`)
        return /Type \/hooks.*in the chat\.\n/.test(output())
      })
    },
    stop: () => killed(child),
  }
}
