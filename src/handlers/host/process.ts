/**
 * The hook host starts hooks for the gate and reports how they ended. It is small, because starting a program
 * blocks a large process for longer. It holds nothing that a hook must not know.
 */
import { startClean } from '../../shared/base/process-group.ts'
import { createGitWorld } from './git/git-world.ts'
import { killRemains, markName } from './spawn/group.ts'
import { emptyHome, measureHome, removeGoing, type HookFolders } from './spawn/hooks-bound.ts'
import { makeHome } from './spawn/hooks-home.ts'
import { startProbe } from './probe.ts'
import { pipes, orphans, type HookProcess } from './program.ts'
import { containedWord, failedRun, type FromHost, type StartRequest, type ToHost } from './protocol.ts'
import { startResident } from './resident/resident.ts'
import { createStandby } from './resident/standby.ts'
import { startRun, stoppedDetail } from './run.ts'
import { failureOfStart, isClosed } from './spawn/start-failure.ts'
import { startPrespawned, startWaiting, type WaitingProgram } from './prespawned.ts'

type HostOrder<T extends ToHost['type']> = Extract<ToHost, { type: T }>

/** The number of async runs that may continue after their answers at the same time. */
const maxGoingOn = 16
/** Enough pipes for four hooks at the same time. */
const pipesInAdvance = 12

startClean()
const mark = process.env[markName] ?? ''
// In a namespace the parent is its first process. Outside, the search for leftover processes would cover the
// whole machine.
const isContained = process.argv[2] === containedWord && process.ppid === 1
/** Everything that was started for the gate and has not ended, by the gate's id. */
const living = new Map<number, { readonly fingerprint?: string | undefined; readonly kill: () => void }>()
/** Inputs that came in parts, by the id of their run, which has not come yet. */
const inputs = new Map<number, { readonly parts: string[]; isKilled: boolean }>()
let goingOn = 0
let waited = 0

// An error means that the gate is gone; `disconnect` follows.
const tell = (message: FromHost): void => void process.send?.(message, undefined, undefined, () => undefined)

const git = createGitWorld(process.env['HOME'], process.env['HOOKGATE_GIT'])

/** The folders that hooks write. Either both are set or neither. */
const { HOME: home, TMPDIR: tmp, HOOKGATE_EMPTY: emptying } = process.env
const folders: HookFolders | undefined = home === undefined || tmp === undefined ? undefined : { home, tmp }

const measure = async ({ id }: HostOrder<'measure'>): Promise<void> => {
  const bytes = folders === undefined ? 0 : await measureHome(folders)
  tell({ type: 'measured', id, bytes: Number.isFinite(bytes) ? bytes : 'endless' })
}

/**
 * Uses the hook's own folder when its working folder is closed. Otherwise closing that folder would disable
 * the hook.
 */
const inOpenFolder = <T extends StartRequest>(request: T): T => {
  const { cwd, ownFolder } = request
  return ownFolder !== undefined && isClosed(cwd) ? { ...request, cwd: ownFolder } : request
}

/**
 * Gives each run its own mark, which begins with this host's mark. The mark shows to which run a process
 * belongs that left its group.
 */
const marked = <T extends StartRequest>(id: number | string, request: T): T => ({
  ...request,
  env: { ...request.env, ...git.env(request.cwd, request.env['PATH']), [markName]: `${mark}.${id}` },
})

const standby = createStandby<WaitingProgram>((request, varying, onEnd) => {
  try {
    const own = marked(`waits-${++waited}`, request)
    return varying === undefined ? startWaiting(own, onEnd) : startPrespawned(own, varying, onEnd)
  } catch {
    // The next request starts its own program and reports why that fails.
    return undefined
  }
})

const run = async ({ id, request }: HostOrder<'run'>, program?: HookProcess): Promise<void> => {
  const opened = program === undefined ? inOpenFolder(request) : request
  const started = startRun(program === undefined ? marked(id, opened) : request, {
    waiting: program,
    mayGoOn: () => goingOn < maxGoingOn,
  })
  living.set(id, started)
  const outcome = await started.result
  const result = opened === request ? outcome : { ...outcome, inOwnFolder: true as const }
  const goesOn = started.goesOn()
  // This is counted before any `await`, because the next run checks the bound.
  if (goesOn) {
    goingOn += 1
    living.set(id, { kill: started.kill, fingerprint: request.fingerprint })
  } else living.delete(id)
  tell({ type: 'done', id, result, goesOn })
  if (result.failure === undefined) standby.answered(request)
  if (!goesOn) return
  await started.over
  goingOn -= 1
  living.delete(id)
  tell({ type: 'ended', id })
}

/** Asks the program that waits. When it is no longer usable, a fresh one is started. */
const runWaiting = async (message: HostOrder<'run'>, waiting: WaitingProgram): Promise<void> => {
  const { id } = message
  living.set(id, {
    kill: () => {
      waiting.kill()
      living.delete(id)
    },
  })
  const program = await waiting.take(marked(id, message.request))
  if (living.has(id)) return run(message, program)
  program?.close()
  tell({ type: 'done', id, result: failedRun('killed', stoppedDetail), goesOn: false })
}

/** Runs an order with the input that came before it. One that was killed meanwhile does not start. */
const takeRun = (order: HostOrder<'run'>): void => {
  const { id } = order
  const input = inputs.get(id)
  inputs.delete(id)
  if (input?.isKilled === true)
    return tell({ type: 'done', id, result: failedRun('killed', stoppedDetail), goesOn: false })
  const whole =
    input === undefined ? order : { ...order, request: { ...order.request, stdin: input.parts.join('') } }
  const waiting = standby.take(whole.request)
  void (waiting === undefined ? run(whole) : runWaiting(whole, waiting))
}

const takePart = ({ id, part }: HostOrder<'stdin'>): void => {
  const input = inputs.get(id) ?? { parts: [], isKilled: false }
  inputs.set(id, input)
  input.parts.push(part)
}

const kill = ({ id }: HostOrder<'kill'>): void => {
  const input = inputs.get(id)
  if (input !== undefined) input.isKilled = true
  living.get(id)?.kill()
}

const retire = (live: ReadonlySet<string>): void => {
  standby.retire(live)
  for (const { fingerprint, kill } of living.values())
    if (fingerprint !== undefined && !live.has(fingerprint)) kill()
}

const reside = ({ id, request, meeting }: HostOrder<'reside'>): void => {
  living.set(
    id,
    startResident(marked(id, inOpenFolder(request)), meeting, {
      started: (pid) => tell({ type: 'started', id, pid }),
      stderr: (text) => tell({ type: 'stderr', id, text }),
      ended: (failure) => {
        living.delete(id)
        tell({ type: 'ended', id, failure })
      },
    }),
  )
}

const probe = async ({ id, request }: HostOrder<'probe'>): Promise<void> => {
  try {
    const started = startProbe(marked(id, request))
    living.set(id, started)
    tell({ type: 'probed', id, probe: await started.probe })
  } catch (error) {
    tell({ type: 'probed', id, probe: { isSafe: false, why: failureOfStart(request, error).detail } })
  }
  living.delete(id)
}

/** Runs when the gate died, even by `kill -9`, or when someone ends this process. No hook may outlive it. */
const end = (): never => {
  for (const { kill } of living.values()) kill()
  standby.retire(new Set())
  // A namespace and all its processes end with this process.
  if (!isContained) killRemains(undefined, [], mark)
  git.end()
  process.exit(0)
}

process.on('message', (message: ToHost) => {
  switch (message.type) {
    case 'stdin':
      return takePart(message)
    case 'run':
      return takeRun(message)
    case 'retire':
      return retire(new Set(message.live))
    case 'reside':
      return reside(message)
    case 'probe':
      return void probe(message)
    case 'measure':
      return void measure(message)
    case 'kill':
      return kill(message)
    case 'end':
      end()
  }
})
process.on('disconnect', end)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end)
if (!isContained) orphans.report((pid, isOver) => tell({ type: 'group', pid, isOver }))
else {
  orphans.hunt(() => {
    process.stderr.write(
      'Expected to kill the processes that a hook left behind, but their number grows; all hooks are killed and the hook host restarts. Look for a hook that forks without end.\n',
    )
    process.exit(1)
  })
}
if (folders !== undefined && (emptying === 'caches' || emptying === 'all')) emptyHome(folders, emptying)
if (folders !== undefined) removeGoing(folders)
makeHome(home)
pipes.prepare(pipesInAdvance)
tell({ type: 'ready' })
