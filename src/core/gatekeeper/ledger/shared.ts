import type { LedgerEnd, LedgerLines, SharedLines } from '../../model/gate/shared.ts'
import { messageOf, ProblemError } from '../../model/gate/problem.ts'
import { readHead, writeHead } from './head.ts'
import { closeKey, keyOrNew, readKey } from './key.ts'
import { noLine, verifyLedger, type LedgerEntry } from './lines.ts'
import {
  damagedLedger,
  formatAll,
  type Ledger,
  type LedgerPlace,
  type LedgerPorts,
  type OpenedLedger,
  type Written,
} from './place.ts'
import { readKept, surveyBytes, type KeptFacts, type Survey } from './read.ts'

const bytesOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''))
const linesOf = (text: string): readonly string[] => text.split('\n').slice(0, -1)

/**
 * The end that the database names has to be the last line. Otherwise lines were removed, or somebody else
 * writes there.
 */
const endProblem = (end: LedgerEnd, heads: readonly string[]): string | undefined =>
  end.revision === heads.length && end.head === heads.at(-1)
    ? undefined
    : `it should end with line ${end.revision}, and it has ${heads.length} good lines`

/** Only an owner's act begins a ledger anew, and it is signed for that ledger. */
const begunProblem = ({ generation }: LedgerEnd, entries: readonly LedgerEntry[]): string | undefined => {
  const begun = entries.findLast(({ act }) => act === 'recover' || act === 'resume')
  return generation === 1 || begun?.data['generation'] === generation
    ? undefined
    : `no owner began ledger ${generation}`
}

const damagedBy = (why: string): string => `the ledger is damaged: ${why}`

const otherKey = (home: string, found: string): ProblemError =>
  new ProblemError({
    code: 'ledger.key',
    message: `Expected the key of the ledger in ${home}/secrets/ledger.key, ${found}.`,
    fix: 'Copy that file from a gate that works with this database. Only that user may read it.',
  })

/** Throws when a folder that is new to a ledger does not have its key. */
export const checkKey = (home: string, { hadOne, key }: KeptFacts, survey: Survey): void => {
  if (hadOne) return
  if (!Buffer.isBuffer(key)) throw otherKey(home, `but ${key}`)
  if (survey.kind === 'read' && survey.found.heads.length === 0)
    throw otherKey(home, 'got the key of another one')
}

/** Verifies the lines of a database, and compares them with what this gate's folder keeps. Pure. */
export const surveyShared = (kept: KeptFacts, found: LedgerLines | undefined): Survey => {
  const seen = kept.storedHead === false ? undefined : kept.storedHead?.generation
  const generation = found?.end.generation ?? 0
  // What this gate saw was another ledger, before an owner began this one.
  const isNewer = seen !== undefined && generation > seen
  const survey = surveyBytes(
    { ...kept, hadOne: kept.hadOne && !isNewer, isShared: true },
    { bytes: bytesOf(found?.lines ?? []) },
  )
  if (survey.kind !== 'read') return survey
  if (found === undefined) return { ...survey, problem: damagedBy('the database has no ledger') }
  if (seen !== undefined && generation < seen)
    return { ...survey, problem: damagedBy(`it is ledger ${generation}, and ledger ${seen} was begun`) }
  if (survey.problem !== undefined) return survey
  const { entries, heads, tornBytes } = survey.found
  const why =
    tornBytes > 0
      ? 'its last line is incomplete'
      : (endProblem(found.end, heads) ?? begunProblem(found.end, entries))
  return why === undefined ? survey : { ...survey, problem: damagedBy(why) }
}

/** Verifies the lines after an end that was verified before. A text says what is wrong with them. */
export const verifyAfter = (
  end: LedgerEnd,
  found: LedgerLines | undefined,
  key: Buffer,
): (Written & { readonly end: LedgerEnd }) | string => {
  if (found === undefined || found.end.generation !== end.generation) return 'another ledger was begun'
  const fresh = verifyLedger(bytesOf(found.lines), key, { count: end.revision, head: end.head })
  if (fresh.problem !== undefined) return fresh.problem
  if (fresh.tornBytes > 0) return 'its last line is incomplete'
  return found.end.revision === end.revision + fresh.heads.length &&
    found.end.head === (fresh.heads.at(-1) ?? end.head)
    ? { ...fresh, end: found.end }
    : `it should have ${end.revision} lines or more and ends with line ${found.end.revision}`
}

/**
 * A ledger in a database that several gates share. The key that signs it and the last head that this gate has
 * seen stay in the folder of this gate, so a database that was put back to an older state is noticed.
 */
export const sharedLedger = (home: string, shared: SharedLines): LedgerPlace => {
  const survey = async (): Promise<Survey> => {
    const kept = readKept(home)
    try {
      return surveyShared(kept, await shared.read())
    } catch (error) {
      return { kind: 'unreadable', why: `the ledger cannot be read (${messageOf(error)})` }
    }
  }

  const createLedger = (key: Buffer, from: LedgerEnd, { onDamage, now }: LedgerPorts): Ledger => {
    let end = from
    /** The end that the folder keeps. It is an older one while the folder cannot be written. */
    let kept = from
    const damage = async (why: string): Promise<ProblemError> => {
      onDamage(damagedBy(why), await survey())
      return new ProblemError({
        code: 'ledger.damaged',
        message: `Expected the ledger as this gate last saw it, got another one: ${why}.`,
        fix: 'Find out who writes to the database, then send "/hooks recover".',
      })
    }
    const checkKept = async (): Promise<void> => {
      const there = readKey(home)
      if (typeof there === 'string') throw await damage(there)
      if (!there.equals(key)) throw await damage('its key was replaced')
      const head = readHead(home, key)
      if (head === undefined || head === false || head.revision !== kept.revision || head.head !== kept.head)
        throw await damage('its stored head was changed')
    }
    const keep = (next: LedgerEnd): void => {
      end = next
      try {
        writeHead(home, next, key)
        kept = next
      } catch {
        // The line is in the database and counts. The next change writes the head again.
      }
    }
    const news = async (): Promise<Written> => {
      await checkKept()
      const fresh = verifyAfter(end, await shared.read(end.revision), key)
      if (typeof fresh === 'string') throw await damage(fresh)
      keep(fresh.end)
      return fresh
    }
    return {
      key,
      verify: async () => {
        await checkKept()
        await shared.read(end.revision)
      },
      news,
      append: async (acts) => {
        await checkKept()
        const next = formatAll(acts, end.revision, end.head, now(), key)
        const head = next.heads.at(-1) ?? noLine
        if ((await shared.append(end, linesOf(next.text))) === 'moved') return 'moved'
        keep({ generation: end.generation, revision: end.revision + acts.length, head })
        return next
      },
    }
  }

  const open = async (ports: LedgerPorts): Promise<OpenedLedger> => {
    closeKey(home)
    const kept = readKept(home)
    const lines = await shared.read()
    const found = surveyShared(kept, lines)
    if (lines !== undefined) checkKey(home, kept, found)
    if (found.kind === 'empty') return found
    if (found.kind === 'unreadable') return { kind: 'damaged', entries: [], heads: [], why: found.why }
    const { key, problem } = found
    const { entries, heads } = found.found
    if (problem !== undefined || lines === undefined) return damagedLedger(found)
    writeHead(home, lines.end, key)
    return { kind: 'good', entries, heads, ledger: createLedger(key, lines.end, ports) }
  }

  return {
    open,
    begin: async (acts, ports, trusted, prefix) => {
      const key = keyOrNew(home, trusted)
      // Only an empty database gets its first ledger, also where another gate was faster.
      const isFirst = acts[0]?.act === 'genesis'
      const before = isFirst ? undefined : await shared.read(Number.MAX_SAFE_INTEGER)
      const count = prefix?.heads.length ?? 0
      const generation = (before?.end.generation ?? 0) + 1
      const signed = acts.map((act) => (isFirst ? act : { ...act, data: { ...act.data, generation } }))
      const first = formatAll(signed, count, prefix?.heads.at(-1), ports.now(), key)
      const head = first.heads.at(-1) ?? noLine
      const all = [...linesOf(prefix?.bytes.toString('utf8') ?? ''), ...linesOf(first.text)]
      if ((await shared.begin(before?.end, all)) === 'moved')
        throw new ProblemError({
          code: 'ledger.begun',
          message: 'Expected to begin a ledger, but another gate began one at the same time.',
          fix: 'Try again.',
        })
      const end = { generation, revision: all.length, head }
      writeHead(home, end, key)
      return { ...first, ledger: createLedger(key, end, ports) }
    },
    survey,
    // The lines of every ledger stay in the database.
    keepDamaged: async () => {
      const found = await shared.read(Number.MAX_SAFE_INTEGER)
      return found === undefined ? undefined : `generation ${found.end.generation} in the database`
    },
  }
}
