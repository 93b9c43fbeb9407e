import type { RunFailure } from '../../core/model/hooks/run-result.ts'
import { randomUUID } from 'node:crypto'
import { messageOf, ProblemError } from '../../core/model/gate/problem.ts'
import { startHostChild, type HostChild, type HostStart } from './child.ts'
import type { RemovedFiles } from './spawn/hooks-bound.ts'
import type { FromHost, ToHost } from './protocol.ts'

/** How a hook host was lost, reported to every request that ran there. */
export interface HostLoss extends RunFailure {
  readonly wasReady: boolean
  /** The mark of every process that it started. */
  readonly mark: string
}

export interface HostSupervisorPorts {
  readonly how: Pick<HostStart, 'user' | 'container' | 'folders' | 'git'>
  /** The prefix of the mark of every started process. */
  readonly mark: string
  receive(message: Exclude<FromHost, { readonly type: 'ready' }>): void
  /** The host accepts work from now on. `isRestart`: an earlier host existed. */
  ready(isRestart: boolean): void
  /** Ends everything that ran there. Returns how many hooks were running. */
  lost(loss: HostLoss): number
  log(level: 'info' | 'warn' | 'error', what: string, fields: Readonly<Record<string, unknown>>): void
}

/** Keeps one hook host running: when it ends, another one is started after a growing pause. */
export interface HostSupervisor {
  /** Rejects when the first start fails; later starts are retried without end. */
  start(): Promise<void>
  /** Does nothing when the host is gone. Gives a promise when the message is sent later, in parts. */
  send(message: ToHost): Promise<void> | undefined
  isReady(): boolean
  pid(): number | undefined
  /** The host did not answer in time: it is killed and restarted. */
  wedged(): void
  /**
   * Restarts the host and removes files that hooks wrote. `detail` is the failure text of each hook that this
   * ends.
   */
  empty(what: RemovedFiles, detail: string): void
  /** Resolves when the host is gone. No other host is started. */
  stop(): Promise<void>
}

const backoffsMs = [0, 100, 500, 1000, 2000, 5000]
/** A host that ran for this long resets the pause. */
const provenAfterMs = 10_000
const startTimeoutMs = 10_000
const stopTimeoutMs = 2000

const details = {
  died: 'The hook host died while this hook ran, and was started again. Try again.',
  wedged:
    'The hook host did not answer in time, and was started again. If this happens again, look for a hook that stops its parent process.',
  stopped: 'The hook was stopped because hookgate is stopping.',
}

const startProblem = (how: string): ProblemError =>
  new ProblemError({
    code: 'hooks.host',
    message: `Expected the hook host to start, got "${how}".`,
    fix: "Its own error is on stderr; hookgate needs the right to become the hooks' user, and that user must be able to read node and hookgate.",
  })

export const createHostSupervisor = (ports: HostSupervisorPorts): HostSupervisor => {
  const { log } = ports
  const first = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  let child: HostChild | undefined
  let mark = ''
  let isReady = false
  let hasStarted = false
  let isStopping = false
  let emptying: RemovedFiles | undefined
  let attempt = 0
  let upSinceMs = 0
  let restartTimer: NodeJS.Timeout | undefined
  let startTimer: NodeJS.Timeout | undefined

  const ready = (): void => {
    clearTimeout(startTimer)
    isReady = true
    upSinceMs = performance.now()
    emptying = undefined
    const isRestart = hasStarted
    if (isRestart) log('warn', 'hook host restarted', { pid: child?.pid })
    hasStarted = true
    first.resolve()
    ports.ready(isRestart)
  }

  /** Handles a host that is gone or counts as gone. */
  const lose = (how: string, failure: RunFailure): void => {
    clearTimeout(startTimer)
    child = undefined
    const wasReady = isReady
    isReady = false
    if (wasReady && performance.now() - upSinceMs > provenAfterMs) attempt = 0
    const hooksLost = ports.lost({ ...failure, wasReady, mark })
    if (isStopping) return stopped.resolve()
    if (!hasStarted) return first.reject(startProblem(how))
    log('error', 'hook host died', { how, hooksLost })
    restartTimer = setTimeout(launch, backoffsMs[Math.min(attempt++, backoffsMs.length - 1)])
  }

  const wedged = (): void => {
    child?.kill()
    lose('no answer', { kind: 'host', detail: details.wedged })
  }

  const launch = (): void => {
    mark = `${ports.mark}${randomUUID()}`
    try {
      const mine: HostChild = startHostChild({
        ...ports.how,
        mark,
        emptying,
        onMessage: (message) => {
          if (child !== mine) return
          if (message.type === 'ready') ready()
          else ports.receive(message)
        },
        onClose: (how) => {
          if (child !== mine) return
          if (isStopping) lose(how, { kind: 'killed', detail: details.stopped })
          else lose(how, { kind: 'host', detail: details.died })
        },
      })
      child = mine
      startTimer = setTimeout(wedged, startTimeoutMs)
    } catch (error) {
      lose(messageOf(error), { kind: 'host', detail: details.died })
    }
  }

  return {
    start: () => {
      launch()
      return first.promise
    },
    send: (message) => child?.send(message),
    isReady: () => isReady,
    pid: () => child?.pid,
    wedged,
    empty: (what, detail) => {
      if (isStopping || child === undefined) return
      emptying = what
      child.kill()
      lose('hooks wrote too much', { kind: 'broken', detail })
    },
    stop: async () => {
      if (isStopping) return stopped.promise
      isStopping = true
      clearTimeout(restartTimer)
      if (child === undefined) return stopped.resolve()
      const timer = setTimeout(child.kill, stopTimeoutMs)
      void child.send({ type: 'end' })
      await stopped.promise
      clearTimeout(timer)
    },
  }
}
