import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { notWritten, type Rendered } from '../config/switch-face.ts'
import { later, type Proposal } from '../gatekeeper/proposal.ts'
import type { Source } from '../hooks/sources/source.ts'
import type { Entry } from '../model/entry.ts'
import { createStep, stepMemory } from './looking-step.ts'
import type { FromLooking, LookingData, Seen, ToLooking } from './looking-thread.ts'

export interface LookingOptions extends Omit<LookingData, 'spent' | 'step' | 'readable'> {
  log(level: 'warn', what: string, fields: Readonly<Record<string, string>>): void
  /** How long one step may take before its thread is killed, in milliseconds. */
  readonly stepWithinMs?: number
}

/** What the workspace and the person's folders say, read in a thread of its own: nothing here waits for a file. */
export interface Looking {
  /** What the files propose, as it was seen last. */
  source(): Source
  /** What approving one of those would seal, as it was seen last. */
  propose(entry: Entry): Proposal
  /** What agent.yaml says of the switch, as it was seen last. */
  face(): boolean | undefined
  /** Resolves when the files have been seen for the first time, or cannot be within half a minute. Never rejects. */
  begun(): Promise<void>
  /** What the files say is another thing now. */
  onChange(listener: () => void): () => void
  /** Resolves when the files have been looked at anew, first what `about` names, or when that takes too long. Never rejects. */
  look(about?: string): Promise<void>
  /** The new text of agent.yaml, or why it is left as it is. Never rejects. */
  render(isOn: boolean): Promise<Rendered>
  /** Whether its thread runs now: it ends where nothing moves. */
  isAwake(): boolean
  stop(): Promise<void>
}

const body = new URL(`./looking-thread${extname(import.meta.url)}`, import.meta.url)
const stepWithinMs = 5000
/** How often what lies still is looked at by its stamps alone, in milliseconds. */
const pollMs = 1000
const beginWithinMs = 30_000
/** Whoever asks waits this long at most: for what a person named, and for the list. */
const namedWithinMs = 10_000
const listWithinMs = 5000
/** A step that was killed is tried again after this: the file may be another one now. */
const spentForMs = 10 * 60_000
const maxSpent = 1000
const restartMs = 200
const maxMb = 256
/** It has little to do most of the time: what it may take before it tidies up counts in the gate's memory for good. */
const youngMb = 2

/** How files and folders lie: what changes when one of them does. Never rejects. */
const stampsOf = async (places: readonly string[]): Promise<string> => {
  const stamps = await Promise.all(
    places.map((place) =>
      stat(place, { bigint: true }).then(
        ({ dev, ino, mode, size, ctimeNs }) => [dev, ino, mode, size, ctimeNs].join(' '),
        () => 'nothing',
      ),
    ),
  )
  return stamps.join('\n')
}

export const startLooking = ({
  log,
  stepWithinMs: withinMs = stepWithinMs,
  ...data
}: LookingOptions): Looking => {
  let seen: Seen = { places: [] }
  let proposals: ReadonlyMap<Entry, Proposal> = new Map()
  let source: Source = { proposed: [] }
  let readable: LookingData['readable']
  const spent = new Map<string, number>()
  const waiting = new Map<
    number,
    { readonly question: ToLooking; readonly answer: (message: FromLooking | undefined) => void }
  >()
  const listeners = new Set<() => void>()
  let ids = 0
  let worker: Worker | undefined
  let isStopped = false
  let again: NodeJS.Timeout | undefined
  const memory = stepMemory()
  const step = createStep(memory)

  /** How the places of the last round lay before it. */
  let before = ''
  let sleeping: NodeJS.Timeout | undefined
  const wake = (): void => {
    clearTimeout(sleeping)
    sleeping = undefined
    if (worker === undefined && again === undefined && !isStopped) start()
  }
  const sleep = (places: readonly string[], stamps: string): void => {
    sleeping = setTimeout(() => {
      void stampsOf(places).then((now) =>
        sleeping === undefined ? undefined : now === stamps ? sleep(places, stamps) : wake(),
      )
    }, pollMs).unref()
  }
  /** Two rounds between which nothing moved: what is to be seen has been seen, and a thread takes 25 MB. */
  const rest = async (places: readonly string[] | undefined, of: Worker): Promise<void> => {
    const stamps = places === undefined ? '' : await stampsOf(places)
    const isSame = stamps !== '' && stamps === before
    before = stamps
    if (places === undefined || !isSame || waiting.size > 0 || worker !== of || isStopped) return
    worker = undefined
    void of.terminate()
    sleep(places, stamps)
  }

  const take = (message: FromLooking, from: Worker): void => {
    if (message.kind === 'rested') {
      void rest(message.places, from)
      return
    }
    if (message.kind !== 'seen') {
      waiting.get(message.id)?.answer(message)
      return
    }
    seen = message.seen
    readable = message.readable
    source = {
      proposed: seen.places.map(({ place }) => place),
      ...(seen.problem === undefined ? {} : { problem: seen.problem }),
    }
    proposals = new Map(
      seen.places.flatMap(({ place, proposal }) =>
        place.kind === 'entry' && proposal !== undefined ? [[place.entry, proposal]] : [],
      ),
    )
    for (const listener of listeners) listener()
  }

  /** What it was at is not tried again soon, and the next thread is asked what this one was. */
  const lose = (why: string): void => {
    const { what } = step.now()
    worker = undefined
    if (isStopped) return
    if (what !== undefined) {
      if (spent.size >= maxSpent) spent.clear()
      spent.set(what, performance.now())
      log('warn', 'what the agent can write could not be looked at', { what: what.slice(0, 300), why })
    }
    step.end()
    again = setTimeout(() => {
      again = undefined
      start()
    }, restartMs)
  }

  const start = (): void => {
    const nowMs = performance.now()
    for (const [what, atMs] of spent) if (nowMs - atMs > spentForMs) spent.delete(what)
    const started = new Worker(body, {
      workerData: {
        ...data,
        spent: [...spent.keys()],
        step: memory,
        ...(readable === undefined ? {} : { readable }),
      } satisfies LookingData,
      resourceLimits: { maxOldGenerationSizeMb: maxMb, maxYoungGenerationSizeMb: youngMb },
      execArgv: [],
      env: {},
    })
    worker = started
    started.unref()
    let why = 'its thread ended'
    started.on('error', (error) => {
      why = error instanceof Error ? error.message : why
    })
    started.on('message', (message: FromLooking) => take(message, started))
    started.on('exit', () => {
      if (worker === started) lose(why)
    })
    for (const { question } of waiting.values()) started.postMessage(question)
  }

  let [lastCount, sinceMs] = [0, performance.now()]
  const guarding = setInterval(
    () => {
      const { count, what } = step.now()
      const nowMs = performance.now()
      if (count !== lastCount || what === undefined) {
        lastCount = count
        sinceMs = nowMs
      } else if (nowMs - sinceMs > withinMs && worker !== undefined) {
        sinceMs = nowMs
        const late = worker
        lose(`it took longer than ${withinMs / 1000} s`)
        void late.terminate()
      }
    },
    Math.min(500, withinMs / 2),
  ).unref()

  const ask = (question: ToLooking, forMs: number): Promise<FromLooking | undefined> =>
    new Promise((resolve) => {
      const { id } = question
      const answer = (message: FromLooking | undefined): void => {
        clearTimeout(timer)
        waiting.delete(id)
        resolve(message)
      }
      const timer = setTimeout(answer, forMs, undefined)
      waiting.set(id, { question, answer })
      if (worker === undefined) wake()
      else worker.postMessage(question)
    })

  start()
  return {
    source: () => source,
    propose: (entry) => proposals.get(entry) ?? later(entry),
    face: () => seen.face,
    begun: async () => {
      await ask({ kind: 'look', id: (ids += 1) }, beginWithinMs)
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    look: async (about) => {
      await ask(
        { kind: 'look', id: (ids += 1), ...(about === undefined ? {} : { about }) },
        about === undefined ? listWithinMs : namedWithinMs,
      )
    },
    render: async (isOn) => {
      const answer = await ask({ kind: 'render', id: (ids += 1), isOn }, namedWithinMs)
      return answer?.kind === 'rendered' ? answer.rendered : notWritten
    },
    isAwake: () => worker !== undefined,
    stop: async () => {
      isStopped = true
      for (const each of [again, sleeping]) clearTimeout(each)
      sleeping = undefined
      clearInterval(guarding)
      for (const { answer } of waiting.values()) answer(undefined)
      await worker?.terminate()
    },
  }
}
