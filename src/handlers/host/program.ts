import type { ChildProcess, StdioOptions } from 'node:child_process'
import { closeSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { markName } from './spawn/group.ts'
import { makePluginData } from './spawn/hooks-home.ts'
import { spawnPatiently } from './spawn/patient-spawn.ts'
import { createPipes, type Pipe } from './spawn/pipes.ts'
import type { StartRequest, Waits } from './protocol.ts'
import { createOrphans } from './spawn/orphans.ts'

/** Gets the events of a started program. */
export interface ProgramListener {
  stdout(chunk: Buffer): void
  stderr(chunk: Buffer): void
  /** The program did not start. */
  failed(error: Error): void
  exited(code: number | null, signal: NodeJS.Signals | null): void
  /** The program exited and no process holds its output open. */
  closed(): void
}

export interface HookProcess {
  /** The leader of its process group; undefined when the program did not start. */
  readonly pid: number | undefined
  /** Replaces the listener of the program's events. */
  hear(listener: ProgramListener): void
  /** Writes the program's stdin and closes it. A shell that waits gets its own lines, too. */
  feed(stdin: string, lines?: string): void
  /** False when somebody has written into its input. */
  isUntouched(): boolean
  /**
   * Kills its process group, then closes its pipes. In this order the program never sees an unintended end of
   * its input.
   */
  close(): void
}

export const pipes = createPipes((text) => void process.stderr.write(`${text}\n`))
export const orphans = createOrphans()

/** Opens the last `count` of stdin, stdout and stderr: all of them or none. */
const openStdio = (count: number): readonly Pipe[] | undefined => {
  const opened: Pipe[] = []
  try {
    for (const direction of (['in', 'out', 'out'] as const).slice(-count)) {
      const pipe = pipes.open(direction)
      if (pipe !== undefined) opened.push(pipe)
    }
    if (opened.length === count) return opened
  } catch (error) {
    dropPipes(opened)
    throw error
  }
  dropPipes(opened)
  return undefined
}

const dropPipes = (opened: readonly Pipe[]): void => {
  for (const pipe of opened) {
    closeSync(pipe.ours)
    closeSync(pipe.theirs)
    pipes.release(pipe)
  }
}

type StandardStreams = Pick<HookProcess, 'feed' | 'isUntouched' | 'close'> & {
  readonly stdout: Readable | null
  readonly stderr: Readable | null
}

/**
 * This process's ends of the sockets that Node made. When descriptors run out there are no streams, whatever
 * the type says.
 */
const socketEnds = (child: ChildProcess): StandardStreams => {
  const [stdin, stdout, stderr] = (child.stdio as typeof child.stdio | undefined) ?? []
  // A hook may ignore its input (EPIPE).
  stdin?.on('error', () => undefined)
  return {
    stdout: stdout ?? null,
    stderr: stderr ?? null,
    feed: (text) => void child.stdin?.end(text),
    isUntouched: () => true,
    close: () => {
      for (const stream of (child.stdio as typeof child.stdio | undefined) ?? []) stream?.destroy()
    },
  }
}

const readerOf = (pipe: Pipe | undefined): Readable | null =>
  pipe === undefined ? null : new Socket({ fd: pipe.ours, readable: true, writable: false })

const pipeEnds = (opened: readonly Pipe[]): StandardStreams => {
  const [stderr, stdout] = [readerOf(opened.at(-1)), readerOf(opened.at(-2))]
  let input = opened.at(-3)
  let rest: Socket | undefined
  const closeInput = (): void => {
    if (input !== undefined) closeSync(input.ours)
    input = undefined
  }
  return {
    stdout,
    stderr,
    feed: (text) => {
      if (input === undefined) return
      const bytes = Buffer.from(text)
      let written = 0
      try {
        // Data that fits into the pipe is written at once, without a stream.
        while (written < bytes.length) written += writeSync(input.ours, bytes, written)
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') {
          rest = new Socket({ fd: input.ours, readable: false, writable: true })
          input = undefined
          rest.on('error', () => undefined).end(bytes.subarray(written))
          return
        }
        // A hook may ignore its input (EPIPE).
      }
      closeInput()
    },
    isUntouched: () => input !== undefined && pipes.isEmpty(input),
    close: () => {
      closeInput()
      for (const stream of [rest, stdout, stderr]) stream?.destroy()
      for (const pipe of opened) pipes.release(pipe)
    },
  }
}

/**
 * Starts a program in its own process group. Throws when the start cannot even be tried; `failed` reports the
 * other cases. A resident program has its connection to the gate as stdin and stdout.
 *
 * Every process of the same user can open the pipes of another by their names in /proc, and no socket. So a
 * program that waits has sockets alone, and a resident one has a pipe for stderr. A shell has the program's
 * pipes, and reads its own lines at descriptor 3 from a socket. There a program may tell its pid and exit
 * code: the system takes longer to clear it away than it to answer. It says so by its pid while it waits,
 * when it has closed the socket to the programs that it will start.
 */
export const startProgram = (
  request: StartRequest,
  listener: ProgramListener,
  waits?: Waits | Socket,
): HookProcess => {
  const [name = '', ...args] = request.argv
  const connection = waits instanceof Socket ? waits : undefined
  const opened = waits === 'program' ? undefined : openStdio(connection === undefined ? 3 : 1)
  const ours = opened?.map(({ theirs }) => theirs) ?? (['pipe', 'pipe', 'pipe'] as const)
  const stdio: StdioOptions =
    connection === undefined
      ? [...ours, ...(waits === undefined ? [] : (['pipe'] as const))]
      : [connection, connection, ours[0]]
  let child: ChildProcess
  try {
    makePluginData(request.env)
    child = spawnPatiently(name, args, {
      argv0: request.argv0,
      cwd: request.cwd,
      env: request.env,
      detached: true,
      shell: false,
      stdio,
    })
  } catch (error) {
    if (opened !== undefined) dropPipes(opened)
    throw error
  }
  for (const { theirs } of opened ?? []) closeSync(theirs)
  // A resident has no end of its own, so a process that falsely claims its mark would never be ended either.
  if (child.pid !== undefined)
    orphans.began(child.pid, connection === undefined ? request.env[markName] : undefined)
  const ends = opened === undefined ? socketEnds(child) : pipeEnds(opened)
  const side = (child.stdio as typeof child.stdio | undefined)?.[3] as Socket | undefined
  side?.on('error', () => undefined)
  let hearer = listener
  let open = 1
  let isClosed = false
  const oneLess = (): void => {
    open -= 1
    if (open === 0) hearer.closed()
  }
  child.on('error', (error) => hearer.failed(error))
  let hasExited = false
  const exit: ProgramListener['exited'] = (code, signal) => {
    if (hasExited) return
    hasExited = true
    hearer.exited(code, signal)
    oneLess()
  }
  child.on('exit', exit)
  let mayTell: boolean | undefined
  if (waits === 'program')
    side?.on('data', (told: Buffer) => {
      const [pid, code] = told.toString('latin1', 0, 32).split(' ').map(Number)
      if (pid === child.pid && code === undefined && mayTell === undefined) return void (mayTell = true)
      // Nothing more is read.
      side.destroy()
      if (pid === child.pid && Number.isInteger(code) && mayTell === true) exit(code ?? null, null)
    })
  for (const [stream, hear] of [
    [ends.stdout, (chunk: Buffer) => hearer.stdout(chunk)],
    [ends.stderr, (chunk: Buffer) => hearer.stderr(chunk)],
  ] as const) {
    if (stream === null) continue
    open += 1
    // A broken pipe ends only that stream.
    stream
      .on('data', hear)
      .on('error', () => undefined)
      .on('close', oneLess)
  }
  return {
    pid: child.pid,
    hear: (next) => {
      hearer = next
    },
    feed: (stdin, lines) => {
      mayTell ??= false
      ends.feed(stdin)
      if (waits === 'shell') side?.end(lines ?? '')
    },
    isUntouched: ends.isUntouched,
    close: () => {
      if (isClosed) return
      isClosed = true
      if (child.pid !== undefined) orphans.ended(child.pid)
      side?.destroy()
      ends.close()
    },
  }
}
