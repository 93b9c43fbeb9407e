import { basename } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import {
  client,
  type ClientApp,
  type ClientContext,
  MessageTooLargeError,
  methods,
  PROTOCOL_VERSION,
} from '@agentclientprotocol/sdk'
import { errorLine } from '../../shared/hooks/error-line.ts'
import { killSession, spawnGroup } from '../tools/bash.ts'
import type { Limits } from './limits.ts'
import { FloodError, wireOf } from './wire.ts'

const maxStderrBytes = 256 * 1024
const maxLastWords = 200
/** The end of the error output that is kept. The trace of an error has its place in it. */
const maxLastUnits = 16 * 1024
/** How long error output may arrive after the program ended, in milliseconds. */
const lastWordsMs = 100
/**
 * A program whose streams have ended gets this long to end itself, in milliseconds. A busy machine needs it.
 */
const exitMs = 2000

/** One running process of the program. */
export interface Running {
  readonly agent: ClientContext
  readonly canLoad: boolean
  readonly canClose: boolean
  /** The sessions that this process knows. */
  readonly sessions: Set<string>
  /** Aborted when the process has ended. The reason is an Error with a text for the person. */
  readonly gone: AbortSignal
  kill(why: string): void
  /** Resolves like `work`, but rejects with the reason when the process ends first. */
  alive<T>(work: Promise<T>): Promise<T>
  /** Does the same as `alive`, and kills the process when `work` takes longer than `timeoutMs`. */
  within<T>(work: Promise<T>, timeoutMs: number, what: string): Promise<T>
  /** Notes that the program answered a prompt. Its next failure counts as the first. */
  isWell(): void
}

export interface AcpProgram {
  readonly name: string
  /** Returns the running process, and starts one if there is none. Rejects with a text for the person. */
  running(signal: AbortSignal): Promise<Running>
}

export interface ProgramPorts {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly limits: Limits
  /** Adds the handlers for the program's requests. */
  readonly serve: (app: ClientApp) => ClientApp
  /** Called when a process has ended. */
  readonly onEnd: () => void
}

/**
 * Copies the program's standard error to ours, up to a limit. Returns a function that gives the line that
 * says why the program ended.
 */
const lastWordsOf = ({ stderr }: ChildProcess): (() => string) => {
  let passed = 0
  let last = ''
  stderr?.on('data', (chunk: Buffer) => {
    if (passed < maxStderrBytes) process.stderr.write(chunk)
    passed += chunk.length
    last = `${last}${chunk.toString()}`.slice(-maxLastUnits)
  })
  return () =>
    errorLine(last)
      .replaceAll(/[\x00-\x1f\x7f]+/g, ' ')
      .trim()
      .slice(0, maxLastWords)
      .toWellFormed()
}

const wordsOf = (error: unknown): string => {
  if (error instanceof MessageTooLargeError)
    return `it sent a message of more than ${error.maxMessageBytes} bytes`
  return error instanceof Error ? error.message : String(error)
}

export const createProgram = ({ command, cwd, env, limits, serve, onEnd }: ProgramPorts): AcpProgram => {
  const name = basename(command[0] ?? 'agent')
  let current: Promise<Running> | undefined
  let deaths = 0
  let diedAtMs = 0

  const begin = async (): Promise<Running> => {
    const child = spawnGroup(command, { cwd, env, stdin: 'pipe', stderr: 'pipe' })
    const ending = new AbortController()
    const over = (why: string): void => {
      if (ending.signal.aborted) return
      deaths++
      diedAtMs = performance.now()
      current = undefined
      if (child.pid !== undefined) killSession(child.pid)
      onEnd()
      ending.abort(new Error(`${name} ${why}`))
    }
    const kill = (why: string): void => over(`was stopped: ${why}`)
    const lastWords = lastWordsOf(child)
    child.once('error', (error) => over(`did not start: ${error.message}`))
    child.once('exit', (code, signal) => {
      setTimeout(() => {
        const words = lastWords()
        over(
          `ended by itself (${code === null ? signal : `exit code ${code}`})${words === '' ? '' : `: ${words}`}`,
        )
      }, lastWordsMs)
    })
    const connection = serve(client({ name: 'hookgate' })).connect(
      wireOf(child, limits, () => kill('it did not read its input')),
    )
    connection.signal.addEventListener(
      'abort',
      () => {
        const { reason } = connection.signal
        // The streams may end a moment before the process does. The end of the process gives a better reason.
        setTimeout(
          () => kill(wordsOf(reason)),
          reason instanceof FloodError || reason instanceof MessageTooLargeError ? 0 : exitMs,
        )
      },
      { once: true },
    )
    ending.signal.addEventListener('abort', () => connection.close(), { once: true })

    const gone = new Promise<never>((_, reject) =>
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason as Error), { once: true }),
    )
    gone.catch(() => undefined)
    const alive: Running['alive'] = (work) =>
      // Closing the connection also rejects its requests. The reason of the end is the one to report.
      Promise.race([
        work.catch(async (error: unknown) => (connection.signal.aborted ? gone : Promise.reject(error))),
        gone,
      ])
    const within: Running['within'] = async (work, timeoutMs, what) => {
      const timer = setTimeout(() => kill(`it did not ${what} within ${timeoutMs / 1000} s`), timeoutMs)
      try {
        return await alive(work)
      } finally {
        clearTimeout(timer)
      }
    }

    const { agent } = connection
    const asked = agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'hookgate', version: '1' },
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        elicitation: { form: {} },
      },
    })
    const { protocolVersion, agentCapabilities } = await within(
      asked,
      limits.initializeMs,
      'answer the first request',
    )
    if (protocolVersion !== PROTOCOL_VERSION) {
      kill(
        `Expected it to speak version ${PROTOCOL_VERSION} of the Agent Client Protocol, got ${protocolVersion}`,
      )
      return gone
    }
    return {
      agent,
      gone: ending.signal,
      sessions: new Set(),
      kill,
      alive,
      within,
      canLoad: agentCapabilities?.loadSession === true,
      canClose: (agentCapabilities?.sessionCapabilities?.close ?? undefined) !== undefined,
      isWell: () => {
        deaths = 0
      },
    }
  }

  const running: AcpProgram['running'] = async (signal) => {
    if (current !== undefined) return current
    const waitMs =
      diedAtMs +
      (limits.restartAfterMs[Math.min(deaths, limits.restartAfterMs.length - 1)] ?? 0) -
      performance.now()
    if (deaths > 0 && waitMs > 0) await delay(waitMs, undefined, { signal })
    // Another conversation may have started it meanwhile.
    current ??= begin()
    const begun = current
    begun.catch(() => {
      if (current === begun) current = undefined
    })
    return begun
  }

  return { name, running }
}
