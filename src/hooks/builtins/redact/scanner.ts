import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { messageOf } from '../../../model/problem.ts'
import type { RunFailure } from '../../host/protocol.ts'
import { batchesOf, inText } from './pieces.ts'
import type { Span } from './span.ts'

const startWithinMs = 10_000

export interface ScannerOptions {
  /** How long one batch of at most 64 Ki units may take; then the thread is killed. */
  readonly batchWithinMs?: number
  /** The thread's program, for tests. */
  readonly thread?: URL
}

/** All of every text, or why not all of it. */
export type Scan = { readonly spans: readonly (readonly Span[])[] } | { readonly failure: RunFailure }

/** Looks for secrets in a thread that is started when it is needed and killed when it does not finish. */
export interface Scanner {
  /** One caller after another. Never rejects. */
  scan(texts: readonly string[], options: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<Scan>
  /** The thread's id while one runs. */
  threadId(): number | undefined
  stop(): Promise<void>
}

const stopped: Scan = { failure: { kind: 'killed', detail: 'It was stopped before all of the text was looked through; nothing was redacted.' } }
const isStopped = (signal: AbortSignal | undefined): boolean => signal?.aborted === true
const late = (detail: string): RunFailure => ({ kind: 'timeout', detail })

export const createScanner = ({ batchWithinMs = 1000, thread = new URL(`./thread${extname(import.meta.url)}`, import.meta.url) }: ScannerOptions = {}): Scanner => {
  let running: Worker | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const end = async (): Promise<void> => {
    const ended = running
    running = undefined
    await ended?.terminate()
  }

  const start = async (): Promise<Worker> => {
    if (running !== undefined) return running
    // A text that makes a rule fill the memory ends the thread, not the gate.
    const started = (running = new Worker(thread, { resourceLimits: { maxOldGenerationSizeMb: 256 }, execArgv: [], env: {} }))
    started.unref()
    started.on('error', () => undefined)
    started.on('exit', () => {
      if (running === started) running = undefined
    })
    await once(started, 'message', { signal: AbortSignal.timeout(startWithinMs) }).catch((error: unknown) => {
      throw new Error(`it did not start: ${messageOf(error)}`)
    })
    return started
  }

  /** Rejects when the thread dies, when it is late, and when nobody wants the answer any more. */
  const ask = async (texts: readonly string[], withinMs: number, signal: AbortSignal | undefined): Promise<readonly (readonly Span[])[]> => {
    const started = await start()
    const timer = AbortSignal.timeout(Math.max(1, Math.floor(withinMs)))
    const answer = once(started, 'message', { signal: signal === undefined ? timer : AbortSignal.any([timer, signal]) })
    started.postMessage(texts)
    const [spans] = await answer as [readonly (readonly Span[])[]]
    return spans
  }

  const run = async (texts: readonly string[], endsAtMs: number, signal: AbortSignal | undefined): Promise<Scan> => {
    const spans: Span[][] = texts.map(() => [])
    const batches = batchesOf(texts)
    for (const [index, batch] of batches.entries()) {
      const leftMs = endsAtMs - performance.now()
      if (isStopped(signal)) return stopped
      if (leftMs <= 0) return { failure: late(`Part ${index + 1} of ${batches.length} of the text was not looked through in time; nothing was redacted.`) }
      try {
        const found = await ask(batch.map(({ text, offset, length }) => texts[text]?.slice(offset, offset + length) ?? ''), Math.min(leftMs, batchWithinMs), signal)
        for (const [at, piece] of batch.entries()) spans[piece.text]?.push(...inText(piece, found[at] ?? []))
      } catch (error) {
        // Whatever it still computes would answer the next question.
        await end()
        if (isStopped(signal)) return stopped
        if (error instanceof Error && error.name === 'AbortError') {
          return { failure: late(`A rule did not finish on part ${index + 1} of ${batches.length} of the text, so its thread was killed; nothing was redacted.`) }
        }
        return { failure: { kind: 'host', detail: `The scanner for secrets ended early (${messageOf(error)}); nothing was redacted.` } }
      }
    }
    return { spans }
  }

  return {
    scan: (texts, { timeoutMs, signal }) => {
      const endsAtMs = performance.now() + timeoutMs
      const result = turn.then(() => run(texts, endsAtMs, signal))
      turn = result
      return result
    },
    threadId: () => running?.threadId,
    stop: end,
  }
}
