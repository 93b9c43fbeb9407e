import { extname } from 'node:path'
import { messageOf } from '../../../model/gate/problem.ts'
import type { RunFailure } from '../../host/protocol.ts'
import type { JudgedFile, FileJudgement } from './files/judge.ts'
import { createKeeper } from './keeper.ts'
import { batchesOf, inText } from './secrets/pieces.ts'
import type { Span } from './span.ts'

export interface ScannerOptions {
  /** How long one batch of at most 64 Ki units may take; then the thread is killed. */
  readonly batchWithinMs?: number
  /** The threads' programs, for tests. */
  readonly thread?: URL
  readonly fileThread?: URL
}

/** All of every text, or why not all of it. */
export type Scan = { readonly spans: readonly (readonly Span[])[] } | { readonly failure: RunFailure }

interface ScanOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** Looks for secrets in threads that are started when they are needed and killed when they do not finish. */
export interface Scanner {
  /** One caller after another. Never rejects. */
  scan(texts: readonly string[], options: ScanOptions): Promise<Scan>
  /** One caller after another, and no text waits for it. Never rejects. */
  judge(
    files: readonly JudgedFile[],
    options: ScanOptions,
  ): Promise<FileJudgement | { readonly failure: RunFailure }>
  /** The thread's id while one runs. */
  threadId(): number | undefined
  stop(): Promise<void>
}

const stopped = {
  failure: {
    kind: 'killed',
    detail: 'It was stopped before all of the text was looked through; nothing was redacted.',
  },
} as const
const isStopped = (signal: AbortSignal | undefined): boolean => signal?.aborted === true
const late = (detail: string): RunFailure => ({ kind: 'timeout', detail })

const programOf = (name: string): URL => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url)
const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'
const endedEarly = (error: unknown): RunFailure => ({
  kind: 'host',
  detail: `The scanner for secrets ended early (${messageOf(error)}); nothing was redacted.`,
})
/** It ends by itself so much before it would be killed, at most a quarter of its time, to say which file it did not finish. */
const beforeKillMs = 1000

export const createScanner = ({
  batchWithinMs = 1000,
  thread = programOf('thread'),
  fileThread = programOf('files/thread'),
}: ScannerOptions = {}): Scanner => {
  const forTexts = createKeeper(thread, 256)
  const forFiles = createKeeper(fileThread, 512)
  let turn: Promise<unknown> = Promise.resolve()
  let fileTurn: Promise<unknown> = Promise.resolve()

  const run = async (
    texts: readonly string[],
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
            `Part ${index + 1} of ${batches.length} of the text was not looked through in time; nothing was redacted.`,
          ),
        }
      try {
        const pieces = batch.map(
          ({ text, offset, length }) => texts[text]?.slice(offset, offset + length) ?? '',
        )
        const found = (await forTexts.ask(
          pieces,
          Math.min(leftMs, batchWithinMs),
          signal,
        )) as readonly (readonly Span[])[]
        for (const [at, piece] of batch.entries()) spans[piece.text]?.push(...inText(piece, found[at] ?? []))
      } catch (error) {
        // Whatever it still computes would answer the next question.
        await forTexts.end()
        if (isStopped(signal)) return stopped
        if (isAbort(error)) {
          return {
            failure: late(
              `A rule did not finish on part ${index + 1} of ${batches.length} of the text, so its thread was killed; nothing was redacted.`,
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
          'The files were not looked through in time, because those of other messages came first. Send them again.',
        ),
      }
    // Which file it is at, for the words about a thread that says nothing any more.
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
    scan: (texts, { timeoutMs, signal }) => {
      const endsAtMs = performance.now() + timeoutMs
      const result = turn.then(() => run(texts, endsAtMs, signal))
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
