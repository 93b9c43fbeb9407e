import { readdirSync, readFileSync } from 'node:fs'

/** One process, as /proc tells it. */
export interface ProcessRow {
  readonly pid: number
  /** 0: its parent is in another PID namespace, or it has none. */
  readonly parent: number
  readonly group: number
  /** 0: the session began in another PID namespace. */
  readonly session: number
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // It ended meanwhile, or belongs to somebody else.
    return ''
  }
}

/** Everybody whom this process can see. Linux only: elsewhere there is no /proc, and nobody is found. */
export const listPids = (): readonly number[] => {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** Undefined when it ended meanwhile. */
export const readRow = (pid: number): ProcessRow | undefined => {
  // After the name in brackets, which may hold anything.
  const [, parent, group, session] = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  if (session === undefined) return undefined
  return { pid, parent: Number(parent), group: Number(group), session: Number(session) }
}

/** The value of a variable in the environment with which it was started. */
export const readVariable = (pid: number, name: string): string | undefined =>
  read(`/proc/${pid}/environ`)
    .split('\0')
    .find((line) => line.startsWith(`${name}=`))
    ?.slice(name.length + 1)
