import { rowKey, type Row } from '../model/catalogue.ts'
import { formatProblem, type Problem } from '../model/problem.ts'
import { fixed, joinProse, prose, type Prose } from '../model/prose.ts'
import { foreignOrigin, handlerLine } from './handler.ts'
import { changedWords, eventWords } from './row.ts'
import { oneLine, plural, shorten } from './words.ts'

const maxNamed = 5
const maxRemembered = 5000

export interface AnnouncePorts {
  /** What was announced before, or undefined when nothing ever was. */
  recall(): Promise<string | undefined>
  remember(keys: string): Promise<void>
  tellOwners(text: Prose): void
}

const waitingText = (rows: readonly Row[]): Prose => joinProse([
  fixed(`${plural(rows.length, 'hook')} ${rows.length === 1 ? 'waits' : 'wait'} for you:`),
  ...rows.slice(0, maxNamed).map((row) => {
    const origin = foreignOrigin(row)
    return prose`${eventWords(row.event)}\n  ${handlerLine(row, 60)}${origin === undefined ? [] : prose`\n  from ${shorten(oneLine(origin), 60)}`}${fixed(row.status === 'changed' ? `\n  changed since approval; ${changedWords(row)}` : '')}`
  }),
  ...(rows.length > maxNamed ? [fixed(`… and ${rows.length - maxNamed} more`)] : []),
  fixed('→ /hooks'),
], '\n')

const problemText = (problem: Problem): Prose => prose`⚠ ${formatProblem(problem)}`

/** Tells the owners what is new in the files, each thing once, also across restarts. */
export const createAnnouncer = (ports: AnnouncePorts) => {
  let told: Set<string> | undefined
  let last: Problem | undefined

  const take = async (rows: readonly Row[], problem: Problem | undefined): Promise<void> => {
    const keyed = rows.flatMap((row) => {
      const key = row.status === 'invalid' && row.problem !== undefined ? formatProblem(row.problem) : rowKey(row)
      return key === undefined ? [] : [{ row, key }]
    })
    const recalled = told === undefined ? await ports.recall() : undefined
    const isFirst = told === undefined && recalled === undefined
    told ??= new Set(recalled?.split('\n'))
    const fresh = keyed.filter(({ key }) => told?.has(key) === false)
    for (const { key } of fresh) told.add(key)
    // What cannot be kept is told all the same; after a restart it is told again.
    if (fresh.length > 0) await ports.remember([...told].slice(-maxRemembered).join('\n')).catch(() => undefined)
    const isNew = problem !== undefined && (last === undefined || formatProblem(problem) !== formatProblem(last))
    if (isNew) ports.tellOwners(problemText(problem))
    if (problem === undefined && last !== undefined) ports.tellOwners(fixed(`${last.file ?? 'The file'} can be read again.`))
    last = problem
    // What a first start brings along is told on the console, not in every chat.
    if (isFirst) return
    const waiting = fresh.filter(({ row }) => row.status === 'waiting' || row.status === 'changed').map(({ row }) => row)
    if (waiting.length > 0) ports.tellOwners(waitingText(waiting))
    for (const { row } of fresh) if (row.status === 'invalid' && row.problem !== undefined) ports.tellOwners(problemText(row.problem))
  }

  let turn: Promise<void> = Promise.resolve()
  return {
    /** The files were read: `problem` is what is wrong with one as a whole. */
    announce: (rows: readonly Row[], problem: Problem | undefined): Promise<void> => {
      turn = turn.then(() => take(rows, problem)).catch(() => undefined)
      return turn
    },
  }
}
