import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { CommandPorts, TrialRequest } from '../../commands/ports.ts'
import { keptFiles } from '../../handlers/evidence/kept-files.ts'
import { overload } from '../../handlers/evidence/load.ts'
import type { TrialPrograms } from '../../handlers/evidence/programs.ts'
import { askPast, type AskingPlace } from '../../handlers/evidence/trial.ts'
import { createBacktracking } from '../../handlers/observers/backtracking.ts'
import { messageOf, type Problem } from '../../core/model/gate/problem.ts'
import { trialProblem, type EarlyEnd, type Evidence } from '../../shared/hooks/evidence.ts'
import type { Base } from '../base.ts'
import type { GateChapter } from '../gate.ts'
import type { HookChapter } from '../hooks.ts'
import { createReady, problem } from './ready.ts'
import { sessionEvents, sessionsProblem } from './session-events.ts'

/** How often the load of a trial and the state of the gate are looked at, in milliseconds. */
const lookEveryMs = 250
/** At most so many events are asked about side by side, since each takes the memory of a sandbox. */
const maxPlaces = 2
/** What runs in the sandboxes of a trial may be killed as a whole so often. */
const maxLosses = 2

type Tries = CommandPorts['tries']
type PastEvents = NonNullable<Base['history']>['events']

interface RunningTrial {
  end: EarlyEnd | undefined
  /** The switch was on when it began. */
  readonly wasOn: boolean
  readonly programs: TrialPrograms[]
  readonly over: Promise<unknown>
}

const busy = problem('busy', 'Another trial runs now.', 'Wait for its end, or stop it: /hooks try stop')

const noHistory = problem(
  'history',
  'There is no past to ask about: gate.yaml keeps no events with their payloads.',
  'Write history: {days: 7, payloads: true} into gate.yaml, and restart hookgate.',
)

const locked = problem('lockdown', 'The gate is in lockdown.', 'See /hooks.')
const failedWith = (error: unknown): Problem =>
  problem(
    'failed',
    `The hook could not be asked about past events: ${messageOf(error)}.`,
    'Try again. If it fails again, look into the log.',
  )

const stopPrograms = ({ programs }: RunningTrial): Promise<unknown> =>
  Promise.all(programs.map(({ stop }) => stop()))

/** Asks hooks about events of the past, one hook at a time. Nothing that runs here can decide anything. */
export const createTries = (base: Base, gate: GateChapter, hooks: HookChapter): Tries => {
  const { config, history, isolation, evidence: memory, life, now, elapsedMs } = base
  const folder = join(config.home, 'run', 'try')
  // A gate that was killed during a trial leaves it behind.
  rmSync(folder, { recursive: true, force: true })
  const slow = createBacktracking()
  const ready = createReady(base, gate, hooks, slow)
  let running: RunningTrial | undefined

  const endOf = (trial: RunningTrial): EarlyEnd | undefined => {
    const { lockdown, isOn } = gate.state()
    trial.end ??= lockdown !== undefined ? 'lockdown' : trial.wasOn && !isOn ? 'off' : undefined
    const losses = trial.programs.reduce((sum, one) => sum + one.losses(), 0)
    trial.end ??= losses > maxLosses ? 'killed' : undefined
    return trial.end
  }

  /** Ends the trial when it may not go on. Returns the end of the watch. */
  const watch = (trial: RunningTrial): (() => void) => {
    let isOver = false
    const look = async (): Promise<void> => {
      for (const { pid } of trial.programs) {
        const leader = pid()
        const load = leader === undefined ? undefined : await overload(leader)
        trial.end ??= load
      }
      if (isOver) return
      if (endOf(trial) !== undefined) void stopPrograms(trial)
      setTimeout(() => void look(), lookEveryMs).unref()
    }
    void look()
    return () => {
      isOver = true
    }
  }

  /** Makes the places where the hook is asked, each with its own sandbox. */
  const prepare = async (
    { entry, fingerprint, isSealed, sealed, scope }: TrialRequest,
    { programs }: RunningTrial,
    events: PastEvents,
  ): Promise<readonly AskingPlace[] | { readonly problem: Problem }> => {
    await rm(folder, { recursive: true, force: true })
    const files = await keptFiles(events, entry.event, scope, join(config.home, 'files'))
    const make = async (nth: number): Promise<AskingPlace | { readonly problem: Problem }> => {
      const place = (name: string) => ({ folder: join(folder, `${name}-${nth}`), files })
      const ask = await ready({ entry, fingerprint, isSealed }, place('new'), programs)
      if ('problem' in ask) return ask
      if (sealed === undefined) return { ask }
      const approved = { entry, fingerprint: sealed, isSealed: true }
      const askSealed = await ready(approved, place('sealed'), programs)
      return 'problem' in askSealed ? askSealed : { ask, askSealed }
    }
    // A built-in hook is asked on the gate's own thread.
    const most = entry.type === 'builtin' ? 1 : Math.min(maxPlaces, availableParallelism())
    const making = Array.from({ length: Math.min(most, scope.maxEvents) }, (_, nth) => make(nth))
    // When one fails, the trial ends what was started. So none may still be starting.
    await Promise.allSettled(making)
    const made = await Promise.all(making)
    return made.find((one) => 'problem' in one) ?? made.filter((one) => 'ask' in one)
  }

  /** Ends everything of a trial. Nothing of it is left on the disk. */
  const endTrial = async (trial: RunningTrial, done: () => void): Promise<void> => {
    await stopPrograms(trial)
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    running = undefined
    done()
  }

  const start: Tries['start'] = async (request) => {
    const unfit = trialProblem(request.entry)
    if (unfit !== undefined) return { problem: unfit }
    const { client, sinceMs } = request.scope
    const unread =
      client === undefined ? undefined : sessionsProblem(client, request.entry.event, isolation.separation)
    if (unread !== undefined) return { problem: unread }
    const kept = history === undefined || !config.history.payloads ? undefined : history.events
    const events = client === undefined ? kept : sessionEvents({ client, sinceMs })
    if (events === undefined) return { problem: noHistory }
    const { lockdown, isOn } = gate.state()
    if (lockdown !== undefined) return { problem: locked }
    if (running !== undefined) return { problem: busy }
    const done = Promise.withResolvers<void>()
    const trial: RunningTrial = { end: undefined, wasOn: isOn, programs: [], over: done.promise }
    running = trial
    const listeners = new Set<(found: () => Evidence) => void>()
    try {
      const places = await prepare(request, trial, events)
      if ('problem' in places) {
        await endTrial(trial, done.resolve)
        return places
      }
      const { fingerprint, sealed, entry, scope } = request
      const whole = async (): Promise<Evidence | Problem> => {
        const unwatch = watch(trial)
        try {
          const found = await askPast({
            places,
            sealed,
            events,
            event: entry.event,
            scope,
            fingerprint,
            ended: () => endOf(trial),
            progress: (soFar) => {
              for (const hear of listeners) hear(soFar)
            },
            now,
            elapsedMs,
          })
          if (found.events > 0 && client === undefined) memory.remember(found)
          return found
        } catch (error) {
          return failedWith(error)
        } finally {
          unwatch()
          await endTrial(trial, done.resolve)
        }
      }
      return { over: whole(), hear: (listener) => void listeners.add(listener) }
    } catch (error) {
      await endTrial(trial, done.resolve)
      return { problem: failedWith(error) }
    }
  }

  const stop = async (end: EarlyEnd): Promise<boolean> => {
    const trial = running
    if (trial === undefined) return false
    trial.end ??= end
    await stopPrograms(trial)
    await trial.over
    return true
  }
  life.onStop(async () => {
    await stop('closing')
    await slow.stop()
  })
  return { start, stop: () => stop('stopped') }
}
