import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { isObject } from '../../core/model/base/json.ts'
import { codeOf, ProblemError, type Problem } from '../../core/model/gate/problem.ts'
import { makeFolder, unwritable } from '../../core/model/disk/durable.ts'

/**
 * The age up to which an unreadable lock counts as held: its writer may be between creating and writing the
 * file. The age uses the wall clock, which both processes share. A modification time far in the future means
 * that the clock was set back, and the lock does not count as held.
 */
const maxWritingMs = 10_000

/**
 * A value that differs between a process and a later process with the same id. Empty where the system does
 * not provide one.
 */
const bornOf = (pid: number): string => {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The 22nd field, counted after the program's name, which may hold blanks and brackets.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
    return `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${ticks}`
  } catch {
    return ''
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const readLock = (
  file: string,
): { readonly text: string; readonly pid?: number; readonly isHeld: boolean } => {
  const text = fs.readFileSync(file, 'utf8')
  try {
    const lock: unknown = JSON.parse(text)
    if (isObject(lock) && typeof lock['pid'] === 'number' && typeof lock['born'] === 'string') {
      const isHeld = isAlive(lock['pid']) && (lock['born'] === '' || lock['born'] === bornOf(lock['pid']))
      return { text, pid: lock['pid'], isHeld }
    }
  } catch {
    // The file is incomplete. Its age decides below.
  }
  return { text, isHeld: Math.abs(Date.now() - fs.statSync(file).mtimeMs) < maxWritingMs }
}

/**
 * Removes the lock of a dead process. When another process replaced it in the meantime, puts that lock back
 * and returns false.
 */
const clearStale = (file: string, seen: string): boolean => {
  const aside = `${file}.${randomUUID()}`
  fs.renameSync(file, aside)
  const isStale = fs.readFileSync(aside, 'utf8') === seen
  if (!isStale) fs.linkSync(aside, file)
  fs.rmSync(aside)
  return isStale
}

const heldBy = (file: string, pid: number | undefined): Problem => ({
  code: 'home.locked',
  message: `Expected the gate's folder to be free, got one that another hookgate uses${pid === undefined ? '' : ` (process ${pid})`}.`,
  fix: 'Stop that one first, or give this one its own folder with HOOKGATE_HOME.',
  file,
})

/** Locks the gate's folder for one hookgate. A lock whose process is gone is replaced. */
export const lockHome = (home: string): { readonly release: () => void } | Problem => {
  const file = path.join(home, 'run', 'gate.lock')
  const mine = `${JSON.stringify({ pid: process.pid, born: bornOf(process.pid), id: randomUUID() })}\n`
  const release = (): void => {
    try {
      if (fs.readFileSync(file, 'utf8') === mine) fs.rmSync(file)
    } catch {
      // Already gone.
    }
  }
  const tryCreate = (): boolean => {
    try {
      fs.writeFileSync(file, mine, { flag: 'wx', mode: 0o600, flush: true })
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      throw error
    }
  }
  let holder: number | undefined
  try {
    makeFolder(path.dirname(file), 0o755)
    for (let attempt = 0; attempt < 3; attempt++) {
      if (tryCreate()) return { release }
      try {
        const found = readLock(file)
        holder = found.pid
        if (found.isHeld || !clearStale(file, found.text)) break
      } catch (error) {
        // The lock was released or replaced just now, so the loop tries once more.
        if (codeOf(error) !== 'ENOENT') throw error
      }
    }
  } catch (error) {
    return unwritable(home, error)
  }
  return heldBy(file, holder)
}

/** Like `lockHome`, but throws a ProblemError when the folder is in use. */
export const takeHome = (home: string): { readonly release: () => void } => {
  const lock = lockHome(home)
  if ('release' in lock) return lock
  throw new ProblemError(lock)
}
