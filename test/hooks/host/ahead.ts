import { startAhead } from '../../../src/hooks/host/ahead.ts'
import type { RunRequest, RunResult } from '../../../src/hooks/host/protocol.ts'
import { startRun } from '../../../src/hooks/host/run.ts'
import type { WaitingProgram } from '../../../src/hooks/host/waiting.ts'
import { needs } from '../../needs.ts'

/** A shell waits for hooks only on such a machine. */
export const onBash = needs('Linux', 'bash')

export interface Waiting extends WaitingProgram {
  readonly pid: number
  /** Why it can no longer be asked. */
  readonly spoiled: readonly string[]
}

/** Starts a shell that waits for this request, and throws when none does. */
export const waitFor = (request: RunRequest, varying: readonly string[] = []): Waiting => {
  const spoiled: string[] = []
  const waiting = startAhead(request, varying, (what) => void spoiled.push(what))
  if (waiting?.pid === undefined) throw new Error('Expected a shell to wait for this hook, got none.')
  return { ...waiting, pid: waiting.pid, spoiled }
}

/** Runs a request by the process that waits, and as usual when that one cannot answer it. */
export const ask = async (
  waiting: WaitingProgram,
  request: RunRequest,
): Promise<RunResult & { readonly wasWaiting: boolean; readonly instead: readonly number[] }> => {
  const instead: number[] = []
  const taken = await waiting.take(request, (pid) => void instead.push(pid))
  const result = await startRun(request, { waiting: taken }).result
  return { ...result, wasWaiting: taken !== undefined && instead.length === 0, instead }
}
