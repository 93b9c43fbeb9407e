import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { AsAgent } from '../../src/doctor/attack/attacker.ts'
import type { Instance, User } from './instance.ts'

/** How far the agent is kept from the gate, and how its programs are started then. */
export interface Mode {
  readonly gateUser?: User
  readonly agentUser?: User
  asAgent(instance: Pick<Instance, 'home'>): AsAgent
}

export const canMakeUsers = process.getuid?.() === 0

const made = (name: string): User => {
  try {
    execFileSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', name], { stdio: 'ignore' })
  } catch {
    // It is there already.
  }
  const id = (flag: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', LANG: 'C.UTF-8' }
const startAs = (user: User | undefined, [program = '', ...words]: readonly string[]): ReturnType<AsAgent> => spawn(program, words, { ...user, cwd: '/tmp', detached: true, stdio: 'pipe', env })

/** Gate and agent are one user, and no privileged one where the machine has the choice. */
const oneUser = (): { readonly gateUser?: User; readonly agentUser?: User } => {
  const one = canMakeUsers ? made('hookgate-one') : undefined
  return one === undefined ? {} : { gateUser: one, agentUser: one }
}

export const modes = {
  none: (): Mode => {
    const one = oneUser()
    return { ...one, asAgent: () => (argv) => startAs(one.agentUser, argv) }
  },
  /** Sees neither the gate's folder, its own socket excepted, nor any process but its own. */
  sandbox: (): Mode => {
    const one = oneUser()
    const hidden = (home: string): readonly string[] => ['bwrap', '--die-with-parent', '--unshare-pid', '--dev-bind', '/', '/', '--proc', '/proc', '--tmpfs', home, '--bind', join(home, 'run', 'main.sock'), join(home, 'run', 'main.sock')]
    return { ...one, asAgent: ({ home }) => (argv) => startAs(one.agentUser, [...hidden(home), ...argv]) }
  },
  users: (): Mode => {
    const agentUser = made('hookgate-two')
    return { agentUser, asAgent: () => (argv) => startAs(agentUser, argv) }
  },
} as const

export type ModeName = keyof typeof modes
export const isModeName = (name: string): name is ModeName => Object.hasOwn(modes, name)
