import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { ProblemError } from '../../model/problem.ts'
import { startHostChild, type HostChild } from './child.ts'
import {
  findContainer,
  inSandbox,
  withoutNamespace,
  type Container,
  type Containment,
} from './containment.ts'
import { killRemains, type User } from './group.ts'
import type { Emptying, HookFolders } from './hooks-bound.ts'
import { createJobs } from './jobs.ts'
import type {
  FromHost,
  Meeting,
  Probe,
  RunFailure,
  RunFailureKind,
  RunRequest,
  RunResult,
  StartRequest,
} from './protocol.ts'
import { createStandby } from './standby.ts'

/** Who hears about a resident program. */
export interface ResidentListener {
  started(pid: number): void
  /** The last of what it wrote on stderr, now and then. */
  stderr(text: string): void
  /** Once, the last: it is gone, or never started. */
  ended(failure: RunFailure): void
}

export interface HookHost {
  /** Never rejects. `signal` aborted: the group is killed and failure 'killed'. */
  readonly run: (
    request: RunRequest,
    signal?: AbortSignal,
    check?: () => string | undefined,
  ) => Promise<RunResult>
  /** Starts a program that stays, and that speaks with the gate over the connection of that meeting. */
  readonly reside: (
    request: StartRequest,
    meeting: Meeting,
    listener: ResidentListener,
  ) => { readonly end: () => void }
  /** Whether a program may wait, started, at its stdin. Never rejects; takes two runs and less than a second. */
  readonly probe: (request: RunRequest) => Promise<Probe>
  /** Ends what waits, and what runs on behind its answer, for hooks that are not among these fingerprints. */
  readonly retire: (live: ReadonlySet<string>) => void
  /** Kills every hook and the host; resolves when the host is gone. What ran or waited ends as 'killed'. */
  readonly stop: () => Promise<void>
  /** How many bytes hooks wrote; undefined while the host is down. Never rejects. */
  readonly measure: () => Promise<number | undefined>
  /** Kills every hook, and starts the host anew with less of what they wrote; `detail` is told of each. */
  readonly empty: (what: Emptying, detail: string) => void
  /** Leads the host's process group. Undefined while it is down. */
  readonly pid: () => number | undefined
  readonly containment: Containment
}

export interface HookHostOptions {
  /** How many hooks run at once, of those that are quick. Default: twice the cores, at least 4. */
  readonly maxParallel?: number
  /** A run that takes longer waits for something else than a processor, and leaves its slot to others. Default 250. */
  readonly briefMs?: number
  readonly log: (
    level: 'info' | 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void
  readonly onRestart?: () => void
  /** Who the host and its hooks run as; absent: the gate's own user. */
  readonly user?: User
  /** The words that start a program in a sandbox with a PID namespace. Absent: a namespace is made, where one can be had. */
  readonly sandbox?: readonly string[]
  /** Leaves the PID namespace alone that could be had. */
  readonly hasNoNamespace?: true
  /** What hooks write, as its own processes see it. Absent: nothing is made ready, or measured. */
  readonly folders?: HookFolders
  /** The folder of `prepareGit`; absent: the host makes for itself what git needs. */
  readonly git?: string | undefined
  /** What the mark of all that is started begins with. */
  readonly mark?: string
}

const backoffsMs = [0, 100, 500, 1000, 2000, 5000]
/** A host that lived this long starts the backoff anew. */
const provenAfterMs = 10_000
const startTimeoutMs = 10_000
const stopTimeoutMs = 2000

const details = {
  died: 'The hook host died while this hook ran; it was restarted.',
  wedged:
    'The hook host did not answer in time and was restarted; if this comes back, look for a hook that stops its parent.',
  down: 'Expected the hook host to be up, got it down; look for its error in the log.',
  stopped: 'The hook was stopped because hookgate stops.',
}

/** Starts the hook host and keeps it running. Rejects when the first start fails; later ones are tried for ever. */
export const startHookHost = async (options: HookHostOptions): Promise<HookHost> => {
  const { log, user, briefMs = 250, maxParallel = Math.max(4, 2 * availableParallelism()) } = options
  const container: Container =
    options.hasNoNamespace === true
      ? withoutNamespace('It was not wanted.')
      : options.sandbox === undefined
        ? findContainer(user)
        : inSandbox(options.sandbox)
  const isContained = container.containment.kind === 'pid namespace'
  const first = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  /** The process groups that the host reported, by id; none of a namespace, whose numbers mean others here. */
  const groups = new Map<number, number>()
  const residents = new Map<number, ResidentListener>()
  const probes = new Map<number, (probe: Probe) => void>()
  const measures = new Map<number, (bytes: number | undefined) => void>()
  let child: HostChild | undefined
  let mark = ''
  let isReady = false
  let hasStarted = false
  let isStopping = false
  let emptying: Emptying | undefined
  let attempt = 0
  let lastId = 0
  let upSinceMs = 0
  let restartTimer: NodeJS.Timeout | undefined
  let startTimer: NodeJS.Timeout | undefined

  const newId = (): number => ++lastId
  const kill = (id: number): void => child?.send({ type: 'kill', id })
  const standby = createStandby({
    kill,
    start: (request) => {
      const id = newId()
      child?.send({ type: 'wait', id, request })
      return id
    },
  })
  const jobs = createJobs({
    maxParallel,
    briefMs,
    standby,
    newId,
    isUp: () => isReady,
    send: (message) => child?.send(message),
    wedged: () => wedged(),
  })

  const receive = (message: FromHost): void => {
    switch (message.type) {
      case 'ready':
        clearTimeout(startTimer)
        isReady = true
        upSinceMs = performance.now()
        emptying = undefined
        if (hasStarted) {
          log('warn', 'hook host restarted', { pid: child?.pid })
          options.onRestart?.()
        }
        hasStarted = true
        first.resolve()
        return jobs.up()
      case 'started':
        if (!isContained) groups.set(message.id, message.pid)
        return residents.get(message.id)?.started(message.pid)
      case 'done':
        if (!message.goesOn) groups.delete(message.id)
        return jobs.done(message.id, message.result, message.goesOn)
      case 'probed':
        groups.delete(message.id)
        probes.get(message.id)?.(message.probe)
        return void probes.delete(message.id)
      case 'measured':
        measures.get(message.id)?.(message.bytes === 'endless' ? Number.POSITIVE_INFINITY : message.bytes)
        return void measures.delete(message.id)
      case 'stderr':
        return residents.get(message.id)?.stderr(message.text)
      case 'ended': {
        const { id, failure } = message
        groups.delete(id)
        standby.ended(id)
        jobs.ended(id)
        if (failure !== undefined) residents.get(id)?.ended(failure)
        residents.delete(id)
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
    // A namespace has ended with its host.
    if (!isContained) killRemains(user, [...groups.values()], mark)
    groups.clear()
    standby.clear()
    const hooksLost = jobs.lost(kind, detail, wasReady)
    for (const [id, { ended }] of residents) {
      residents.delete(id)
      ended({ kind, detail })
    }
    for (const resolve of probes.values()) resolve({ isSafe: false, why: detail })
    probes.clear()
    for (const resolve of measures.values()) resolve(undefined)
    measures.clear()
    if (isStopping) return stopped.resolve()
    if (!hasStarted) {
      const message = `Expected the hook host to start, got "${how}".`
      const fix =
        "Its own error is on stderr; hookgate needs the right to become the hooks' user, and that user must be able to read node and hookgate."
      first.reject(new ProblemError({ code: 'hooks.host', message, fix }))
      return
    }
    log('error', 'hook host died', { how, hooksLost })
    restartTimer = setTimeout(launch, backoffsMs[Math.min(attempt++, backoffsMs.length - 1)])
  }

  const wedged = (): void => {
    child?.kill()
    lose('no answer', 'host', details.wedged)
  }

  const launch = (): void => {
    mark = `${options.mark ?? ''}${randomUUID()}`
    try {
      const mine: HostChild = startHostChild({
        user,
        container,
        mark,
        folders: options.folders,
        git: options.git,
        emptying,
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
    run: jobs.run,
    reside: (request, meeting, listener) => {
      const id = newId()
      if (child === undefined || !isReady) {
        // Later, as every end comes: the caller has no hand on it yet.
        setImmediate(listener.ended, { kind: 'host', detail: details.down })
        return { end: () => undefined }
      }
      residents.set(id, listener)
      child.send({ type: 'reside', id, request, meeting })
      return { end: () => kill(id) }
    },
    probe: (request) => {
      if (child === undefined || !isReady) return Promise.resolve({ isSafe: false, why: details.down })
      const { promise, resolve } = Promise.withResolvers<Probe>()
      const id = newId()
      probes.set(id, resolve)
      child.send({ type: 'probe', id, request })
      return promise
    },
    measure: () => {
      if (child === undefined || !isReady) return Promise.resolve(undefined)
      const { promise, resolve } = Promise.withResolvers<number | undefined>()
      const id = newId()
      measures.set(id, resolve)
      child.send({ type: 'measure', id })
      return promise
    },
    empty: (what, detail) => {
      if (isStopping || child === undefined) return
      emptying = what
      child.kill()
      lose('what hooks wrote was too much', 'broken', detail)
    },
    retire: (live) => {
      standby.retire(live)
      jobs.retire(live)
    },
    stop: async () => {
      if (isStopping) return stopped.promise
      isStopping = true
      clearTimeout(restartTimer)
      jobs.stop()
      standby.clear()
      if (child === undefined) return stopped.resolve()
      const timer = setTimeout(child.kill, stopTimeoutMs)
      child.send({ type: 'end' })
      await stopped.promise
      clearTimeout(timer)
    },
    pid: () => child?.pid,
    containment: container.containment,
  }
}
