import { execFileSync } from 'node:child_process'
import { findAccount, type Account } from '../../src/isolation/users/accounts.ts'

export const isRoot = process.getuid?.() === 0

/** Locked while another process changes the list of users. */
const patiently = (file: string, args: readonly string[]): void => {
  for (let tries = 0; ; tries++) {
    try {
      return void execFileSync(file, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    } catch (error) {
      if (tries === 20) throw error
      execFileSync('sleep', ['0.2'])
    }
  }
}

/** Makes users of this machine, each with a group and a home of its own. Takes root. */
export const makePeople = <Name extends string>(
  ...names: readonly Name[]
): { readonly of: (name: Name) => Account; remove(): void } => {
  const full = (name: string): string => `hgt-${process.pid}-${name}`
  for (const name of names)
    patiently('useradd', ['--create-home', '--user-group', '--shell', '/bin/sh', full(name)])
  return {
    of: (name) => {
      const account = findAccount(full(name))
      if (account === undefined) throw new Error(`There is no user ${full(name)}.`)
      return account
    },
    remove: () => {
      for (const name of names) patiently('userdel', ['--remove', '--force', full(name)])
    },
  }
}
