import { rowKey, type ListedHook } from '../../model/gate/catalogue.ts'
import { saidAfter, type NoticeText } from '../../model/chat/notice.ts'
import { formatProblem, type Problem } from '../../model/gate/problem.ts'
import { fixed, joinProse, prose, type Prose } from '../../model/chat/prose.ts'
import type { Address } from '../../model/chat/push.ts'
import type { CardButtons } from './card-buttons.ts'
import { foreignOrigin, handlerLine } from './handler.ts'
import { changedWords, eventWords } from './row.ts'
import { oneLine, shorten } from '../words.ts'

/** More at once are told in one notice. */
const maxCards = 3
const maxNamed = 5
const maxRemembered = 5000
/** More in an hour, or so many not nows in a row, and what comes after is told together. */
export const maxInAnHour = 10
const maxNotNows = 3
const quietMs = 60 * 60 * 1000

export interface AnnouncePorts {
  /** What was announced before, or undefined when nothing ever was. */
  recall(): Promise<string | undefined>
  remember(keys: string): Promise<void>
  /** `about`: what waits for a yes, or what is wrong with a file. No flood of the one stands before the other. */
  tellOwners(said: NoticeText | ((chat: Address) => NoticeText), about: 'proposals' | 'files'): void
  readonly cardButtons: Pick<CardButtons, 'news' | 'waiting' | 'placeOf'>
  after(delayMs: number, run: () => void): void
  now(): number
}

const namedLines = (rows: readonly ListedHook[]): Prose =>
  joinProse(
    [
      ...rows.slice(0, maxNamed).map((row) => {
        const origin = foreignOrigin(row)
        return prose`${eventWords(row.event)}\n  ${handlerLine(row, 60)}${origin === undefined ? [] : prose`\n  from ${shorten(oneLine(origin), 60)}`}${fixed(row.status === 'changed' ? `\n  changed since approval; ${changedWords(row)}` : '')}`
      }),
      ...(rows.length > maxNamed ? [fixed(`… and ${rows.length - maxNamed} more`)] : []),
    ],
    '\n',
  )

const problemText = (problem: Problem): Prose => prose`⚠ ${formatProblem(problem)}`

/** That the bytes of an approval and of its file differ: the first time is told whatever else is told together. */
const driftKey = ({ status, live }: ListedHook): string | undefined =>
  status === 'changed' && live !== undefined ? `changed ${live}` : undefined

/** An entry whatever its bytes: what an owner said not now to. */
const entryKey = ({ event, command, entry }: ListedHook): string =>
  `not now ${JSON.stringify([event, command.slice(0, 2000), entry?.type, entry?.origin])}`

/** Tells the owners what is new in the files, each thing once, also across restarts. */
export const createAnnouncer = (ports: AnnouncePorts) => {
  let told: Set<string> | undefined
  let last: Problem | undefined
  let [notNows, quietUntilMs] = [0, 0]
  /** When something was announced in the last hour, in epoch milliseconds. */
  let recent: readonly number[] = []
  let lastSeen: { readonly rows: readonly ListedHook[]; readonly problem: Problem | undefined } = {
    rows: [],
    problem: undefined,
  }
  /** Some were kept back for being told together. */
  let wasQuiet = false

  const isQuiet = (): boolean => ports.now() < quietUntilMs
  const keepQuiet = (): void => {
    if (isQuiet()) return
    quietUntilMs = ports.now() + quietMs
    ports.after(quietMs, () => {
      quietUntilMs = 0
      void announce(lastSeen.rows, lastSeen.problem)
    })
  }

  // What cannot be kept is told all the same; after a restart it is told again.
  const keep = (keys: ReadonlySet<string>): Promise<void> =>
    ports.remember([...keys].join('\n')).catch(() => undefined)

  const tell = (rows: readonly ListedHook[], all: readonly ListedHook[]): void => {
    recent = [...recent.filter((atMs) => ports.now() - atMs < quietMs), ...rows.map(() => ports.now())].slice(
      -maxInAnHour - 1,
    )
    const isMany = recent.length > maxInAnHour
    const isTogether = rows.length > maxCards || isMany || wasQuiet
    const more = isMany
      ? fixed('\nThere were many within an hour: what else comes in the next one is told together.')
      : []
    if (isMany) keepQuiet()
    if (isTogether) {
      ports.tellOwners((chat) => {
        const notice = ports.cardButtons.waiting(
          rows.length,
          ports.cardButtons.placeOf(chat),
          namedLines(rows),
        )
        return { ...notice, text: [...notice.text, ...more] }
      }, 'proposals')
      return
    }
    for (const row of rows) {
      const head = fixed(row.status === 'changed' ? 'A change waits for you:\n' : 'A hook waits for you:\n')
      ports.tellOwners(
        (chat) => saidAfter(head, ports.cardButtons.news(row, all, ports.cardButtons.placeOf(chat))),
        'proposals',
      )
    }
  }

  /** What cannot be read: a few one by one, more in one notice. */
  const tellInvalid = (problems: readonly Problem[]): void => {
    if (problems.length <= maxCards)
      return problems.forEach((problem) => ports.tellOwners(problemText(problem), 'files'))
    const first = problems.slice(0, maxCards).map((problem) => problemText(problem))
    const more = fixed(`… and ${problems.length - maxCards} more entries that cannot be read\n→ /hooks`)
    ports.tellOwners(joinProse([...first, more], '\n'), 'files')
  }

  const take = async (rows: readonly ListedHook[], problem: Problem | undefined): Promise<void> => {
    lastSeen = { rows, problem }
    const keyed = rows.flatMap((row) => {
      const key =
        row.status === 'invalid' && row.problem !== undefined ? formatProblem(row.problem) : rowKey(row)
      return key === undefined ? [] : [{ row, key }]
    })
    const recalled = told === undefined ? await ports.recall() : undefined
    const isFirst = told === undefined && recalled === undefined
    const known = (told ??= new Set(recalled?.split('\n')))
    const isWaiting = ({ status }: ListedHook): boolean => status === 'waiting' || status === 'changed'
    const unknown = keyed.filter(({ key }) => !known.has(key))
    const isFirstDrift = (row: ListedHook): boolean => {
      const key = driftKey(row)
      return key !== undefined && !known.has(key)
    }
    // What is kept back is not told yet, so it is not remembered either.
    const fresh =
      isFirst || !isQuiet() ? unknown : unknown.filter(({ row }) => !isWaiting(row) || isFirstDrift(row))
    for (const { row, key } of fresh) known.add(key).add(driftKey(row) ?? key)
    if (fresh.length > 0) {
      for (const oldest of [...known].slice(0, Math.max(0, known.size - maxRemembered))) known.delete(oldest)
      await keep(known)
    }
    const isNew =
      problem !== undefined && (last === undefined || formatProblem(problem) !== formatProblem(last))
    if (isNew) ports.tellOwners(problemText(problem), 'files')
    if (problem === undefined && last !== undefined)
      ports.tellOwners(fixed(`${last.file ?? 'The file'} can be read again.`), 'files')
    last = problem
    // What a first start brings along is told on the console, not in every chat.
    if (isFirst) return
    const waiting = fresh
      .filter(({ row }) => isWaiting(row) && !known.has(entryKey(row)))
      .map(({ row }) => row)
    if (waiting.length > 0) tell(waiting, rows)
    wasQuiet = isQuiet()
    tellInvalid(
      fresh.flatMap(({ row }) =>
        row.status === 'invalid' && row.problem !== undefined ? [row.problem] : [],
      ),
    )
  }

  let turn: Promise<void> = Promise.resolve()
  /** The files were read: `problem` is what is wrong with one as a whole. */
  const announce = (rows: readonly ListedHook[], problem: Problem | undefined): Promise<void> => {
    turn = turn.then(() => take(rows, problem)).catch(() => undefined)
    return turn
  }

  return {
    announce,
    /** An owner said yes or not now to a proposal. What was put off is not told again, with whatever bytes, until it was approved. */
    answered: (row: ListedHook, isYes: boolean): { readonly isQuiet: boolean } => {
      notNows = isYes ? 0 : notNows + 1
      if (isYes) told?.delete(entryKey(row))
      else told?.add(entryKey(row))
      if (told !== undefined) void keep(told)
      if (notNows < maxNotNows) return { isQuiet: false }
      notNows = 0
      keepQuiet()
      return { isQuiet: true }
    },
  }
}
