import { type ChildProcess, spawn } from 'node:child_process'
import { extname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AgentMake } from '../model/gate/agent.ts'
import type { ChannelPorts } from '../model/chat/channel.ts'
import { startAsGate, type StartAs } from '../model/gate/separation.ts'

/** How long to wait before each start after a death; the last one stays. */
const restartAfterMs = [0, 200, 1_000, 2_000, 5_000, 10_000]
/** A host that lived this long was well, and its next death counts as the first. */
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
  readonly workspace: string
  /** With whose rights it runs; absent: the gate's. */
  readonly startAs?: StartAs
  /** What it and its tools bear in their environment. */
  readonly mark?: { readonly name: string; readonly value: string }
  readonly log: ChannelPorts['log']
  /** Called each time that the host ended by itself. */
  readonly onExit: (exit: HostExit) => void
}

export interface AgentHost {
  /** Ends the host with all its tools, for good. */
  stop(): Promise<void>
  /** Undefined while none runs. */
  pid(): number | undefined
}

/** In source this is `.ts`, in `dist` `.js`. */
const hostFile = fileURLToPath(new URL(`./host${extname(import.meta.url)}`, import.meta.url))

/** Of the gate's environment only what every program needs; never a token. */
const environment = ({
  agentId,
  make,
  socketPath,
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
    HOOKGATE_AGENT: agentId,
    HOOKGATE_AGENT_MAKE: JSON.stringify(make),
    HOOKGATE_WORKSPACE: workspace,
    ...(startAs?.kept !== undefined && { HOOKGATE_KEPT: startAs.kept }),
    ...(mark !== undefined && { [mark.name]: `${mark.value}agent` }),
  }
}

const nodeFlags = [
  // The agent could open the inspector of its own host with `kill -USR1`, and speak in its name without a tool.
  '--disable-sigusr1',
  '--disable-warning=ExperimentalWarning',
]

/** Starts one host. In a session of its own: Ctrl-C at the console is the gate's to handle, and it has no terminal. */
const spawnHost = (options: AgentHostOptions): ChildProcess => {
  const { prefix, user } = options.startAs ?? startAsGate
  const [file, ...args] = [...prefix, process.execPath, ...nodeFlags, hostFile] as const
  return spawn(file, args, {
    ...user,
    cwd: options.workspace,
    env: environment(options),
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
}

/** Waits for the process, and for its pipes only a moment: what it left behind could hold those open. */
const exitOf = (child: ChildProcess): Promise<Pick<HostExit, 'code' | 'signal'>> =>
  new Promise((resolve) => {
    child.once('error', () => resolve({}))
    child.once('exit', (code, signal) => {
      const exit = { ...(code !== null && { code }), ...(signal !== null && { signal }) }
      const timer = setTimeout(resolve, lastWordsGraceMs, exit)
      child.once('close', () => {
        clearTimeout(timer)
        resolve(exit)
      })
    })
  })

/** Keeps one agent host alive until `stop`. The host's end of the pipe closes with this process, however it ends. */
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
    // One that never was has the number 0 with Node, and that is this process's own group.
    if (child?.pid !== undefined) child.kill('SIGKILL')
    await kept
  }

  return { stop, pid: () => child?.pid }
}
