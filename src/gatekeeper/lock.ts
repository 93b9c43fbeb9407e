import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { isObject } from '../model/base/json.ts'
import { ProblemError, type Problem } from '../model/gate/problem.ts'
import { makeFolder, unwritable } from './home.ts'

/**
 * A lock without readable words: its writer is at work now, or it died between creating and writing it. Two processes
 * share no clock but the wall's, and where that was set back the file's time lies ahead: that is no writer at work.
 */
const maxWritingMs = 10_000

/** What tells a process from a later one with the same number; '' where the system does not say. */
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
    // Half written: told by its age below.
  }
  return { text, isHeld: Math.abs(Date.now() - fs.statSync(file).mtimeMs) < maxWritingMs }
}

/** Takes a dead process's lock away. False when it had become somebody else's meanwhile; then it is put back. */
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

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

/** One hookgate a folder. A lock whose process is gone is taken over. */
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
  const take = (): boolean => {
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
      if (take()) return { release }
      try {
        const found = readLock(file)
        holder = found.pid
        if (found.isHeld || !clearStale(file, found.text)) break
      } catch (error) {
        // It was released or taken over just now: try once more.
        if (codeOf(error) !== 'ENOENT') throw error
      }
    }
  } catch (error) {
    return unwritable(home, error)
  }
  return heldBy(file, holder)
}

/** The same, for a start that ends where it cannot be had. Throws a ProblemError. */
export const takeHome = (home: string): { readonly release: () => void } => {
  const lock = lockHome(home)
  if ('release' in lock) return lock
  throw new ProblemError(lock)
}
