import type { ListedHook } from '../../shared/gate/catalogue.ts'
import { refusal } from '../../core/model/chat/notice.ts'
import { prose, type Prose, proseLines } from '../../core/model/chat/prose.ts'
import { findApproved, understoodAs } from '../find.ts'
import { nameOf } from './consent.ts'
import { switchLine } from './list.ts'
import type { Command, CommandContext, CommandPorts } from '../ports.ts'
import { eventWords, placeKey } from '../cards/row.ts'
import { ourWords } from '../../shared/said/our-words.ts'

/**
 * The approved rows of a revoke that were not approved when it began: earlier commands approved them since.
 */
const approvedSince = (
  rest: string,
  rows: readonly ListedHook[],
  ports: CommandPorts,
  context: CommandContext,
): readonly ListedHook[] => {
  const places = new Set(rows.map(placeKey))
  const named = findApproved(rest, ports, context)
  // A name may call another hook by now, because the one that it called is approved no longer.
  const isMeant = !('wrong' in named) && named.byName !== true
  const lives = new Set(isMeant ? named.rows.map(({ live }) => live) : [])
  return ports
    .rows()
    .filter((row) => row.live !== undefined && (places.has(placeKey(row)) || lives.has(row.live)))
}

/**
 * Ends approvals at once. When earlier commands still approve something, it waits for them, and ends what
 * they approved of the same hooks.
 */
export const revokeCommand = (ports: CommandPorts): Command => ({
  path: 'hooks revoke',
  usage: '/hooks revoke <command>',
  summary: 'end an approval, on all its events',
  need: 'privileged',
  run: async (rest, context) => {
    const isEnded: boolean[] = []
    const end = async (row: ListedHook): Promise<readonly Prose[]> => {
      if (row.live === undefined) return []
      const done = await ports.revoke(row.live, context.consent)
      isEnded.push(done.isEnded)
      return done.isEnded
        ? [prose`Revoked: ${eventWords(row.event)}\n  ${nameOf(row, ports)}`]
        : [
            prose`✗ ${nameOf(row, ports)} could not be revoked on ${eventWords(row.event)}: it stays approved.\n${ourWords(done.why)}`,
          ]
    }
    const found = findApproved(rest, ports, context)
    const rows = 'wrong' in found ? [] : found.rows
    const lines = (await Promise.all(rows.map(end))).flat()
    if (context.earlier !== undefined) {
      await context.earlier
      lines.push(...(await Promise.all(approvedSince(rest, rows, ports, context).map(end))).flat())
    }
    if (lines.length === 0) {
      if ('wrong' in found) return found.wrong
      lines.push(
        ...rows.map((row) => prose`${nameOf(row, ports)} was not approved on ${eventWords(row.event)}.`),
      )
    }
    const { lockdown } = ports.gate()
    const ended = isEnded.includes(true)
      ? [
          isEnded.filter((is) => is).length === 1
            ? prose`It does not fire any longer. Programs that still ran were stopped.`
            : prose`They do not fire any longer. Programs that still ran were stopped.`,
        ]
      : []
    const closing = [...ended, lockdown !== undefined && switchLine(ports)]
    const understood = 'wrong' in found ? [] : understoodAs(found)
    const answer = proseLines(...understood, ...lines, ...closing)
    return isEnded.includes(false) ? refusal(answer) : answer
  },
})
