import { execFileSync, spawn } from 'node:child_process'
import type { AsAgent } from '../../src/doctor/attack/attacker.ts'
import type { User } from './instance.ts'

/** How far the agent is kept from the gate, and how its programs are started then. */
export interface Mode {
  readonly name: 'none' | 'users'
  readonly gateUser?: User
  readonly agentUser?: User
  readonly asAgent: AsAgent
}

const made = (name: string): User => {
  try {
    execFileSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', name], { stdio: 'ignore' })
  } catch {
    // It is there already.
  }
  const id = (flag: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

const as = (user: User | undefined): AsAgent => ([program = '', ...words]) =>
  spawn(program, words, { ...user, cwd: '/tmp', detached: true, stdio: 'pipe', env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', LANG: 'C.UTF-8' } })

export const canMakeUsers = process.getuid?.() === 0

/** Without separation: gate and agent are one user, and no privileged one where the machine has the choice. */
export const none = (): Mode => {
  const one = canMakeUsers ? made('hookgate-one') : undefined
  return { name: 'none', asAgent: as(one), ...(one === undefined ? {} : { gateUser: one, agentUser: one }) }
}

export const users = (): Mode => {
  const agentUser = made('hookgate-two')
  return { name: 'users', agentUser, asAgent: as(agentUser) }
}
