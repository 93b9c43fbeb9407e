import { existsSync, readFileSync } from 'node:fs'

/**
 * The numbers of the capabilities (capability.h) that the gate needs to give files away, and to kill and
 * become other users.
 */
const needed = { chown: 0, kill: 5, setgid: 6, setuid: 7 }

/** Returns whether this process may change users: it is root, or a service that was given these rights. */
export const mayChangeUsers = (): boolean => {
  try {
    const [, hex = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return Object.values(needed).every((bit) => (BigInt(`0x${hex}`) >> BigInt(bit)) % 2n === 1n)
  } catch {
    // The system is not Linux; there only root has these rights.
    return process.getuid?.() === 0
  }
}

export const isRoot = (): boolean => process.getuid?.() === 0

/**
 * The folders in which the system keeps its programs. PATH is never used, because an agent may be able to
 * write in its folders.
 */
const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/current-system/sw/bin']

/** Returns the full path of one of the system's programs; undefined if it is not installed. */
export const systemProgram = (name: string): string | undefined =>
  folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path))
