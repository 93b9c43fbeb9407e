import { spawn } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readlinkSync, readSync, writeFileSync } from 'node:fs'
import { messageOf } from '../../../core/model/gate/problem.ts'

/** One pipe between this process and a program that it starts. */
export interface Pipe {
  /** A descriptor that names it without opening it. */
  readonly name: number
  /** The program's end, which blocks. This process closes it when the program has it. */
  readonly theirs: number
  /** This process's end, which does not block. */
  readonly ours: number
}

export interface Pipes {
  /**
   * A program reads from `in` and writes to `out`. Undefined when pipes cannot be made. Throws when
   * descriptors run out.
   */
  open(direction: 'in' | 'out'): Pipe | undefined
  /** True when nobody has written into the pipe. It takes a byte away where somebody has. */
  isEmpty(pipe: Pipe): boolean
  /** Gives the pipe back for another use. Both ends must have been closed here. */
  release(pipe: Pipe): void
  /** Makes `count` pipes in advance, so that no hook waits for one. */
  prepare(count: number): void
}

/** O_PATH of Linux: a descriptor that names a file without opening it. */
const pathOnly = 0o10_000_000
/** The single-digit descriptors that a shell accepts and that are free. */
const digits = [3, 4, 5, 6, 7, 8, 9]
/**
 * Every common shell passes a short here-document through a pipe. The `read` keeps the shell alive until it
 * is killed.
 */
const script = `exec ${digits.map((digit) => `${digit}<<E`).join(' ')}\n${'.\nE\n'.repeat(digits.length)}read _`
const shellPath = '/bin/sh'
const makingTimeoutMs = 1000
const oneByte = Buffer.from('\n')
const never = new Int32Array(new SharedArrayBuffer(4))

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
const nameOf = (pipe: number): string => `/proc/self/fd/${pipe}`

/**
 * Blocks until the shell has its pipes. Before that, its descriptors may hold the files from which it is
 * loaded, and the descriptor after the newest pipe may be that pipe's other end. Gives what the shell has
 * instead after a second; undefined when all are pipes.
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

/** Opens one end without waiting and closes it after `use`. */
const withEnd = (pipe: number, mode: number, use: (end: number, mode: number) => boolean): boolean => {
  const end = openSync(nameOf(pipe), mode | constants.O_NONBLOCK)
  try {
    return use(end, mode)
  } finally {
    closeSync(end)
  }
}

/** True when no other process has the opposite end open. A pipe that is read is empty then, too. */
const isAlone = (end: number, mode: number): boolean => {
  try {
    if (mode === constants.O_RDONLY) return readSync(end, oneByte) === 0
    // The write succeeds only when a reader is left, whose run is over and whose input had ended.
    writeFileSync(end, '\n')
    return false
  } catch (error) {
    // Another process could still write, or a reader is left and the pipe is full.
    if (codeOf(error) === 'EAGAIN') return false
    if (codeOf(error) === 'EPIPE') return true
    throw error
  }
}

/**
 * True when no process has the pipe open. Then it is empty, and no process could read or write the next
 * program's data. Throws when descriptors run out.
 */
const isFree = (pipe: number): boolean =>
  withEnd(pipe, constants.O_RDONLY, isAlone) && withEnd(pipe, constants.O_WRONLY, isAlone)

/** The modes of the program's end and of this process's end. */
const modes = {
  in: [constants.O_RDONLY, constants.O_WRONLY],
  out: [constants.O_WRONLY, constants.O_RDONLY],
} as const

/** Opens both ends, like `isFree` on the way. Undefined when another process has the pipe open. */
const openFree = (pipe: number, direction: 'in' | 'out'): Pipe | undefined => {
  const [theirMode, ourMode] = modes[direction]
  if (!withEnd(pipe, theirMode, isAlone)) return undefined
  const ours = openSync(nameOf(pipe), ourMode | constants.O_NONBLOCK)
  try {
    if (isAlone(ours, ourMode)) return { name: pipe, ours, theirs: openSync(nameOf(pipe), theirMode) }
  } catch (error) {
    closeSync(ours)
    throw error
  }
  closeSync(ours)
  return undefined
}

/** Blocks until the killed shell has closed its pipes, which also discards their content. */
const areFree = (pipes: readonly number[]): boolean => {
  const untilMs = performance.now() + makingTimeoutMs
  while (performance.now() < untilMs) {
    if (pipes.every(isFree)) return true
    Atomics.wait(never, 0, 0, 0.2)
  }
  return false
}

/** Makes pipes that no process has open, each as a descriptor that names it. Throws. */
const make = (): readonly number[] => {
  const shell = spawn(shellPath, ['-c', script], { cwd: '/', env: {}, stdio: ['pipe', 'ignore', 'ignore'] })
  shell.on('error', () => undefined)
  const made: number[] = []
  try {
    // When descriptors run out, Node makes no streams either.
    const code = shell.stdin ? 'EAGAIN' : 'EMFILE'
    if (shell.pid === undefined) throw Object.assign(new Error('no room for a shell'), { code })
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
    // Node gives a process that did not start the number 0, which would mean this process's own group.
    if (shell.pid !== undefined) shell.kill('SIGKILL')
    shell.stdin?.destroy()
    shell.unref()
  }
}

/**
 * Makes real pipes for programs. Node gives programs sockets, which cannot be opened by name on Linux: `cat
 * /dev/stdin` and `tee /dev/stderr` would fail. A FIFO does not work either: opened by name after its writer
 * left, it waits for another one. Node cannot make a pipe, but a shell can. A pipe that is kept by name
 * serves one program after another. It is empty each time, and it is used again only when no process holds
 * it. It takes 64 KiB before its writer has to wait, as with every runner that gives its hooks pipes: a Node
 * script that exits by `process.exit` loses what was not read by then.
 */
export const createPipes = (warn: (text: string) => void): Pipes => {
  const idle: number[] = []
  // On other systems /dev/fd leads to the descriptor itself, whatever its kind.
  let isPossible = process.platform === 'linux'

  const prepare = (count: number): void => {
    while (isPossible && idle.length < count) {
      try {
        if (!existsSync(shellPath)) throw new Error('no shell')
        idle.push(...make())
      } catch (error) {
        // The shortage may pass, and the caller that wanted to start a program gets the error.
        if (['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'].includes(codeOf(error))) throw error
        isPossible = false
        warn(
          `Expected /bin/sh and /proc to make pipes for hooks, got "${messageOf(error)}"; hooks get sockets, which they cannot open as /dev/stdin, /dev/stdout and /dev/stderr.`,
        )
      }
    }
  }

  const open: Pipes['open'] = (direction) => {
    prepare(1)
    // The one that was given back first: what was killed has closed it by now.
    const [pipe] = idle
    if (pipe === undefined) return undefined
    const ends = openFree(pipe, direction)
    idle.shift()
    if (ends !== undefined) return ends
    // A pipe that waits has a name, by which another hook may have opened it. Such a pipe is given up.
    closeSync(pipe)
    return open(direction)
  }

  return {
    prepare,
    open,
    isEmpty: ({ name }) => {
      try {
        return withEnd(name, constants.O_RDONLY, (end) => readSync(end, oneByte) < 0)
      } catch (error) {
        return codeOf(error) === 'EAGAIN'
      }
    },
    release: ({ name }) => void idle.push(name),
  }
}
