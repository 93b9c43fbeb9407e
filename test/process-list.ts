import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** One process of this machine. */
export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly rssMb: number
  /** Its words, with a space between them. */
  readonly command: string
}

const maxListBytes = 64 * 1024 * 1024
/** Every Linux machine that Node runs on has pages of this size, but for a few ARM servers. */
const pageBytes = 4096
const megabyte = 1024 * 1024

const isNumber = (name: string): boolean => /^\d+$/.test(name)

/** Undefined for a process that has ended, also when its parent has not looked yet. */
const readProc = (pid: number): ProcessRow | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in brackets may hold anything. What follows it is described in proc(5), from the third field
    // on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent, group] = fields
    if (state === 'Z' || state === 'X') return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0$/, '').replaceAll('\0', ' ')
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      rssMb: (Number(fields[21]) * pageBytes) / megabyte,
      command,
    }
  } catch {
    return undefined
  }
}

const askPs = (): readonly ProcessRow[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,rss=,args='], {
    encoding: 'utf8',
    maxBuffer: maxListBytes,
  })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , stat]) => stat?.startsWith('Z') === false)
    .map(([pid, parent, group, , rss, ...words]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      rssMb: Number(rss) / 1024,
      command: words.join(' '),
    }))

/**
 * Who is alive on this machine, by ascending number. A zombie has ended: only its parent has not looked yet.
 * A small container has no `ps`, so Linux is asked itself.
 */
export const alive = (): readonly ProcessRow[] => {
  if (process.platform !== 'linux') return askPs()
  const pids = readdirSync('/proc')
    .filter(isNumber)
    .map(Number)
    .toSorted((a, b) => a - b)
  return pids.flatMap((pid) => readProc(pid) ?? [])
}

/** True while a process runs. One that has ended and waits for its parent to look does not. */
export const isAlive = (pid: number): boolean => alive().some((one) => one.pid === pid)
