import { existsSync, readFileSync } from 'node:fs'

/** The numbers of the capabilities (capability.h) that it takes to give files away, to end and to become other users. */
const needed = { chown: 0, kill: 5, setgid: 6, setuid: 7 }

/** Whether this process may change users: root, or a service that was given the right. */
export const mayChangeUsers = (): boolean => {
  try {
    const [, hex = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return Object.values(needed).every((bit) => (BigInt(`0x${hex}`) >> BigInt(bit)) % 2n === 1n)
  } catch {
    // No Linux: there root alone has the right.
    return process.getuid?.() === 0
  }
}

export const isRoot = (): boolean => process.getuid?.() === 0

/** Where the system keeps its programs. Never the environment's PATH: an agent may write in a folder of that. */
const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/current-system/sw/bin']

/** The full path of one of the system's programs. */
export const systemProgram = (name: string): string | undefined =>
  folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path))
