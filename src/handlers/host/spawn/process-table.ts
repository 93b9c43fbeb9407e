import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'

/** One process, as /proc shows it. */
export interface ProcessRow {
  readonly pid: number
  /** One letter. S: it sleeps until something happens. */
  readonly state: string
  /** 0: its parent is in another PID namespace, or it has none. */
  readonly parent: number
  readonly group: number
  /** 0: the session began in another PID namespace. */
  readonly session: number
}

/** The line of a process is always shorter. */
const line = Buffer.alloc(4096)

/** One read gives all of it. Many processes are looked at in a row, and an event waits for it. */
const readLine = (path: string): string => {
  const file = openSync(path, 'r')
  try {
    return line.toString('latin1', 0, readSync(file, line))
  } finally {
    closeSync(file)
  }
}

/** Gives nothing of a process that has ended or that belongs to another user. */
const readOf = (pid: number, name: 'stat' | 'environ'): string => {
  try {
    const path = `/proc/${pid}/${name}`
    return name === 'stat' ? readLine(path) : readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/** The pids of all processes that this process can see. Linux only: without /proc the list is empty. */
export const listPids = (): readonly number[] => {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** Undefined when the process has ended. */
export const readRow = (pid: number): ProcessRow | undefined => {
  // The fields follow the name in brackets, which may hold any character.
  const [state = '', parent, group, session] = readOf(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
  if (session === undefined) return undefined
  return { pid, state, parent: Number(parent), group: Number(group), session: Number(session) }
}

/** The value of a variable in the environment with which the process was started. */
export const readVariable = (pid: number, name: string): string | undefined =>
  readOf(pid, 'environ')
    .split('\0')
    .find((line) => line.startsWith(`${name}=`))
    ?.slice(name.length + 1)
