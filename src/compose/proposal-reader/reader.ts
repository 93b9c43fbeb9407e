import type { Worker } from 'node:worker_threads'
import { notWritten, type Rendered } from '../../config/switch-file.ts'
import type { WithProblem } from '../../gatekeeper/program/program.ts'
import { later, type Prepared, type Sealable } from '../../gatekeeper/proposal.ts'
import type { Source } from '../../hooks/sources/source.ts'
import { createBoundedMap } from '../../model/base/bounded-map.ts'
import type { JsonObject } from '../../model/base/json.ts'
import type { Entry } from '../../model/hooks/entry.ts'
import type { Config } from '../../config/load.ts'
import { takeThread } from './spare.ts'
import { createStampWatch } from './stamp-watch.ts'
import { createStep, stepMemory } from './killable-step.ts'
import type {
  AddQuestion,
  Begin,
  FromReader,
  LookQuestion,
  PreparedBytes,
  PrepareQuestion,
  ReaderData,
  RenderQuestion,
  Rested,
  Seen,
  ToReader,
} from './thread.ts'

export interface ProposalReaderOptions extends Omit<ReaderData, 'spent' | 'step' | 'readable'> {
  log(level: 'warn', what: string, fields: Readonly<Record<string, string>>): void
  /** How long one step may take before its thread is killed, in milliseconds. */
  readonly stepWithinMs?: number
}

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

const stepWithinMs = 5000
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
    message: `Expected to read the hook's files within ${prepareWithinMs / 1000} s, got no answer.`,
    fix: 'Send the command again. If this continues, propose fewer hooks or smaller files.',
  },
}

const notAdded: Rendered = {
  why: `Expected to read the proposals within ${namedWithinMs / 1000} s, got no answer.`,
}

/** The bytes of each file, out of the bytes of all. */
const unpacked = (prepared: PreparedBytes): Prepared | WithProblem => {
  if ('problem' in prepared) return prepared
  const { record, bytes } = prepared
  let at = 0
  const contents = record.files.map((file) => {
    const content = Buffer.from(bytes.buffer, at, file.bytes)
    at += file.bytes
    return { ...file, content }
  })
  return { record, contents }
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
  const pending = new Map<number, { readonly question: ToReader; answer(message?: FromReader): void }>()
  let lastId = 0
  return {
    isEmpty: (): boolean => pending.size === 0,
    questions: (): readonly ToReader[] => [...pending.values()].map(({ question }) => question),
    answer: (id: number, message: FromReader): void => pending.get(id)?.answer(message),
    /** Resolves with undefined when no answer came in time, or when there will be none. */
    ask: (
      what:
        | Omit<LookQuestion, 'id'>
        | Omit<RenderQuestion, 'id'>
        | Omit<AddQuestion, 'id'>
        | Omit<PrepareQuestion, 'id'>,
      withinMs: number,
      post: (question: ToReader) => void,
    ): Promise<FromReader | undefined> =>
      new Promise((resolve) => {
        const id = (lastId += 1)
        const question = { ...what, id }
        const timer = setTimeout(() => pending.get(id)?.answer(), withinMs)
        pending.set(id, {
          question,
          answer: (message) => {
            clearTimeout(timer)
            pending.delete(id)
            resolve(message)
          },
        })
        post(question)
      }),
    stop: (): void => {
      for (const { answer } of pending.values()) answer()
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

export const startProposalReader = ({
  log,
  stepWithinMs: withinMs = stepWithinMs,
  ...data
}: ProposalReaderOptions): ProposalReader => {
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
    if (message.kind !== 'seen') {
      pending.answer(message.id, message)
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
    const begin: Begin = {
      kind: 'begin',
      data: {
        ...data,
        spent: spent.recent(),
        step: memory,
        readable,
      },
    }
    started.postMessage(begin)
    for (const question of pending.questions()) started.postMessage(question)
  }

  const wake = (): void => {
    stamps.stop()
    if (worker === undefined && again === undefined && !isStopped) start()
  }
  stamps.onMoved(wake)

  const stopGuard = guardSteps(step, withinMs, () => {
    const late = worker
    if (late === undefined) return
    lose(`it took longer than ${withinMs / 1000} s`, start)
    void late.terminate()
  })
  const post = (question: ToReader): void => {
    if (worker === undefined) wake()
    else worker.postMessage(question)
  }

  start()
  return {
    source: () => source,
    propose: (entry) => sealables.get(entry) ?? later,
    switchInFile: () => seen.switchInFile,
    begun: async () => {
      await pending.ask({ kind: 'look' }, beginWithinMs, post)
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    look: async (about) => {
      if (about === undefined) await pending.ask({ kind: 'look' }, listWithinMs, post)
      else await pending.ask({ kind: 'look', about }, namedWithinMs, post)
    },
    render: async (isOn) => {
      const answer = await pending.ask({ kind: 'render', isOn }, namedWithinMs, post)
      return answer?.kind === 'rendered' ? answer.rendered : notWritten
    },
    add: async (hook) => {
      const answer = await pending.ask({ kind: 'add', hook }, namedWithinMs, post)
      return answer?.kind === 'rendered' ? answer.rendered : notAdded
    },
    prepare: async (entry, folder) => {
      const question = { kind: 'prepare', entry, folder } as const
      const answer = await pending.ask(question, prepareWithinMs, post)
      return answer?.kind === 'prepared' ? unpacked(answer.prepared) : notInTime
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

/**
 * Starts the reader of a workspace as its configuration says. `place`: the PATH of hooks and the files that
 * may be read on this machine.
 */
export const startReaderFor = (
  { home, workspace, person, agentHooks, http }: Config,
  { path, readLaw }: Pick<ReaderData, 'path' | 'readLaw'>,
  { listed, hasModel }: Pick<ReaderData, 'listed' | 'hasModel'>,
  log: ProposalReaderOptions['log'],
): ProposalReader =>
  startProposalReader({
    home,
    workspace,
    path,
    person,
    userHooks: agentHooks,
    readLaw,
    http,
    listed,
    hasModel,
    log,
  })
