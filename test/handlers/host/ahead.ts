import type { RunResult } from '../../../src/core/model/hooks/run-result.ts'
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { startPrespawned } from '../../../src/handlers/host/prespawned.ts'
import type { RunRequest } from '../../../src/handlers/host/protocol.ts'
import { startRun } from '../../../src/handlers/host/run.ts'
import type { WaitingProgram } from '../../../src/handlers/host/prespawned.ts'
import { needs } from '../../needs.ts'
import { alive, type ProcessRow } from '../../process-list.ts'

/** A shell waits for hooks only on such a machine. */
export const onBash = needs('Linux', 'bash')

export interface Waiting extends WaitingProgram {
  readonly pid: number
  /** Why it can no longer be asked. */
  readonly spoiled: readonly string[]
}

/** A shell that waits sleeps in its `read`. Before that it is loaded, and answers nothing. */
const isAsleep = (pid: number): boolean => {
  try {
    return /^State:\s+S/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** The shells that wait for hooks with this word. */
export const shellsWith = (word: string): readonly ProcessRow[] =>
  alive().filter(
    ({ command, pid }) => command.includes('declare -a SHLVL') && command.includes(word) && isAsleep(pid),
  )

/** Starts a shell that waits for this request. Throws when none does. */
export const waitFor = async (request: RunRequest, varying: readonly string[] = []): Promise<Waiting> => {
  const spoiled: string[] = []
  const waiting = startPrespawned(request, varying, (what) => void spoiled.push(what))
  if (waiting?.pid === undefined) throw new Error('Expected a shell to wait for this hook, got none.')
  const { take, kill, pid } = waiting
  await expect.poll(() => isAsleep(pid), { interval: 1 }).toBe(true)
  return { take, kill, pid, spoiled }
}

/** Runs a request by the process that waits, and as usual when that one cannot answer it. */
export const ask = async (
  waiting: WaitingProgram,
  request: RunRequest,
): Promise<RunResult & { readonly wasWaiting: boolean }> => {
  const taken = await waiting.take(request)
  const result = await startRun(request, { waiting: taken }).result
  return { ...result, wasWaiting: taken !== undefined }
}
