import fs from 'node:fs'
import path from 'node:path'
import type { Problem } from '../model/problem.ts'
import { findOnPath } from './tool.ts'

/** What Linux reads of a program to find its interpreter, in bytes. */
const maxHeadBytes = 256

export interface Placed {
  /** As it is named to the person. */
  readonly shown: string
  readonly isExecutable: boolean
  /** Its first bytes. */
  readonly head: Buffer
  /** The fixed PATH of hooks. */
  readonly path: string
  /** The working folder of the hook. */
  readonly cwd: string
}

/** The first bytes of a file; none when it cannot be read, which is told elsewhere. */
export const headOf = (file: string): Buffer => {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    try {
      const head = Buffer.alloc(maxHeadBytes)
      return head.subarray(0, fs.readSync(fd, head))
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return Buffer.alloc(0)
  }
}

/** Links lead nowhere here: what is not a file by itself is left to whoever reads it for a seal. */
const modeOf = (file: string): number | undefined => {
  try {
    const stat = fs.lstatSync(file)
    return stat.isFile() ? stat.mode : undefined
  } catch {
    return undefined
  }
}

/**
 * False for an executable text without a first line that names its interpreter: only a shell would run it, as its own
 * text. True for all else, so that what cannot run is found out.
 */
export const isSelfRunning = (file: string): boolean => {
  const mode = modeOf(file)
  if (mode === undefined || (mode & 0o111) === 0) return true
  const head = headOf(file)
  return head.subarray(0, 2).toString('latin1') === '#!' || head.includes(0)
}

const problem = (code: string, message: string, fix: string): Problem => ({ code: `program.${code}`, message, fix })

const isExecutableFile = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

const interpreterProblem = ({ shown, head, cwd, path: folders }: Placed): Problem | undefined => {
  const line = head.subarray(0, maxHeadBytes).toString('utf8').split('\n', 1)[0] ?? ''
  if (!line.startsWith('#!')) return undefined
  if (line.endsWith('\r')) {
    return problem('line_ends', `Expected the first line of "${shown}" to end in a line feed alone, got a carriage return before it.`, 'Save the file with Unix line ends.')
  }
  const [interpreter = '', ...rest] = line.slice(2).trim().split(/[ \t]+/)
  if (!isExecutableFile(path.resolve(cwd, interpreter))) {
    return problem('interpreter', `Expected the interpreter ${JSON.stringify(interpreter)} of the first line of "${shown}" to be a program, got none there.`, 'Install it or correct the line.')
  }
  const [name = '', ...more] = rest
  const isLookedUp = path.basename(interpreter) === 'env' && more.length === 0 && /^[\w.+-]+$/.test(name) && !name.startsWith('-')
  if (!isLookedUp || findOnPath(name, folders.split(path.delimiter)) !== undefined) return undefined
  return problem('interpreter', `Expected "${name}", which the first line of "${shown}" asks for, to be a program on the hooks' PATH (${folders}), got nothing there.`, 'Install it or correct the line.')
}

/** Why the system would not start this file as a program, found out before an owner approves what could only fail. */
export const startProblem = (program: Placed): Problem | undefined =>
  program.isExecutable
    ? interpreterProblem(program)
    : problem('not_executable', `Expected "${program.shown}" to be executable, got a file that is not.`, `Run: chmod +x ${program.shown}`)
