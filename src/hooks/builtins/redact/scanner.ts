import { extname } from 'node:path'
import { messageOf } from '../../../model/gate/problem.ts'
import type { RunFailure } from '../../host/protocol.ts'
import type { JudgedFile, FileJudgement } from './files/judge.ts'
import { createRestartableThread } from './keeper.ts'
import { batchesOf, inText } from './secrets/pieces.ts'
import type { Span, Subject } from './span.ts'

export interface ScannerOptions {
  /** The time limit for one batch of at most 64 Ki UTF-16 units. After it, the thread is killed. */
  readonly batchWithinMs?: number
  /** The modules of the threads, for tests. */
  readonly thread?: URL
  readonly fileThread?: URL
}

/** What was found in every text, or the failure that stopped the scan. */
export type Scan = { readonly spans: readonly (readonly Span[])[] } | { readonly failure: RunFailure }

interface ScanOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** What is looked for in texts. Without it, secrets are. */
  readonly subject?: Subject
}

/**
 * Searches secrets and personal data in threads. A thread is started when it is needed and killed when it
 * does not finish in time.
 */
export interface Scanner {
  /** Scans texts, for one caller after another. Never rejects. */
  scan(texts: readonly string[], options: ScanOptions): Promise<Scan>
  /** Scans files, for one caller after another and independently of texts. Never rejects. */
  judge(
    files: readonly JudgedFile[],
    options: ScanOptions,
  ): Promise<FileJudgement | { readonly failure: RunFailure }>
  /** The id of a running thread, for tests. It is undefined while none runs. */
  threadId(): number | undefined
  stop(): Promise<void>
}

const stopped = {
  failure: {
    kind: 'killed',
    detail: 'The scan was stopped before the end of the text. Nothing was redacted.',
  },
} as const
const isStopped = (signal: AbortSignal | undefined): boolean => signal?.aborted === true
const late = (detail: string): RunFailure => ({ kind: 'timeout', detail })

const programOf = (name: string): URL => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url)
const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'
const endedEarly = (error: unknown): RunFailure => ({
  kind: 'host',
  detail: `The scanner ended early (${messageOf(error)}). Nothing was redacted.`,
})
/**
 * The thread for files stops itself this long before it would be killed, at most a quarter of its time, so
 * that it can name the file that it did not finish.
 */
const beforeKillMs = 1000

export const createScanner = ({
  batchWithinMs = 1000,
  thread = programOf('thread'),
  fileThread = programOf('files/thread'),
}: ScannerOptions = {}): Scanner => {
  const forTexts = createRestartableThread(thread, 256)
  const forFiles = createRestartableThread(fileThread, 512)
  let turn: Promise<unknown> = Promise.resolve()
  let fileTurn: Promise<unknown> = Promise.resolve()

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
      if (leftMs <= 0)
        return {
          failure: late(
            `Part ${index + 1} of ${batches.length} of the text was not scanned in time. Nothing was redacted.`,
          ),
        }
      try {
        const pieces = batch.map(
          ({ text, offset, length }) => texts[text]?.slice(offset, offset + length) ?? '',
        )
        const found = (await forTexts.ask(
          { subject, texts: pieces },
          Math.min(leftMs, batchWithinMs),
          signal,
        )) as readonly (readonly Span[])[]
        for (const [at, piece] of batch.entries()) spans[piece.text]?.push(...inText(piece, found[at] ?? []))
      } catch (error) {
        // A late reply of the thread would be taken for the reply to the next request.
        await forTexts.end()
        if (isStopped(signal)) return stopped
        if (isAbort(error)) {
          return {
            failure: late(
              `A rule did not finish on part ${index + 1} of ${batches.length} of the text, so its thread was killed. Nothing was redacted.`,
            ),
          }
        }
        return { failure: endedEarly(error) }
      }
    }
    return { spans }
  }

  const runFiles = async (
    files: readonly JudgedFile[],
    endsAtMs: number,
    signal: AbortSignal | undefined,
  ): Promise<FileJudgement | { readonly failure: RunFailure }> => {
    const leftMs = endsAtMs - performance.now()
    if (isStopped(signal)) return stopped
    if (leftMs <= 0)
      return {
        failure: late(
          'The files were not scanned in time, because files of other messages came first. Send them again.',
        ),
      }
    // The index of the current file, for the message about a thread that stopped replying.
    const place = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    try {
      return (await forFiles.ask(
        { files, withinMs: leftMs - Math.min(beforeKillMs, leftMs / 4), place },
        leftMs,
        signal,
      )) as FileJudgement
    } catch (error) {
      await forFiles.end()
      if (isStopped(signal)) return stopped
      return {
        failure: isAbort(error)
          ? late(
              `A rule did not finish on file ${Atomics.load(place, 0) + 1} of ${files.length}, so its thread was killed.`,
            )
          : endedEarly(error),
      }
    }
  }

  return {
    scan: (texts, { timeoutMs, signal, subject = 'secrets' }) => {
      const endsAtMs = performance.now() + timeoutMs
      const result = turn.then(() => run(texts, subject, endsAtMs, signal))
      turn = result
      return result
    },
    judge: (files, { timeoutMs, signal }) => {
      const endsAtMs = performance.now() + timeoutMs
      const result = fileTurn.then(() => runFiles(files, endsAtMs, signal))
      fileTurn = result
      return result
    },
    threadId: () => forTexts.threadId() ?? forFiles.threadId(),
    stop: async () => {
      await Promise.all([forTexts.end(), forFiles.end()])
    },
  }
}
