import type { RunFailure } from '../../../core/model/hooks/run-result.ts'
import { extname } from 'node:path'
import { createMutex } from '../../../core/model/base/mutex.ts'
import { messageOf } from '../../../core/model/gate/problem.ts'
import { createAnsweringWorker, LateAnswer } from '../../../shared/worker/restartable-worker.ts'
import type { Look } from '../incoming/look.ts'
import type { JudgedFile, FileJudgement } from './files/judge.ts'
import { batchesOf, inText } from './secrets/pieces.ts'
import type { Span, Subject } from './span.ts'
import type { ScanQuestions } from './worker.ts'

export interface ScannerOptions {
  /** The time limit for one batch of at most 64 Ki UTF-16 units. After it, the thread is killed. */
  readonly batchWithinMs?: number
  /** The program of the workers, for tests. */
  readonly program?: URL
}

type Failed = { readonly failure: RunFailure }

/** What was found in every text, or the failure that stopped the scan. */
export type Scan = { readonly spans: readonly (readonly Span[])[] } | Failed

export interface ScanOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** What is looked for in texts. Without it, secrets are. */
  readonly subject?: Subject
}

const stopped: Failed = {
  failure: { kind: 'killed', detail: 'The scan was stopped before its end. Nothing was changed.' },
}

const isStopped = (signal: AbortSignal | undefined): boolean => signal?.aborted === true
const late = (detail: string): Failed => ({ failure: { kind: 'timeout', detail } })

const usualProgram = new URL(`./worker${extname(import.meta.url)}`, import.meta.url)

/**
 * The worker for files stops itself this long before it would be killed, at most a quarter of its time, so
 * that it can name the file that it did not finish.
 */
const beforeKillMs = 1000

/**
 * Searches texts and files in threads. A thread is started when it is needed and killed when it does not
 * finish in time. Callers of one kind wait for one another, and not for those of another kind.
 */
export const createScanner = ({ batchWithinMs = 1000, program = usualProgram }: ScannerOptions = {}) => {
  /** A worker for one kind of questions, and the turn of each caller. */
  const workerFor = <Kind extends keyof ScanQuestions>(kind: Kind, maxMb: number) => {
    const { ask, ...worker } = createAnsweringWorker(program, maxMb, kind)
    return {
      ...worker,
      inTurn: createMutex(),
      /** `lateWords`: what is said when the answer is late. */
      ask: async (
        question: ScanQuestions[Kind],
        withinMs: number,
        signal: AbortSignal | undefined,
        lateWords: () => string,
      ): Promise<{ readonly reply: unknown } | Failed> => {
        try {
          return { reply: await ask(question, withinMs, signal) }
        } catch (error) {
          if (isStopped(signal)) return stopped
          if (error instanceof LateAnswer) return late(lateWords())
          const detail = `The scanner ended early (${messageOf(error)}). Nothing was changed.`
          return { failure: { kind: 'host', detail } }
        }
      },
    }
  }
  const [forTexts, forFiles, forLooks] = [
    workerFor('texts', 256),
    workerFor('files', 512),
    workerFor('look', 256),
  ]

  const run = async (
    texts: readonly string[],
    subject: Subject,
    endsAtMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Scan> => {
    const spans: Span[][] = texts.map(() => [])
    const batches = batchesOf(texts)
    for (const [index, batch] of batches.entries()) {
      const leftMs = endsAtMs - performance.now()
      if (isStopped(signal)) return stopped
      const part = `part ${index + 1} of ${batches.length} of the text`
      if (leftMs <= 0) return late(`The time was over before ${part} was scanned. Nothing was redacted.`)
      const pieces = batch.map(
        ({ text, offset, length }) => texts[text]?.slice(offset, offset + length) ?? '',
      )
      const asked = await forTexts.ask(
        { subject, texts: pieces },
        Math.min(leftMs, batchWithinMs),
        signal,
        () => `A rule did not finish on ${part}, so its thread was killed. Nothing was redacted.`,
      )
      if ('failure' in asked) return asked
      const found = asked.reply as readonly (readonly Span[])[]
      for (const [at, piece] of batch.entries()) spans[piece.text]?.push(...inText(piece, found[at] ?? []))
    }
    return { spans }
  }

  const runFiles = async (
    files: readonly JudgedFile[],
    endsAtMs: number,
    signal: AbortSignal | undefined,
  ): Promise<FileJudgement | Failed> => {
    const leftMs = endsAtMs - performance.now()
    if (isStopped(signal)) return stopped
    if (leftMs <= 0)
      return late(
        'The files were not scanned in time, because files of other messages came first. Send them again.',
      )
    // The index of the current file, for the message about a worker that stopped replying.
    const place = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const asked = await forFiles.ask(
      { files, withinMs: leftMs - Math.min(beforeKillMs, leftMs / 4), place },
      leftMs,
      signal,
      () =>
        `A rule did not finish on file ${Atomics.load(place, 0) + 1} of ${files.length}, so its thread was killed.`,
    )
    return 'failure' in asked ? asked : (asked.reply as FileJudgement)
  }

  return {
    /** Looks whether a text speaks like instructions. Never rejects. */
    look: (text: string, { timeoutMs, signal }: ScanOptions): Promise<Look | Failed> => {
      const endsAtMs = performance.now() + timeoutMs
      return forLooks.inTurn(async () => {
        const lateWords = (): string => 'The text was not looked at in time. Nothing was marked.'
        const asked = await forLooks.ask(text, endsAtMs - performance.now(), signal, lateWords)
        return 'failure' in asked ? asked : (asked.reply as Look)
      })
    },
    /** Scans texts. Never rejects. */
    scan: (
      texts: readonly string[],
      { timeoutMs, signal, subject = 'secrets' }: ScanOptions,
    ): Promise<Scan> => {
      const endsAtMs = performance.now() + timeoutMs
      return forTexts.inTurn(() => run(texts, subject, endsAtMs, signal))
    },
    /** Scans files. Never rejects. */
    judge: (
      files: readonly JudgedFile[],
      { timeoutMs, signal }: ScanOptions,
    ): Promise<FileJudgement | Failed> => {
      const endsAtMs = performance.now() + timeoutMs
      return forFiles.inTurn(() => runFiles(files, endsAtMs, signal))
    },
    /** The id of a running thread, for tests. It is undefined while none runs. */
    threadId: (): number | undefined => forTexts.threadId() ?? forFiles.threadId() ?? forLooks.threadId(),
    stop: async (): Promise<void> => {
      await Promise.all([forTexts.kill(), forFiles.kill(), forLooks.kill()])
    },
  }
}

export type Scanner = ReturnType<typeof createScanner>
