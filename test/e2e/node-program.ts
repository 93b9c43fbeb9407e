import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cli, until } from './program.ts'

export interface NodeProgram {
  /** The home folder of the person on that machine. */
  readonly home: string
  /** The folder of hookgate there. */
  readonly gate: string
  readonly child: ChildProcess
  output(): string
  /** Resolves when it has connected so many times. */
  connected(times?: number): Promise<void>
  readonly ended: Promise<number | null>
  stop(): Promise<number | null>
  kill(): Promise<void>
  /** Starts it again on the same folder, after it ended. */
  again(args?: readonly string[]): NodeProgram
  remove(): Promise<void>
}

const run = (home: string, args: readonly string[], env: Readonly<Record<string, string>>): NodeProgram => {
  const child = spawn(process.execPath, [cli, 'node', ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const ended = once(child, 'exit').then(([code]): number | null => code)
  return {
    home,
    gate: join(home, '.hookgate'),
    child,
    output: () => output,
    connected: async (times = 1) => {
      await until(`${times} connections of the node`, () => {
        if (child.exitCode !== null) throw new Error(`The node ended with ${child.exitCode}:\n${output}`)
        return output.split('Connected to ').length > times
      })
    },
    ended,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    again: (more = []) => run(home, more, env),
    remove: async () => {
      // What a killed node has started would still write into the folder while it is removed.
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 5000)
      child.kill('SIGCONT')
      await ended
      clearTimeout(late)
      await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

/**
 * Starts `hookgate node` as a process with a bare home folder of its own. `settings`: its gate.yaml. Without
 * one, it listens on no fixed port, since many nodes run on one machine here.
 */
export const startNode = async (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  settings = 'bridge: {http: {port: 0}}\n',
): Promise<NodeProgram> => {
  const home = await mkdtemp(join(tmpdir(), 'hookgate-node-'))
  await mkdir(join(home, '.hookgate'))
  await writeFile(join(home, '.hookgate', 'gate.yaml'), settings)
  return run(home, args, env)
}
