import { rowKey, type ListedHook } from '../shared/gate/catalogue.ts'
import type { Problem } from '../core/model/gate/problem.ts'
import { prose, type Prose, proseLines } from '../core/model/chat/prose.ts'
import { lockdownText } from './families/list.ts'
import { ourWords } from '../shared/said/our-words.ts'

export interface ProposalWatcherPorts {
  rows(): readonly ListedHook[]
  sourceProblem(): Problem | undefined
  gate(): {
    readonly isOn: boolean
    readonly revision: number
    readonly lockdown?: string
    readonly good?: { readonly lines: number; readonly head: string }
  }
  /** The changes of programs that approved hooks run with. Each change is returned once. */
  interpreterNews(): readonly { readonly hooks: number; readonly words: readonly string[] }[]
  announce(rows: readonly ListedHook[], problem: Problem | undefined): unknown
  alarm(about: 'lockdown' | 'seal', text: Prose): void
  /** The list or the switch may read differently now. */
  changed(): void
}

/** One notice for all programs that changed at once, as by a system update. */
const interpreterText = (news: ReturnType<ProposalWatcherPorts['interpreterNews']>): Prose =>
  proseLines(
    ...news.flatMap(({ hooks, words }) => [
      hooks === 1
        ? prose`A program that runs 1 approved hook changed:`
        : prose`A program that runs ${hooks} approved hooks changed:`,
      ...words.map((sentence) => ourWords(sentence)),
    ]),
  )

/**
 * Checks whether the gate, the proposals or their files have changed, and announces each change once. This
 * includes a changed script: the approved bytes keep running, and the owner should know that the file
 * differs.
 */
export const createProposalWatcher = (ports: ProposalWatcherPorts) => {
  let last = ''
  let lastLockdown: string | undefined
  return {
    refresh: (): void => {
      const rows = ports.rows()
      const { isOn, revision, lockdown, good } = ports.gate()
      const problem = ports.sourceProblem()
      if (lockdown !== undefined && lockdown !== lastLockdown) {
        ports.alarm(
          'lockdown',
          lockdownText(lockdown, good, prose`Gated steps are blocked and messages are held.\n`),
        )
      }
      lastLockdown = lockdown
      const news = ports.interpreterNews()
      if (news.length > 0) ports.alarm('seal', interpreterText(news))
      const seen = JSON.stringify([
        isOn,
        revision,
        lockdown,
        problem,
        rows.map((row) => [
          row.status,
          row.event,
          row.command,
          rowKey(row),
          row.problem?.message,
          row.remarks,
          row.missing,
          row.isStopped,
        ]),
      ])
      if (seen === last) return
      last = seen
      ports.changed()
      // In lockdown every quoted word is withheld, so a card would say nothing. It comes afterwards.
      if (lockdown === undefined) ports.announce(rows, problem)
    },
  }
}
