import type { RunResult } from '../../core/model/hooks/run-result.ts'
import { availableParallelism } from 'node:os'
import {
  findContainer,
  inSandbox,
  withoutNamespace,
  type Container,
  type Containment,
} from './spawn/containment.ts'
import { killRemains, type User } from './spawn/group.ts'
import type { RemovedFiles, HookFolders } from './spawn/hooks-bound.ts'
import { createJobs } from './jobs.ts'
import { createHostSupervisor } from './host-supervisor.ts'
import type {
  FromHost,
  Meeting,
  Probe,
  ResidentListener,
  RunRequest,
  StartRequest,
  ToHost,
} from './protocol.ts'

export interface HookHost {
  /** Never rejects. When `signal` aborts, the process group is killed and the failure is 'killed'. */
  readonly run: (
    request: RunRequest,
    signal?: AbortSignal,
    check?: () => string | undefined,
  ) => Promise<RunResult>
  /**
   * Starts a resident program, which talks to the gate over the connection of that meeting. It ends when
   * `signal` aborts.
   */
  readonly reside: (
    request: StartRequest,
    meeting: Meeting,
    listener: ResidentListener,
    signal: AbortSignal,
  ) => void
  /**
   * Finds out whether a program may be started in advance and wait at its stdin. Never rejects. Takes two
   * runs and less than a second.
   */
  readonly probe: (request: RunRequest) => Promise<Probe>
  /** Ends waiting instances and async runs of hooks that are not among these fingerprints. */
  readonly retire: (live: ReadonlySet<string>) => void
  /**
   * Kills every hook and the host. Resolves when the host is gone. All running and waiting requests end as
   * 'killed'.
   */
  readonly stop: () => Promise<void>
  /** The bytes that hooks wrote; undefined while the host is down. Never rejects. */
  readonly measure: () => Promise<number | undefined>
  /**
   * Kills every hook, starts the host again and removes files that hooks wrote. `detail` is the failure text
   * of each killed hook.
   */
  readonly empty: (what: RemovedFiles, detail: string) => void
  /** The leader of the host's process group; undefined while the host is down. */
  readonly pid: () => number | undefined
  readonly containment: Containment
}

export interface HookHostOptions {
  /** The number of short runs at the same time. Default: twice the cores, at least 4. */
  readonly maxParallel?: number
  /**
   * A run that takes longer than this, in milliseconds, waits for something other than a processor and frees
   * its slot. Default 250.
   */
  readonly briefMs?: number
  readonly log: (
    level: 'info' | 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void
  readonly onRestart?: () => void
  /** The user of the host and its hooks; absent: the gate's own user. */
  readonly user?: User
  /**
   * The command that starts a program in a sandbox with a PID namespace. Absent: a namespace is made when
   * that is possible.
   */
  readonly sandbox?: readonly string[]
  /** No PID namespace is made, even when one is possible. */
  readonly hasNoNamespace?: true
  /**
   * The folders that hooks write, as the host's processes see them. Absent: no folder is prepared or
   * measured.
   */
  readonly folders?: HookFolders
  /** The folder of `prepareGit`; absent: the host makes the files that git needs. */
  readonly git?: string | undefined
  /** The prefix of the mark of every started process. */
  readonly mark?: string
}

const down = 'The hook host is down, and starts again by itself. Its error is in the log of hookgate.'

const containerFor = ({ user, sandbox, hasNoNamespace }: HookHostOptions): Container => {
  if (hasNoNamespace === true) return withoutNamespace('It was not requested.')
  return sandbox === undefined ? findContainer(user) : inSandbox(sandbox)
}

/**
 * Starts the hook host and keeps it running. Rejects when the first start fails; later starts are retried
 * without end.
 */
export const startHookHost = async (options: HookHostOptions): Promise<HookHost> => {
  const {
    user,
    folders,
    git,
    log,
    briefMs = 250,
    maxParallel = Math.max(4, 2 * availableParallelism()),
  } = options
  const container = containerFor(options)
  const isContained = container.containment.kind === 'pid namespace'
  /** The process groups that the host reported. In a namespace the numbers would mean other processes. */
  const groups = new Set<number>()
  const residents = new Map<number, ResidentListener>()
  /** The callers that wait for a single reply. They get a text when none comes, which says why. */
  const asked = new Map<number, (reply: FromHost | string) => void>()
  let lastId = 0
  const newId = (): number => ++lastId

  const supervisor = createHostSupervisor({
    mark: options.mark ?? '',
    log,
    how: { user, container, folders, git },
    ready: (isRestart) => {
      if (isRestart) options.onRestart?.()
      jobs.up()
    },
    receive: (message) => {
      switch (message.type) {
        case 'group':
          if (message.isOver) groups.delete(message.pid)
          else if (!isContained) groups.add(message.pid)
          return
        case 'started':
          return residents.get(message.id)?.started(message.pid)
        case 'done':
          return jobs.done(message.id, message.result, message.goesOn)
        case 'probed':
        case 'measured':
          asked.get(message.id)?.(message)
          asked.delete(message.id)
          return
        case 'stderr':
          return residents.get(message.id)?.stderr(message.text)
        case 'ended': {
          const { id, failure } = message
          jobs.ended(id)
          if (failure !== undefined) residents.get(id)?.ended(failure)
          residents.delete(id)
        }
      }
    },
    lost: ({ kind, detail, wasReady, mark }) => {
      // A namespace ends together with its host.
      if (!isContained) killRemains(user, [...groups], mark)
      groups.clear()
      const hooksLost = jobs.lost(kind, detail, wasReady)
      for (const [id, { ended }] of residents) {
        residents.delete(id)
        ended({ kind, detail })
      }
      for (const resolve of asked.values()) resolve(detail)
      asked.clear()
      return hooksLost
    },
  })
  const ask = (order: (id: number) => ToHost): Promise<FromHost | string> => {
    if (!supervisor.isReady()) return Promise.resolve(down)
    const id = newId()
    const { promise, resolve } = Promise.withResolvers<FromHost | string>()
    asked.set(id, resolve)
    void supervisor.send(order(id))
    return promise
  }
  const jobs = createJobs({ maxParallel, briefMs, newId, supervisor })

  await supervisor.start()
  return {
    run: jobs.run,
    reside: (request, meeting, listener, signal) => {
      if (!supervisor.isReady()) return listener.ended({ kind: 'host', detail: down })
      const id = newId()
      residents.set(id, listener)
      void supervisor.send({ type: 'reside', id, request, meeting })
      signal.addEventListener('abort', () => void supervisor.send({ type: 'kill', id }))
    },
    probe: async (request) => {
      const reply = await ask((id) => ({ type: 'probe', id, request }))
      if (typeof reply === 'object' && reply.type === 'probed') return reply.probe
      return { isSafe: false, why: typeof reply === 'string' ? reply : down }
    },
    measure: async () => {
      const reply = await ask((id) => ({ type: 'measure', id }))
      if (typeof reply === 'string' || reply.type !== 'measured') return undefined
      return reply.bytes === 'endless' ? Number.POSITIVE_INFINITY : reply.bytes
    },
    empty: supervisor.empty,
    retire: (live) => void supervisor.send({ type: 'retire', live: [...live] }),
    stop: () => {
      jobs.stop()
      return supervisor.stop()
    },
    pid: supervisor.pid,
    containment: container.containment,
  }
}
