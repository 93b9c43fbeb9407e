import type { RunFailureKind, RunResult } from '../../core/model/hooks/run-result.ts'
import type { HostSupervisor } from './host-supervisor.ts'
import { failedRun, type RunRequest } from './protocol.ts'

/** The bound on all runs at the same time, short and long. */
export const maxRunning = 64

/** The queue of runs for the hook host, with a bound on how many run at once. */
export interface Jobs {
  /**
   * `check` gives the reason why the run may not start. It is called again when the run had to wait for a
   * slot.
   */
  run(request: RunRequest, signal?: AbortSignal, check?: () => string | undefined): Promise<RunResult>
  done(id: number, result: RunResult, goesOn: boolean): void
  /** An async run has ended. */
  ended(id: number): void
  /** The hook host is running. */
  up(): void
  /**
   * All running requests end with this failure. Waiting requests keep their own time limit until the host is
   * back. Returns how many were running.
   */
  lost(kind: RunFailureKind, detail: string, wasUp: boolean): number
  /** Ends all waiting requests and refuses new ones. */
  stop(): void
}

export interface JobOptions {
  readonly maxParallel: number
  /** A run that takes longer than this waits for something other than a processor, so it frees its slot. */
  readonly briefMs: number
  readonly supervisor: Pick<HostSupervisor, 'isReady' | 'send' | 'wedged'>
  newId(): number
}

interface Job {
  readonly id: number
  readonly request: RunRequest
  readonly resolve: (result: RunResult) => void
  readonly check?: (() => string | undefined) | undefined
  /** The caller's check ran in an earlier turn of the event loop and must be repeated. */
  hasWaited?: true
  /** While running: the host does not answer in time. While waiting: the host is down for too long. */
  timer?: NodeJS.Timeout
  /** Frees the slot. Set only while the run is short. */
  leaveSlot?: () => void
  /** Removes the listener from its signal. */
  forget?: () => void
}

/** Added to a run's own time limit before the host counts as hanging. */
const wedgedAfterMs = 2000

const details = {
  down: 'The hook host did not start again in time. Its error is in the log of hookgate.',
  stopped: 'The hook was stopped because hookgate is stopping.',
  aborted: 'The hook was stopped before it began, because the caller stopped waiting for its answer.',
}

export const createJobs = ({ maxParallel, briefMs, supervisor, newId }: JobOptions): Jobs => {
  const { isReady, send, wedged } = supervisor
  const running = new Map<number, Job>()
  const waiting = new Set<Job>()
  /** Async runs that have answered and still run. They take no slot. */
  const goingOn = new Map<number, Job>()
  let slotsTaken = 0
  let isStopped = false

  const settle = (job: Job, result: RunResult, goesOn = false): void => {
    clearTimeout(job.timer)
    if (running.delete(job.id)) job.leaveSlot?.()
    waiting.delete(job)
    if (goesOn) goingOn.set(job.id, job)
    else job.forget?.()
    job.resolve(result)
  }

  const takeSlot = (job: Job): void => {
    slotsTaken += 1
    const leave = (): void => {
      clearTimeout(timer)
      slotsTaken -= 1
      delete job.leaveSlot
    }
    const timer = setTimeout(() => {
      leave()
      pump()
    }, briefMs)
    job.leaveSlot = leave
  }

  /** The run's own time begins when the host has all of its request. */
  const watch = (job: Job): void => {
    if (running.has(job.id)) job.timer = setTimeout(wedged, job.request.timeoutMs + wedgedAfterMs)
  }

  const pump = (): void => {
    for (const job of waiting) {
      if (!isReady() || slotsTaken >= maxParallel || running.size >= maxRunning) return
      const changed = job.hasWaited === true ? job.check?.() : undefined
      if (changed !== undefined) {
        settle(job, failedRun('changed', changed))
        continue
      }
      waiting.delete(job)
      clearTimeout(job.timer)
      running.set(job.id, job)
      takeSlot(job)
      const later = send({ type: 'run', id: job.id, request: job.request })
      if (later === undefined) watch(job)
      else void later.then(() => watch(job))
    }
  }

  const awaitHost = (job: Job): void => {
    job.timer = setTimeout(() => settle(job, failedRun('host', details.down)), job.request.timeoutMs)
  }

  const abort = (job: Job): void => {
    if (running.has(job.id) || goingOn.has(job.id)) void send({ type: 'kill', id: job.id })
    else settle(job, failedRun('killed', details.aborted))
  }

  return {
    run: (request, signal, check) => {
      if (isStopped) return Promise.resolve(failedRun('killed', details.stopped))
      if (signal?.aborted === true) return Promise.resolve(failedRun('killed', details.aborted))
      const { promise, resolve } = Promise.withResolvers<RunResult>()
      const job: Job = { id: newId(), request, resolve, check }
      waiting.add(job)
      if (signal !== undefined) {
        const onAbort = (): void => abort(job)
        signal.addEventListener('abort', onAbort, { once: true })
        job.forget = () => signal.removeEventListener('abort', onAbort)
      }
      if (!isReady()) awaitHost(job)
      pump()
      if (waiting.has(job)) job.hasWaited = true
      return promise
    },
    done: (id, result, goesOn) => {
      const job = running.get(id)
      if (job === undefined) return
      settle(job, result, goesOn)
      pump()
    },
    ended: (id) => {
      goingOn.get(id)?.forget?.()
      goingOn.delete(id)
    },
    up: () => {
      for (const job of waiting) clearTimeout(job.timer)
      pump()
    },
    lost: (kind, detail, wasUp) => {
      const lost = [...running.values()]
      for (const job of lost) settle(job, failedRun(kind, detail))
      for (const job of goingOn.values()) job.forget?.()
      goingOn.clear()
      // When a start failed again, the timers of waiting requests already run since the host went down.
      if (wasUp && !isStopped) for (const job of waiting) awaitHost(job)
      return lost.length
    },
    stop: () => {
      isStopped = true
      for (const job of waiting) settle(job, failedRun('killed', details.stopped))
    },
  }
}
