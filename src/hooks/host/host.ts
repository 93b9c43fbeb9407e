import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { ProblemError } from '../../model/problem.ts'
import { startHostChild, type HostChild } from './child.ts'
import { killRemains, type User } from './group.ts'
import { failedRun, type FromHost, type RunFailureKind, type RunRequest, type RunResult } from './protocol.ts'

export interface HookHost {
  /** Never rejects. `signal` aborted: the group is killed and failure 'killed'. */
  readonly run: (request: RunRequest, signal?: AbortSignal) => Promise<RunResult>
  /** Kills every hook and the host; resolves when the host is gone. What ran or waited ends as 'killed'. */
  readonly stop: () => Promise<void>
  /** Undefined while it is down. */
  readonly pid: () => number | undefined
}

export interface HookHostOptions {
  /** How many hooks run at once. Default: twice the cores, at least 4. */
  readonly maxParallel?: number
  readonly log: (level: 'info' | 'warn' | 'error', what: string, fields?: Readonly<Record<string, unknown>>) => void
  readonly onRestart?: () => void
  /** Who the host and its hooks run as; absent: the gate's own user. */
  readonly user?: User
}

interface Job {
  readonly id: number
  readonly request: RunRequest
  readonly resolve: (result: RunResult) => void
  pid?: number
  /** Running: the host is late. Waiting: the host is down for too long. */
  timer?: NodeJS.Timeout
}

const backoffsMs = [0, 100, 500, 1000, 2000, 5000]
/** A host that lived this long starts the backoff anew. */
const provenAfterMs = 10_000
const startTimeoutMs = 10_000
/** Added to a run's own bound before the host counts as wedged. */
const wedgedAfterMs = 2000
const stopTimeoutMs = 2000

const details = {
  died: 'The hook host died while this hook ran; it was restarted.',
  wedged: 'The hook host did not answer in time and was restarted; if this comes back, look for a hook that stops its parent.',
  down: 'Expected the hook host to be back in time for this hook, got none; look for its error in the log.',
  stopped: 'The hook was stopped because hookgate stops.',
  aborted: 'The hook was stopped before it began because nobody waits for its answer any more.',
}

/** Starts the hook host and keeps it running. Rejects when the first start fails; later ones are tried for ever. */
export const startHookHost = async (options: HookHostOptions): Promise<HookHost> => {
  const { log, user, maxParallel = Math.max(4, 2 * availableParallelism()) } = options
  const first = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  const running = new Map<number, Job>()
  const waiting = new Set<Job>()
  let child: HostChild | undefined
  let mark = ''
  let isReady = false
  let hasStarted = false
  let isStopping = false
  let attempt = 0
  let lastId = 0
  let upSinceMs = 0
  let restartTimer: NodeJS.Timeout | undefined
  let startTimer: NodeJS.Timeout | undefined

  const settle = (job: Job, result: RunResult): void => {
    clearTimeout(job.timer)
    running.delete(job.id)
    waiting.delete(job)
    job.resolve(result)
  }

  const pump = (): void => {
    for (const job of waiting) {
      if (!isReady || running.size >= maxParallel) return
      waiting.delete(job)
      clearTimeout(job.timer)
      running.set(job.id, job)
      job.timer = setTimeout(wedged, job.request.timeoutMs + wedgedAfterMs)
      child?.send({ type: 'run', id: job.id, request: job.request })
    }
  }

  const awaitHost = (job: Job): void => {
    job.timer = setTimeout(() => settle(job, failedRun('host', details.down)), job.request.timeoutMs)
  }

  const receive = (message: FromHost): void => {
    switch (message.type) {
      case 'ready':
        clearTimeout(startTimer)
        isReady = true
        upSinceMs = performance.now()
        for (const job of waiting) clearTimeout(job.timer)
        if (hasStarted) {
          log('warn', 'hook host restarted', { pid: child?.pid })
          options.onRestart?.()
        }
        hasStarted = true
        first.resolve()
        pump()
        return
      case 'started': {
        const job = running.get(message.id)
        if (job !== undefined) job.pid = message.pid
        return
      }
      case 'done': {
        const job = running.get(message.id)
        if (job === undefined) return
        settle(job, message.result)
        pump()
      }
    }
  }

  /** The host is gone, or counts as gone: its hooks end, and another one is started. */
  const lose = (how: string, kind: RunFailureKind, detail: string): void => {
    clearTimeout(startTimer)
    child = undefined
    const wasReady = isReady
    isReady = false
    if (wasReady && performance.now() - upSinceMs > provenAfterMs) attempt = 0
    const lost = [...running.values()]
    killRemains(user, lost.flatMap(({ pid }) => pid ?? []), mark)
    for (const job of lost) settle(job, failedRun(kind, detail))
    if (isStopping) return stopped.resolve()
    if (!hasStarted) {
      const message = `Expected the hook host to start, got "${how}".`
      const fix = 'Its own error is on stderr; hookgate needs the right to become the hooks\' user, and that user must be able to read node and hookgate.'
      first.reject(new ProblemError({ code: 'hooks.host', message, fix }))
      return
    }
    log('error', 'hook host died', { how, hooksLost: lost.length })
    // A start that failed again: whoever waits has waited since the host went down.
    if (wasReady) for (const job of waiting) awaitHost(job)
    restartTimer = setTimeout(launch, backoffsMs[Math.min(attempt++, backoffsMs.length - 1)])
  }

  const wedged = (): void => {
    child?.kill()
    lose('no answer', 'host', details.wedged)
  }

  const launch = (): void => {
    mark = randomUUID()
    try {
      const mine: HostChild = startHostChild({
        user,
        mark,
        onMessage: (message) => {
          if (child === mine) receive(message)
        },
        onClose: (how) => {
          if (child !== mine) return
          if (isStopping) lose(how, 'killed', details.stopped)
          else lose(how, 'host', details.died)
        },
      })
      child = mine
      startTimer = setTimeout(wedged, startTimeoutMs)
    } catch (error) {
      lose(error instanceof Error ? error.message : String(error), 'host', details.died)
    }
  }

  launch()
  await first.promise
  return {
    run: (request, signal) => {
      if (isStopping) return Promise.resolve(failedRun('killed', details.stopped))
      if (signal?.aborted === true) return Promise.resolve(failedRun('killed', details.aborted))
      const { promise, resolve } = Promise.withResolvers<RunResult>()
      const job: Job = { id: ++lastId, request, resolve }
      waiting.add(job)
      if (!isReady) awaitHost(job)
      pump()
      if (signal === undefined) return promise
      const abort = (): void => {
        if (running.has(job.id)) child?.send({ type: 'kill', id: job.id })
        else settle(job, failedRun('killed', details.aborted))
      }
      signal.addEventListener('abort', abort, { once: true })
      return promise.finally(() => signal.removeEventListener('abort', abort))
    },
    stop: async () => {
      if (isStopping) return stopped.promise
      isStopping = true
      clearTimeout(restartTimer)
      for (const job of waiting) settle(job, failedRun('killed', details.stopped))
      if (child === undefined) return stopped.resolve()
      const { kill, end } = child
      const timer = setTimeout(kill, stopTimeoutMs)
      end()
      await stopped.promise
      clearTimeout(timer)
    },
    pid: () => child?.pid,
  }
}
