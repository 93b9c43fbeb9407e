import { rowKey, type Row } from '../model/catalogue.ts'
import type { Problem } from '../model/problem.ts'
import type { Prose } from '../model/prose.ts'
import { lockdownText } from './list.ts'

export interface LookoutPorts {
  rows(): readonly Row[]
  sourceProblem(): Problem | undefined
  gate(): { readonly isOn: boolean; readonly revision: number; readonly lockdown?: string; readonly good?: { readonly lines: number; readonly head: string } }
  announce(rows: readonly Row[], problem: Problem | undefined): unknown
  tellOwners(text: Prose): void
  /** The list or the switch may read differently now. */
  changed(): void
}

/**
 * Looks whether the gate, the proposals or the files behind them are still what they were, and tells what is new, once.
 * A script's own file is seen here too: the approved bytes run on, and the owner should know that they differ.
 */
export const createLookout = (ports: LookoutPorts) => {
  let last = ''
  let lastLockdown: string | undefined
  return {
    look: (): void => {
      const rows = ports.rows()
      const { isOn, revision, lockdown, good } = ports.gate()
      const problem = ports.sourceProblem()
      if (lockdown !== undefined && lockdown !== lastLockdown) ports.tellOwners(lockdownText(`${lockdown}.`, good, 'Gated steps are blocked and messages are held.\n'))
      lastLockdown = lockdown
      const seen = JSON.stringify([isOn, revision, lockdown, problem, rows.map((row) => [row.status, row.event, row.command, rowKey(row), row.problem?.message, row.remarks, row.isStopped])])
      if (seen === last) return
      last = seen
      ports.changed()
      ports.announce(rows, problem)
    },
  }
}
