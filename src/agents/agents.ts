import { type ChildProcess, spawn } from 'node:child_process'
import { extname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AgentMake } from '../shared/gate/agent.ts'
import type { ChannelPorts } from '../core/model/chat/channel.ts'
import { withOwnLimits } from '../shared/base/process-group.ts'
import { startAsGate, type StartAs } from '../shared/gate/separation.ts'

/** The wait before each restart, in milliseconds. The last value applies to all later restarts. */
const restartAfterMs = [0, 200, 1_000, 2_000, 5_000, 10_000]
/** A host that ran this long counts as healthy, and its next failure counts as the first. */
const steadyMs = 60_000
const stopGraceMs = 2_000
const lastWordsGraceMs = 200
const maxLastWords = 2_000

export interface HostExit {
  readonly agentId: string
  readonly code?: number
  readonly signal?: string
  readonly restartInMs: number
}

export interface AgentHostOptions {
  readonly agentId: string
  readonly make: AgentMake
  readonly socketPath: string
  /**
   * The host sends it with each request, so that others on its socket cannot take its room. Absent: the
   * socket is that of a node, which keeps no room.
   */
  readonly hostKey?: string
  readonly workspace: string
  /** The user that the host runs as. Absent: the gate's user. */
  readonly startAs?: StartAs
  /** An environment variable that marks the host and its tools. */
  readonly mark?: { readonly name: string; readonly value: string }
  readonly log: ChannelPorts['log']
  /** Called each time the host ends without `stop`. */
  readonly onExit: (exit: HostExit) => void
}

export interface AgentHost {
  /** Ends the host with all its tools, and does not restart it. */
  stop(): Promise<void>
  /** The process id. Undefined while no host runs. */
  pid(): number | undefined
}

/** The file is `.ts` in the source and `.js` in `dist`. */
const hostFile = fileURLToPath(new URL(`./host${extname(import.meta.url)}`, import.meta.url))

/**
 * Returns the host's environment. It takes from the gate's environment only what every program needs, and
 * never a token.
 */
const environment = ({
  agentId,
  make,
  socketPath,
  hostKey,
  workspace,
  startAs,
  mark,
}: AgentHostOptions): Record<string, string> => {
  const { PATH, LANG } = process.env
  const HOME = startAs?.home ?? process.env['HOME']
  return {
    ...(PATH !== undefined && { PATH }),
    ...(HOME !== undefined && { HOME }),
    ...(LANG !== undefined && { LANG }),
    HOOKGATE_SOCKET: socketPath,
    ...(hostKey !== undefined && { HOOKGATE_HOST_KEY: hostKey }),
    HOOKGATE_AGENT: agentId,
    HOOKGATE_AGENT_MAKE: JSON.stringify(make),
    HOOKGATE_WORKSPACE: workspace,
    ...(startAs?.kept !== undefined && { HOOKGATE_KEPT: startAs.kept }),
    ...(mark !== undefined && { [mark.name]: `${mark.value}agent` }),
  }
}

const nodeFlags = [
  // Without this flag the agent could open its host's inspector with `kill -USR1` and act as the host.
  '--disable-sigusr1',
  '--disable-warning=ExperimentalWarning',
]

/**
 * Starts one host in a session of its own. So it has no terminal, and only the gate handles Ctrl-C at the
 * console.
 */
const spawnHost = (options: AgentHostOptions): ChildProcess => {
  const { prefix, user } = options.startAs ?? startAsGate
  const [file, ...args] = [...withOwnLimits, ...prefix, process.execPath, ...nodeFlags, hostFile] as const
  return spawn(file, args, {
    ...user,
    cwd: options.workspace,
    env: environment(options),
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
}

/**
 * Waits for the process to end, and then only briefly for its pipes, because a process that it left behind
 * could hold them open.
 */
const exitOf = (child: ChildProcess): Promise<Pick<HostExit, 'code' | 'signal'>> =>
  new Promise((resolve) => {
    child.once('error', () => resolve({}))
    child.once('exit', (code, signal) => {
      const exit = { ...(code !== null && { code }), ...(signal !== null && { signal }) }
      // What arrived while this process was held up is read only after its timers.
      const timer = setTimeout(() => setImmediate(resolve, exit), lastWordsGraceMs)
      child.once('close', () => {
        clearTimeout(timer)
        resolve(exit)
      })
    })
  })

/**
 * Keeps one agent host running until `stop`. The host reads a pipe that closes when this process ends for any
 * reason.
 */
export const startAgentHost = (options: AgentHostOptions): AgentHost => {
  const { agentId, log, onExit } = options
  const stopping = new AbortController()
  let child: ChildProcess | undefined

  const runOnce = async (): Promise<Pick<HostExit, 'code' | 'signal'>> => {
    const started = spawnHost(options)
    child = started
    let lastWords = ''
    started.on('error', ({ message }) => {
      lastWords = message
    })
    started.stderr?.on('data', (chunk: Buffer) => {
      lastWords = `${lastWords}${chunk.toString()}`.slice(-maxLastWords)
    })
    started.stdin?.on('error', () => undefined)
    const exit = await exitOf(started)
    child = undefined
    if (!stopping.signal.aborted)
      log('error', 'the agent host ended', {
        agent: agentId,
        ...exit,
        lastWords: lastWords.replaceAll(/[\x00-\x1f\x7f]+/g, ' ').trim(),
      })
    return exit
  }

  const keepRunning = async (): Promise<void> => {
    let deaths = 0
    while (!stopping.signal.aborted) {
      const startedAtMs = performance.now()
      const exit = await runOnce()
      if (stopping.signal.aborted) return
      if (performance.now() - startedAtMs > steadyMs) deaths = 0
      const restartInMs = restartAfterMs[Math.min(deaths, restartAfterMs.length - 1)] ?? 0
      deaths++
      onExit({ agentId, ...exit, restartInMs })
      await delay(restartInMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  const kept = keepRunning()

  const stop = async (): Promise<void> => {
    stopping.abort()
    child?.stdin?.end()
    await Promise.race([kept, delay(stopGraceMs, undefined, { ref: false })])
    // Node gives a process that never started the id 0, which would be this process's own group.
    if (child?.pid !== undefined) child.kill('SIGKILL')
    await kept
  }

  return { stop, pid: () => child?.pid }
}
