import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { INSTALLATIONS } from '../../../bridge/install/clients.ts'
import { programWords } from '../../../bridge/install/command.ts'
import type { Env } from '../../../config/home.ts'
import { openSessions } from '../../../history/sessions/sessions.ts'
import {
  isSessionClient,
  sessionClients,
  sessionRoots,
  type SessionClient,
  type SessionRoot,
} from '../../../history/sessions/table.ts'
import { sayingText } from '../../../shared/hooks/guard-words.ts'
import { nearest } from '../../../shared/base/nearest.ts'
import { ProblemError } from '../../../core/model/gate/problem.ts'
import type { Scanned, ScanPorts } from './scan.ts'

/** The options, as they were typed. */
export interface ScanRequest {
  readonly days?: string | undefined
  readonly client?: string | undefined
}

/** What a report says beside what was found. */
export interface ScanFacts {
  readonly days: number
  readonly home: string
  /** Where the sessions were looked for. */
  readonly looked: readonly SessionRoot[]
  /** The name of a client that people read. */
  titleOf(client: SessionClient): string
  /** The line that puts a client behind the gate. */
  installLine(client: SessionClient): string
}

const dayMs = 24 * 60 * 60_000
const defaultDays = 30
/** The progress is told at most so often, in milliseconds. */
const tellEveryMs = 100

const wrong = (code: string, message: string, fix: string): ProblemError =>
  new ProblemError({ code: `scan.${code}`, message, fix })

const clientsOf = (named: string | undefined): readonly SessionClient[] => {
  if (named === undefined) return sessionClients
  if (isSessionClient(named)) return [named]
  const meant = nearest(named, sessionClients)
  throw wrong(
    'client',
    `Expected the name of a client whose sessions can be read, got "${named.slice(0, 40)}".`,
    meant === undefined ? `Name one of these: ${sessionClients.join(', ')}.` : `Did you mean ${meant}?`,
  )
}

const daysOf = (typed: string | undefined): number => {
  if (typed === undefined) return defaultDays
  if (/^[1-9]\d{0,3}$/.test(typed)) return Number(typed)
  throw wrong('days', `Expected --days as a number of days, got "${typed.slice(0, 40)}".`, 'Write --days 30.')
}

/** Asks the guards about the sessions of this machine. Rejects with a ProblemError for wrong words. */
export const runScan = async (
  request: ScanRequest,
  env: Env,
  { isStopped, progress }: Pick<ScanPorts, 'isStopped' | 'progress'>,
): Promise<{ readonly scanned: Scanned; readonly facts: ScanFacts }> => {
  const clients = clientsOf(request.client)
  const days = daysOf(request.days)
  const home = homedir()
  const looked = sessionRoots(clients, { home, env })
  const { isOnPath } = programWords(realpathSync(process.argv[1] ?? ''), process.execPath, env['PATH'])
  // Its thread starts while the guards are loaded.
  const sessions = openSessions({ roots: looked, sinceMs: Date.now() - days * dayMs })
  const [{ judgeCall }, { createScanner }, { scanSessions }] = await Promise.all([
    import('../../../handlers/builtins/guard/judge.ts'),
    import('../../../handlers/builtins/redact/scanner.ts'),
    import('./scan.ts'),
  ])
  const scanner = createScanner()
  let tellAtMs = 0
  try {
    const scanned = await scanSessions({
      sessions,
      home,
      judge: (call) =>
        judgeCall(call).map(({ effect, word, says, about, part }) => ({
          effect,
          word,
          part,
          reason: sayingText(says, about),
        })),
      scanner,
      isStopped,
      progress: (soFar) => {
        if (performance.now() < tellAtMs) return
        tellAtMs = performance.now() + tellEveryMs
        progress(soFar)
      },
    })
    const facts: ScanFacts = {
      days,
      home,
      looked,
      titleOf: (client) => INSTALLATIONS[client].title,
      installLine: (client) =>
        `${isOnPath ? '' : 'npm install --global hookgate && '}hookgate bridge install ${client}`,
    }
    return { scanned, facts }
  } finally {
    await scanner.stop()
  }
}
