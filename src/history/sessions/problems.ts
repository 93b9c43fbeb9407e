import { messageOf } from '../../core/model/gate/problem.ts'
import type { SessionClient } from './table.ts'

/** What was not read, and why. `example` is one of so many. */
export interface SessionProblem {
  readonly client: SessionClient
  readonly why: string
  readonly count: number
  readonly example: string
}

/** Why something cannot be read, without its path, so that the same reason is told once. */
export const unreadable = (error: unknown): string => {
  const isOfSystem = error instanceof Error && 'syscall' in error && 'code' in error
  const why = isOfSystem ? String(error.code) : messageOf(error)
  return `cannot be read${why === 'EACCES' ? ' by this user' : ''} (${why})`
}

/** Counts what was not read. There are few reasons, so this stays small. */
export const createProblems = () => {
  const known = new Map<string, SessionProblem>()
  return {
    add: (client: SessionClient, why: string, example: string): void => {
      const key = `${client}\n${why}`
      const before = known.get(key)
      known.set(
        key,
        before === undefined ? { client, why, count: 1, example } : { ...before, count: before.count + 1 },
      )
    },
    all: (): readonly SessionProblem[] => [...known.values()],
  }
}
export type Problems = ReturnType<typeof createProblems>
