import { spawn } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readlinkSync, readSync, writeSync } from 'node:fs'
import { messageOf } from '../../../model/gate/problem.ts'

/** One pipe between this process and a program that it starts. */
export interface Pipe {
  /** The program's end; it blocks. To be closed here when the program has it. */
  readonly theirs: number
  /** This process's end; it does not block. */
  readonly ours: number
}

export interface Pipes {
  /** `in` is what a program reads, `out` what it writes. Undefined where pipes cannot be made. Throws when descriptors run out. */
  open(direction: 'in' | 'out'): Pipe | undefined
  /** After both ends were closed here: the pipe can serve again. */
  release(pipe: Pipe): void
  /** Makes `count` in advance, so that no hook waits for it. */
  prepare(count: number): void
}

/** Linux: a descriptor that names a file without opening it. */
const pathOnly = 0o10_000_000
/** The single digits that a shell takes and that are nobody's yet. */
const digits = [3, 4, 5, 6, 7, 8, 9]
/** A short text that is given in the script is a pipe in every common shell. The `read` keeps it there until it is killed. */
const script = `exec ${digits.map((digit) => `${digit}<<E`).join(' ')}\n${'.\nE\n'.repeat(digits.length)}read _`
const shellPath = '/bin/sh'
const makingTimeoutMs = 1000
/** A killed process needs a moment to let go. */
const lookAgainMs = 100
const oneByte = Buffer.from('\n')
const never = new Int32Array(new SharedArrayBuffer(4))

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
const nameOf = (pipe: number): string => `/proc/self/fd/${pipe}`

/**
 * Waits, blocking, until the shell has its pipes. Before that its digits may hold what it is loaded from, and the digit
 * behind the newest pipe that one's other end. What it has instead after a second, or undefined when all is well.
 */
const otherThanPipes = (pid: number): string | undefined => {
  const untilMs = performance.now() + makingTimeoutMs
  let links: readonly string[] = []
  while (performance.now() < untilMs) {
    try {
      links = digits.map((digit) => readlinkSync(`/proc/${pid}/fd/${digit}`))
      if (new Set(links).size === digits.length && links.every((link) => link.startsWith('pipe:')))
        return undefined
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
    Atomics.wait(never, 0, 0, 0.2)
  }
  return links.find((link) => !link.startsWith('pipe:')) ?? 'too few pipes'
}

/** Opens one end without waiting, for as long as `use` takes. */
const withEnd = (pipe: number, flags: number, use: (end: number) => boolean): boolean => {
  const end = openSync(nameOf(pipe), flags | constants.O_NONBLOCK)
  try {
    return use(end)
  } finally {
    closeSync(end)
  }
}

const isUnwritten = (pipe: number): boolean => {
  try {
    return withEnd(pipe, constants.O_RDONLY, (end) => readSync(end, oneByte) === 0)
  } catch {
    // EAGAIN: somebody could still write.
    return false
  }
}

const isUnread = (pipe: number): boolean => {
  try {
    // Only with a reader left does it go through: one whose run is over, and whose input had ended.
    return withEnd(pipe, constants.O_WRONLY, (end) => writeSync(end, '\n') < 0)
  } catch (error) {
    return codeOf(error) === 'EPIPE'
  }
}

/** True when no process reads or writes it: then it holds nothing, and nobody could listen in or speak up. */
const isFree = (pipe: number): boolean => isUnwritten(pipe) && isUnread(pipe)

/** Waits, blocking, until the killed shell has let go of its pipes, and with that of what it had put into them. */
const areFree = (pipes: readonly number[]): boolean => {
  const untilMs = performance.now() + makingTimeoutMs
  while (performance.now() < untilMs) {
    if (pipes.every(isFree)) return true
    Atomics.wait(never, 0, 0, 0.2)
  }
  return false
}

/** Pipes that nobody has open, each by a descriptor that names it. Throws. */
const make = (): readonly number[] => {
  const shell = spawn(shellPath, ['-c', script], { cwd: '/', env: {}, stdio: ['pipe', 'ignore', 'ignore'] })
  shell.on('error', () => undefined)
  const made: number[] = []
  try {
    if (shell.pid === undefined) throw Object.assign(new Error('no room for a shell'), { code: 'EAGAIN' })
    const other = otherThanPipes(shell.pid)
    if (other !== undefined) throw new Error(other)
    for (const digit of digits) made.push(openSync(`/proc/${shell.pid}/fd/${digit}`, pathOnly))
    shell.kill('SIGKILL')
    if (!areFree(made)) throw new Error('a shell that does not die')
    return made
  } catch (error) {
    for (const pipe of made) closeSync(pipe)
    throw error
  } finally {
    // One that never was has the number 0 with Node, and that is this process's own group.
    if (shell.pid !== undefined) shell.kill('SIGKILL')
    shell.stdin?.destroy()
    shell.unref()
  }
}

/**
 * Real pipes for programs. Node gives them sockets, and those cannot be opened by name on Linux: `cat /dev/stdin` and
 * `tee /dev/stderr` would fail. Nor does a FIFO do: opened by name after its writer left, it waits for another one.
 * Node cannot make a pipe, a shell can; and a pipe that is kept by name alone serves one program after another, each
 * time empty, but only when nobody holds it any more. It takes 64 KiB before its writer has to wait, as under every
 * runner that gives its hooks pipes: a Node script that exits by `process.exit` loses what is not taken by then.
 */
export const createPipes = (warn: (text: string) => void): Pipes => {
  const idle: number[] = []
  const inUse = new Map<Pipe, number>()
  // Elsewhere /dev/fd leads to the descriptor itself, whatever it is.
  let isPossible = process.platform === 'linux'

  const prepare = (count: number): void => {
    while (isPossible && idle.length < count) {
      try {
        if (!existsSync(shellPath)) throw new Error('no shell')
        idle.push(...make())
      } catch (error) {
        // Short today, there tomorrow; and whoever wanted to start a program is told.
        if (['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'].includes(codeOf(error))) throw error
        isPossible = false
        warn(
          `Expected /bin/sh and /proc to make pipes for hooks, got "${messageOf(error)}"; hooks get sockets, which they cannot open as /dev/stdin, /dev/stdout and /dev/stderr.`,
        )
      }
    }
  }

  const openEnds = (pipe: number, direction: 'in' | 'out'): Pipe => {
    const reader = openSync(
      nameOf(pipe),
      constants.O_RDONLY | (direction === 'out' ? constants.O_NONBLOCK : 0),
    )
    try {
      const writer = openSync(
        nameOf(pipe),
        constants.O_WRONLY | (direction === 'in' ? constants.O_NONBLOCK : 0),
      )
      return direction === 'in' ? { ours: writer, theirs: reader } : { ours: reader, theirs: writer }
    } catch (error) {
      closeSync(reader)
      throw error
    }
  }

  const takeBack = (pipe: number, isLastLook: boolean): void => {
    if (isFree(pipe)) idle.push(pipe)
    else if (isLastLook) closeSync(pipe)
    else setTimeout(takeBack, lookAgainMs, pipe, true).unref()
  }

  return {
    prepare,
    open: (direction) => {
      prepare(1)
      const pipe = idle.pop()
      if (pipe === undefined) return undefined
      try {
        const ends = openEnds(pipe, direction)
        inUse.set(ends, pipe)
        return ends
      } catch (error) {
        idle.push(pipe)
        throw error
      }
    },
    release: (ends) => {
      const pipe = inUse.get(ends)
      if (pipe === undefined) return
      inUse.delete(ends)
      // Later, because whoever asked waits for nothing of this.
      setImmediate(takeBack, pipe, false)
    },
  }
}
