import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { untilWithin } from '../until.ts'

/**
 * The program under test: what `HOOKGATE_CLI` names. A run of vitest builds it and names it there, unless it
 * has a name already, for instance of what was packed.
 */
export const cli = process.env['HOOKGATE_CLI'] ?? resolve(import.meta.dirname, '../../src/cli.ts')

export interface Program {
  readonly home: string
  readonly workspace: string
  readonly gate: string
  readonly child: ChildProcess
  /** Everything that it printed so far. */
  output(): string
  login(): string
  pairing(): string
  /** Presses Enter at the console. */
  enter(): void
  /** Ends it as Ctrl-C does, and resolves with its exit code. */
  stop(): Promise<number | null>
  kill(): Promise<void>
  /** Starts it again on the same folders, after it ended. */
  again(env?: Record<string, string>): Promise<Program>
  remove(): Promise<void>
}

/** A limit is for what never comes. It says nothing about how fast a machine with other work is. */
export const until = untilWithin(90_000)

/** With whose rights the program is started; absent: one's own. */
export interface Starter {
  readonly prefix?: readonly string[]
  readonly user?: { readonly uid: number; readonly gid: number }
  /** What is done with the new home before the first start. */
  readonly prepare?: (home: string) => void
  /** How long it may take until it works, in milliseconds. A gate that waits needs longer. */
  readonly withinMs?: number
}

/** Starts the program in this home, and does not wait until it works. */
export const launch = (
  home: string,
  env: Record<string, string>,
  entry: string = cli,
  starter: Starter = {},
): Program => {
  const [file, ...args] = [...(starter.prefix ?? []), process.execPath, entry, 'start'] as const
  const child = spawn(file, args, {
    ...starter.user,
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, HOOKGATE_PORT: '0', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const ended = once(child, 'exit').then(([code]): number | null => code)
  const last = (pattern: RegExp): string => [...output.matchAll(pattern)].at(-1)?.[1] ?? ''
  return {
    home,
    workspace: join(home, 'hookgate'),
    gate: join(home, '.hookgate'),
    child,
    output: () => output,
    login: () => last(/Open (\S+)/g),
    pairing: () => last(/\/pair (\S+)/g),
    enter: () => void child.stdin.write('\n'),
    stop: () => {
      child.kill('SIGINT')
      return ended
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    again: (more = {}) => run(home, { ...env, ...more }, entry, starter),
    remove: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
      await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

/** True when the program has said that it works. */
export const hasStarted = ({ output }: Program): boolean =>
  /Type \/hooks.*in the chat\.\n[^\n]*\n/.test(output())

const run = async (...[home, env, entry, starter]: Parameters<typeof launch>): Promise<Program> => {
  const program = launch(home, env, entry, starter)
  await until(
    `hookgate to start`,
    () => {
      const { exitCode } = program.child
      if (exitCode !== null) throw new Error(`hookgate ended with ${exitCode}:\n${program.output()}`)
      return hasStarted(program)
    },
    starter?.withinMs ?? 120_000,
  ).catch((error: unknown) => {
    program.child.kill('SIGKILL')
    throw error
  })
  return program
}

/** Starts the real program as a process, in a bare home folder of its own. */
export const startProgram = async (
  env: Record<string, string> = {},
  entry = cli,
  starter: Starter = {},
): Promise<Program> => {
  const home = await mkdtemp(join(tmpdir(), 'hookgate-e2e-'))
  starter.prepare?.(home)
  return run(home, env, entry, starter).catch(async (error: unknown) => {
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    throw error
  })
}
