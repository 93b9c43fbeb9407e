import { availableParallelism } from 'node:os'
import { startHostChild } from './child.ts'
import {
  findContainer,
  inSandbox,
  withoutNamespace,
  type Container,
  type Containment,
} from './spawn/containment.ts'
import { killRemains, type User } from './spawn/group.ts'
import type { Emptying, HookFolders } from './spawn/hooks-bound.ts'
import { createJobs } from './jobs.ts'
import { createKeeper } from './keeper.ts'
import type { Meeting, Probe, RunFailure, RunRequest, RunResult, StartRequest } from './protocol.ts'
import { createReplies } from './replies.ts'
import { createStandby } from './resident/standby.ts'

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

const down = 'Expected the hook host to be up, got it down; look for its error in the log.'

const containerFor = ({ user, sandbox, hasNoNamespace }: HookHostOptions): Container => {
  if (hasNoNamespace === true) return withoutNamespace('It was not wanted.')
  return sandbox === undefined ? findContainer(user) : inSandbox(sandbox)
}

/** Starts the hook host and keeps it running. Rejects when the first start fails; later ones are tried for ever. */
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
  /** The process groups that the host reported, by id; none of a namespace, whose numbers mean others here. */
  const groups = new Map<number, number>()
  const residents = new Map<number, ResidentListener>()
  const probes = createReplies<Probe>()
  const measures = createReplies<number | undefined>()
  let lastId = 0
  const newId = (): number => ++lastId

  const keeper = createKeeper({
    mark: options.mark ?? '',
    log,
    start: (how) => startHostChild({ ...how, user, container, folders, git }),
    ready: (isRestart) => {
      if (isRestart) options.onRestart?.()
      jobs.up()
    },
    receive: (message) => {
      switch (message.type) {
        case 'started':
          if (!isContained) groups.set(message.id, message.pid)
          return residents.get(message.id)?.started(message.pid)
        case 'done':
          if (!message.goesOn) groups.delete(message.id)
          return jobs.done(message.id, message.result, message.goesOn)
        case 'probed':
          groups.delete(message.id)
          return probes.settle(message.id, message.probe)
        case 'measured':
          return measures.settle(
            message.id,
            message.bytes === 'endless' ? Number.POSITIVE_INFINITY : message.bytes,
          )
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
    },
    lost: ({ kind, detail, wasReady, mark }) => {
      // A namespace has ended with its host.
      if (!isContained) killRemains(user, [...groups.values()], mark)
      groups.clear()
      standby.clear()
      const hooksLost = jobs.lost(kind, detail, wasReady)
      for (const [id, { ended }] of residents) {
        residents.delete(id)
        ended({ kind, detail })
      }
      probes.settleAll({ isSafe: false, why: detail })
      measures.settleAll(undefined)
      return hooksLost
    },
  })
  const kill = (id: number): void => keeper.send({ type: 'kill', id })
  const standby = createStandby({
    kill,
    start: (request) => {
      const id = newId()
      keeper.send({ type: 'wait', id, request })
      return id
    },
  })
  const jobs = createJobs({
    maxParallel,
    briefMs,
    standby,
    newId,
    isUp: keeper.isReady,
    send: keeper.send,
    wedged: keeper.wedged,
  })

  await keeper.start()
  return {
    run: jobs.run,
    reside: (request, meeting, listener) => {
      if (!keeper.isReady()) {
        // Later, as every end comes: the caller has no hand on it yet.
        setImmediate(listener.ended, { kind: 'host', detail: down })
        return { end: () => undefined }
      }
      const id = newId()
      residents.set(id, listener)
      keeper.send({ type: 'reside', id, request, meeting })
      return { end: () => kill(id) }
    },
    probe: (request) => {
      if (!keeper.isReady()) return Promise.resolve({ isSafe: false, why: down })
      const id = newId()
      const reply = probes.expect(id)
      keeper.send({ type: 'probe', id, request })
      return reply
    },
    measure: () => {
      if (!keeper.isReady()) return Promise.resolve(undefined)
      const id = newId()
      const reply = measures.expect(id)
      keeper.send({ type: 'measure', id })
      return reply
    },
    empty: keeper.empty,
    retire: (live) => {
      standby.retire(live)
      jobs.retire(live)
    },
    stop: () => {
      jobs.stop()
      standby.clear()
      return keeper.stop()
    },
    pid: keeper.pid,
    containment: container.containment,
  }
}
