import type { Prepared } from '../../core/model/approval/approved.ts'
import type { WithProblem } from '../../core/model/gate/problem.ts'
import type { Worker } from 'node:worker_threads'
import { notWritten, type Rendered } from '../../config/switch-file.ts'
import { later, type Sealable } from '../../proposals/proposal.ts'
import type { Source } from '../../proposals/sources/source.ts'
import { createBoundedMap } from '../../core/model/base/bounded-map.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import type { ChannelPorts } from '../../core/model/chat/channel.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import { takeThread } from './spare.ts'
import { createStampWatch } from './stamp-watch.ts'
import { createStep, stepMemory } from './killable-step.ts'
import type {
  Begin,
  FromReader,
  Question,
  ReaderData,
  ReaderPlace,
  ReaderScope,
  Rested,
  Seen,
  ToReader,
} from './thread.ts'

/**
 * What the files of the workspace and of the person's folders propose. A thread of its own reads them, so the
 * gate waits for no file.
 */
export interface ProposalReader {
  /** What the files proposed when they were read last. */
  source(): Source
  /** What an approval of the entry would seal, as of the last reading. */
  propose(entry: Entry): Sealable
  /** What agent.yaml said of the switch when it was read last. */
  switchInFile(): boolean | undefined
  /** Resolves when the files were read for the first time, or after half a minute. Never rejects. */
  begun(): Promise<void>
  /** The listener is called when the files say something else. The returned function ends that. */
  onChange(listener: () => void): () => void
  /**
   * Reads the files again, first what `about` names. Resolves when that is done or takes too long. Never
   * rejects.
   */
  look(about?: string): Promise<void>
  /** The new text of agent.yaml, or why it is left as it is. Never rejects. */
  render(isOn: boolean): Promise<Rendered>
  /** The new text of the workspace's proposals with one more hook, or why it is not added. Never rejects. */
  add(hook: JsonObject): Promise<Rendered>
  /**
   * Reads every file of an entry now, as an approval does, and returns the bytes to seal. `folder`: where the
   * files are. Absent: in the workspace. Never rejects.
   */
  prepare(entry: Entry, folder?: string): Promise<Prepared | WithProblem>
  /** Whether its thread runs now. The thread ends when nothing changes. */
  isAwake(): boolean
  stop(): Promise<void>
}

const beginWithinMs = 30_000
/** A caller waits at most so long for what a person named, and for the whole list. */
const namedWithinMs = 10_000
const listWithinMs = 5000
/** An approval waits at most so long for the files to seal, in milliseconds. */
const prepareWithinMs = 30_000
/** A step that was killed is tried again after this time, since the file may have changed. */
const spentForMs = 10 * 60_000
const maxSpent = 1000
const restartMs = 200

const notInTime: WithProblem = {
  problem: {
    code: 'approve.slow',
    message: `The files of the hook could not be read within ${prepareWithinMs / 1000} s.`,
    fix: 'Send the command again. If this continues, propose fewer hooks or smaller files.',
  },
}

const notAdded: Rendered = {
  why: `The proposals could not be read within ${namedWithinMs / 1000} s. Try again.`,
}

/** The steps that were killed, each with when. They are not tried again soon. */
const createSpent = () => {
  const spent = createBoundedMap<string, number>(maxSpent)
  return {
    add: (what: string): void => spent.set(what, performance.now()),
    recent: (): readonly string[] => {
      const sinceMs = performance.now() - spentForMs
      return [...spent.entries()].flatMap(([what, atMs]) => (atMs > sinceMs ? [what] : []))
    },
  }
}

/** The questions to the thread that have no answer yet. A new thread gets them again. */
const createPending = () => {
  const pending = new Map<number, { readonly question: ToReader; settle(answer?: unknown): void }>()
  let lastId = 0
  return {
    isEmpty: (): boolean => pending.size === 0,
    questions: (): readonly ToReader[] => [...pending.values()].map(({ question }) => question),
    settle: (id: number, answer: unknown): void => pending.get(id)?.settle(answer),
    /** Resolves with `otherwise` when no answer came in time, or when there will be none. */
    ask: <Answer>(
      what: Question,
      withinMs: number,
      otherwise: Answer,
      post: (question: ToReader) => void,
    ): Promise<Answer> =>
      new Promise((resolve) => {
        const question = { ...what, id: (lastId += 1) }
        const timer = setTimeout(() => pending.get(question.id)?.settle(), withinMs)
        pending.set(question.id, {
          question,
          settle: (answer = otherwise) => {
            clearTimeout(timer)
            pending.delete(question.id)
            resolve(answer as Answer)
          },
        })
        post(question)
      }),
    stop: (): void => {
      for (const { settle } of pending.values()) settle()
    },
  }
}

/** Calls `late` when one step takes longer than `withinMs`. The returned function ends it. */
const guardSteps = (
  step: ReturnType<typeof createStep>,
  withinMs: number,
  late: () => void,
): (() => void) => {
  let [lastCount, sinceMs] = [0, performance.now()]
  const timer = setInterval(
    () => {
      const { count, what } = step.now()
      const nowMs = performance.now()
      if (count !== lastCount || what === undefined) {
        lastCount = count
        sinceMs = nowMs
      } else if (nowMs - sinceMs > withinMs) {
        sinceMs = nowMs
        late()
      }
    },
    Math.min(500, withinMs / 2),
  ).unref()
  return () => clearInterval(timer)
}

/** Exactly what the thread has to know, of a configuration that has more. */
const scopeOf = ({ home, workspace, person, agentHooks, http }: ReaderScope): ReaderScope => ({
  home,
  workspace,
  person,
  agentHooks,
  http,
})

/**
 * Starts the reader of a workspace. `stepWithinMs`: how long one step may take before its thread is killed,
 * in milliseconds.
 */
export const startProposalReader = (
  scope: ReaderScope,
  place: ReaderPlace,
  log: ChannelPorts['log'],
  stepWithinMs = 5000,
): ProposalReader => {
  let seen: Seen = { places: [] }
  let sealables: ReadonlyMap<Entry, Sealable> = new Map()
  let source: Source = { proposed: [] }
  let readable: ReaderData['readable']
  const spent = createSpent()
  const pending = createPending()
  const listeners = new Set<() => void>()
  let worker: Worker | undefined
  let isStopped = false
  let again: NodeJS.Timeout | undefined
  const memory = stepMemory()
  const step = createStep(memory)

  const stamps = createStampWatch()
  /** The thread ends, because nothing changes: it takes 25 MB, and there is nothing new to see. */
  const rest = ({ places, stamps: asRead }: Rested, of: Worker): void => {
    if (!pending.isEmpty() || worker !== of || isStopped) return
    worker = undefined
    void of.terminate()
    stamps.watch(places, asRead)
  }

  const receive = (message: FromReader, from: Worker): void => {
    if (message.kind === 'rested') {
      rest(message, from)
      return
    }
    if (message.kind === 'answer') {
      pending.settle(message.id, message.answer)
      return
    }
    seen = message.seen
    readable = message.readable
    source = {
      proposed: seen.places.map(({ place }) => place),
      problem: seen.problem,
    }
    sealables = new Map(
      seen.places.flatMap(({ place, sealable }) =>
        place.kind === 'entry' && sealable !== undefined ? [[place.entry, sealable]] : [],
      ),
    )
    for (const listener of listeners) listener()
  }

  /**
   * The thread has ended. Its last step is not tried again soon, and the next thread gets the questions of
   * this one.
   */
  const lose = (why: string, startNext: () => void): void => {
    const { what } = step.now()
    worker = undefined
    if (isStopped) return
    if (what !== undefined) {
      spent.add(what)
      log('warn', 'a proposed file or hook could not be checked', { what: what.slice(0, 300), why })
    }
    step.end()
    again = setTimeout(() => {
      again = undefined
      startNext()
    }, restartMs)
  }

  const start = (): void => {
    const started = takeThread()
    worker = started
    let why = 'its thread ended'
    started.on('error', (error) => {
      why = error instanceof Error ? error.message : why
    })
    started.on('message', (message: FromReader) => receive(message, started))
    started.on('exit', () => {
      if (worker === started) lose(why, start)
    })
    const data = { ...scopeOf(scope), ...place, spent: spent.recent(), step: memory, readable }
    started.postMessage({ kind: 'begin', data } satisfies Begin)
    for (const question of pending.questions()) started.postMessage(question)
  }

  const wake = (): void => {
    stamps.stop()
    if (worker === undefined && again === undefined && !isStopped) start()
  }
  stamps.onMoved(wake)

  const stopGuard = guardSteps(step, stepWithinMs, () => {
    const late = worker
    if (late === undefined) return
    lose(`it took longer than ${stepWithinMs / 1000} s`, start)
    void late.terminate()
  })
  const ask = <Answer>(what: Question, withinMs: number, otherwise: Answer): Promise<Answer> =>
    pending.ask(what, withinMs, otherwise, (question) => {
      if (worker === undefined) wake()
      else worker.postMessage(question)
    })

  start()
  return {
    source: () => source,
    propose: (entry) => sealables.get(entry) ?? later,
    switchInFile: () => seen.switchInFile,
    begun: () => ask({ kind: 'look' }, beginWithinMs, undefined),
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    look: (about) =>
      ask({ kind: 'look', about }, about === undefined ? listWithinMs : namedWithinMs, undefined),
    render: (isOn) => ask({ kind: 'render', isOn }, namedWithinMs, notWritten),
    add: (hook) => ask({ kind: 'add', hook }, namedWithinMs, notAdded),
    prepare: async (entry, folder) => {
      const question = { kind: 'prepare', entry, folder } as const
      const prepared = await ask<Prepared | WithProblem>(question, prepareWithinMs, notInTime)
      if ('problem' in prepared) return prepared
      // A thread gives a buffer as plain bytes.
      const contents = prepared.contents.map((file) => ({
        ...file,
        content: Buffer.from(file.content.buffer),
      }))
      return { record: prepared.record, contents }
    },
    isAwake: () => worker !== undefined,
    stop: async () => {
      isStopped = true
      clearTimeout(again)
      stamps.stop()
      stopGuard()
      pending.stop()
      await worker?.terminate()
    },
  }
}
