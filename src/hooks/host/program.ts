import type { ChildProcess, StdioOptions } from 'node:child_process'
import { closeSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { markName } from './spawn/group.ts'
import { makePluginData } from './spawn/hooks-home.ts'
import { spawnPatiently } from './spawn/patient-spawn.ts'
import { createPipes, type Pipe } from './spawn/pipes.ts'
import type { StartRequest } from './protocol.ts'
import { createStrays } from './spawn/strays.ts'

/** Who hears what a started program does. */
export interface Ears {
  stdout(chunk: Buffer): void
  stderr(chunk: Buffer): void
  /** It did not start. */
  failed(error: Error): void
  exited(code: number | null, signal: NodeJS.Signals | null): void
  /** It exited, and nobody holds its output any more. */
  closed(): void
}

export interface HookProcess {
  /** Leads its process group. Undefined when it did not start. */
  readonly pid: number | undefined
  /** From now on these hear it, and nobody else. */
  hear(ears: Ears): void
  /** Gives it its stdin and closes that. */
  feed(stdin: string): void
  /** Kills its group, then lets go of its pipes: it never sees an end of its input that was not meant. */
  close(): void
}

export const pipes = createPipes((text) => void process.stderr.write(`${text}\n`))
export const strays = createStrays()

const closeAll = (fds: readonly number[]): void => {
  for (const fd of fds) closeSync(fd)
}

/** Opens stdin, stdout and stderr; all of them or none. */
const openStdio = (): readonly [Pipe, Pipe, Pipe] | undefined => {
  const opened: Pipe[] = []
  try {
    for (const direction of ['in', 'out', 'out'] as const) {
      const pipe = pipes.open(direction)
      if (pipe !== undefined) opened.push(pipe)
    }
    const [stdin, stdout, stderr] = opened
    if (stdin !== undefined && stdout !== undefined && stderr !== undefined) return [stdin, stdout, stderr]
  } catch (error) {
    dropPipes(opened)
    throw error
  }
  dropPipes(opened)
  return undefined
}

const dropPipes = (opened: readonly Pipe[]): void => {
  for (const pipe of opened) {
    closeAll([pipe.ours, pipe.theirs])
    pipes.release(pipe)
  }
}

interface Ends {
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  feed(stdin: string): void
  close(): void
}

/** The ends of sockets that Node made. With no descriptor left there are no streams, whatever the type says. */
const socketEnds = (child: ChildProcess): Ends => {
  const [stdin, stdout, stderr] = (child.stdio as typeof child.stdio | undefined) ?? []
  // A hook need not read what it is given (EPIPE).
  stdin?.on('error', () => undefined)
  return {
    stdout: stdout ?? null,
    stderr: stderr ?? null,
    feed: (text) => void child.stdin?.end(text),
    close: () => {
      for (const stream of (child.stdio as typeof child.stdio | undefined) ?? []) stream?.destroy()
    },
  }
}

const pipeEnds = (opened: readonly [Pipe, Pipe, Pipe]): Ends => {
  const [input, ...outputs] = opened
  const [stdout, stderr] = outputs.map(
    ({ ours }) => new Socket({ fd: ours, readable: true, writable: false }),
  )
  let rest: Socket | undefined
  let isOpen = true
  const closeInput = (): void => {
    if (isOpen) closeSync(input.ours)
    isOpen = false
  }
  return {
    stdout: stdout ?? null,
    stderr: stderr ?? null,
    feed: (text) => {
      const bytes = Buffer.from(text)
      let written = 0
      try {
        // What fits goes at once, without a stream for it.
        while (written < bytes.length) written += writeSync(input.ours, bytes, written)
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') {
          isOpen = false
          rest = new Socket({ fd: input.ours, readable: false, writable: true })
          rest.on('error', () => undefined).end(bytes.subarray(written))
          return
        }
        // It need not read what it is given (EPIPE).
      }
      closeInput()
    },
    close: () => {
      closeInput()
      for (const stream of [rest, stdout, stderr]) stream?.destroy()
      for (const pipe of opened) pipes.release(pipe)
    },
  }
}

/** Starts a program in a process group of its own. Throws when it cannot even be tried; `failed` tells the other cases. */
export const startProgram = (request: StartRequest, ears: Ears): HookProcess => {
  const [name = '', ...args] = request.argv
  const opened = openStdio()
  const stdio: StdioOptions = opened?.map(({ theirs }) => theirs) ?? 'pipe'
  let child: ChildProcess
  try {
    makePluginData(request.env)
    child = spawnPatiently(name, args, {
      ...(request.argv0 === undefined ? {} : { argv0: request.argv0 }),
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
  if (opened !== undefined) closeAll(opened.map(({ theirs }) => theirs))
  if (child.pid !== undefined) strays.began(child.pid, request.env[markName])
  const ends = opened === undefined ? socketEnds(child) : pipeEnds(opened)
  let hearer = ears
  let open = 1
  let isClosed = false
  const oneLess = (): void => {
    open -= 1
    if (open === 0) hearer.closed()
  }
  child.on('error', (error) => hearer.failed(error))
  child.on('exit', (code, signal) => {
    hearer.exited(code, signal)
    oneLess()
  })
  for (const [stream, hear] of [
    [ends.stdout, (chunk: Buffer) => hearer.stdout(chunk)],
    [ends.stderr, (chunk: Buffer) => hearer.stderr(chunk)],
  ] as const) {
    if (stream === null) continue
    open += 1
    // A broken pipe is the end of that stream and of nothing else.
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
    feed: ends.feed,
    close: () => {
      if (isClosed) return
      isClosed = true
      if (child.pid !== undefined) strays.ended(child.pid)
      ends.close()
    },
  }
}
