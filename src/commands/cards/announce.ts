import { createMutex } from '../../core/model/base/mutex.ts'
import { rowKey, type ListedHook } from '../../shared/gate/catalogue.ts'
import { saidAfter, type NoticeText } from '../../core/model/chat/notice.ts'
import type { Problem } from '../../core/model/gate/problem.ts'
import { formatProblem } from '../../shared/base/problem.ts'
import { problemWords } from '../../shared/said/our-words.ts'
import { prose, type Prose, verbatim, proseLines } from '../../core/model/chat/prose.ts'
import type { Address } from '../../core/model/chat/push.ts'
import type { CardButtons } from './card-buttons.ts'
import { foreignOrigin, handlerWords } from './handler.ts'
import { changedWords, eventWords } from './row.ts'
import { oneLine, shorten } from '../words.ts'

/** The number of cards at once. More hooks than that come in one notice. */
const maxCards = 3
const maxNamed = 5
const maxRemembered = 5000
/** The limits: announcements in an hour, and “not now” answers in a row. Beyond them, news come together. */
export const maxInAnHour = 10
const maxNotNows = 3
const quietMs = 60 * 60 * 1000

export interface AnnouncePorts {
  /** The keys that were announced before. Undefined: nothing was ever announced. */
  recall(): Promise<string | undefined>
  remember(keys: string): Promise<void>
  /** `about`: waiting hooks, or problems of files. A flood of one kind does not delay the other. */
  tellOwners(said: NoticeText | ((chat: Address) => NoticeText), about: 'proposals' | 'files'): void
  /** Called when nothing was ever announced, because the gate is new. */
  begun(): void
  readonly cardButtons: Pick<CardButtons, 'news' | 'waiting' | 'placeOf'>
  after(delayMs: number, run: () => void): void
  now(): number
}

const namedLines = (rows: readonly ListedHook[]): Prose =>
  proseLines(
    ...rows.slice(0, maxNamed).map((row) => {
      const origin = foreignOrigin(row)
      const title =
        row.name === undefined
          ? prose`${eventWords(row.event)}\n  ${handlerWords(row, 60)}`
          : prose`${shorten(oneLine(row.name), 60)}`
      return prose`${title}${origin === undefined ? [] : prose`\n  from ${shorten(oneLine(origin), 60)}`}${row.status === 'changed' ? prose`\n  changed since approval; ${changedWords(row)}` : []}`
    }),
    rows.length > maxNamed && prose`… and ${rows.length - maxNamed} more`,
  )

const problemText = (problem: Problem): Prose => prose`⚠ ${problemWords(problem)}`

/** Several invalid entries: of one file, or of many where `file` is empty. */
const problemsText = (file: string, problems: readonly Problem[]): Prose => {
  const head =
    file === ''
      ? prose`⚠ ${problems.length} entries of your files cannot be read:`
      : prose`⚠ ${problems.length} entries of ${file} cannot be read:`
  const lines = problems.slice(0, maxCards).map((problem) => problemWords(problem))
  const more =
    problems.length > maxCards
      ? [prose`… and ${problems.length - maxCards} more entries that cannot be read`]
      : []
  return proseLines(head, ...lines, ...more, prose`→ /hooks`)
}

/**
 * The key of a difference between an approval and its file. The first time, it is always announced at once.
 */
const driftKey = ({ status, live }: ListedHook): string | undefined =>
  status === 'changed' && live !== undefined ? `changed ${live}` : undefined

/** The key of an entry, independent of its bytes, for a “not now”. */
const entryKey = ({ event, command, entry }: ListedHook): string =>
  `not now ${JSON.stringify([event, command.slice(0, 2000), entry?.type, entry?.origin])}`

/** Announces news of the files to the owners, each once, also across restarts. */
export const createAnnouncer = (ports: AnnouncePorts) => {
  let told: Set<string> | undefined
  let last: Problem | undefined
  let [notNows, quietUntilMs] = [0, 0]
  /** The times of the announcements in the last hour, in milliseconds of `now`. */
  let recent: readonly number[] = []
  let lastSeen: { readonly rows: readonly ListedHook[]; readonly problem: Problem | undefined } = {
    rows: [],
    problem: undefined,
  }
  /** True when some were held back, to be announced together. */
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

  // A failed write does not stop an announcement. After a restart it is announced again.
  const keep = (keys: ReadonlySet<string>): Promise<void> =>
    ports.remember([...keys].join('\n')).catch(() => undefined)

  const tell = (rows: readonly ListedHook[], all: readonly ListedHook[]): void => {
    recent = [...recent.filter((atMs) => ports.now() - atMs < quietMs), ...rows.map(() => ports.now())].slice(
      -maxInAnHour - 1,
    )
    const isMany = recent.length > maxInAnHour
    const isTogether = rows.length > maxCards || isMany || wasQuiet
    const more = isMany
      ? prose`\nMany hooks were proposed within an hour. For the next hour, new ones come together in one message.`
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
      const head =
        row.status === 'changed' ? prose`A changed hook waits for you:\n` : prose`A hook waits for you:\n`
      ports.tellOwners(
        (chat) => saidAfter(head, ports.cardButtons.news(row, all, ports.cardButtons.placeOf(chat))),
        'proposals',
      )
    }
  }

  /** Announces invalid entries, those of one file in one notice. The first ones are shown. */
  const tellInvalid = (problems: readonly Problem[]): void => {
    const byFile = [...Map.groupBy(problems, ({ file = '' }) => file)]
    // Where many files are broken at once, they come in one notice, too.
    const groups = byFile.length > maxCards ? [['', problems] as const] : byFile
    for (const [file, some] of groups) {
      const [first, second] = some
      if (first !== undefined && second === undefined) ports.tellOwners(problemText(first), 'files')
      else ports.tellOwners(problemsText(file, some), 'files')
    }
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
    // Held back rows are not announced yet, so they are not remembered.
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
      ports.tellOwners(
        last.file === undefined
          ? prose`The file can be read again.`
          : prose`${verbatim(last.file)} can be read again.`,
        'files',
      )
    last = problem
    // The hooks of a first start are counted on the console, and only the protection is offered.
    if (isFirst) return ports.begun()
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

  const inTurn = createMutex()
  /** Announces news after the files were read. `problem`: the problem of a whole file. */
  const announce = (rows: readonly ListedHook[], problem: Problem | undefined): Promise<void> =>
    inTurn(() => take(rows, problem)).catch(() => undefined)

  return {
    announce,
    /**
     * Notes that an owner said yes or not now to a proposal. After a not now, the entry is not announced
     * again until it was approved, even when its bytes change.
     */
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
