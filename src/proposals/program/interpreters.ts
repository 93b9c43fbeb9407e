import fs from 'node:fs'
import { z } from 'zod'
import { isForGate } from '../../core/model/hooks/entry.ts'
import type { ApprovedHook } from '../../core/model/approval/approved.ts'

/**
 * The last reported state of each pinned program: by real path, its file's identity, and the target of each
 * of its names.
 */
const KnownInterpreters = z.record(
  z.string(),
  z.object({ bytes: z.string(), leads: z.record(z.string(), z.string()) }),
)
type KnownInterpreters = z.infer<typeof KnownInterpreters>

const maxKnownBytes = 1024 * 1024

const bytesOf = (file: string): string => {
  try {
    const { dev, ino, size, mtimeNs } = fs.statSync(file, { bigint: true })
    return [dev, ino, size, mtimeNs].join(' ')
  } catch {
    return 'gone'
  }
}

const leadsTo = (found: string): string => {
  try {
    return fs.realpathSync.native(found)
  } catch {
    return 'nothing'
  }
}

const lookAt = (approvals: readonly ApprovedHook[]): KnownInterpreters => {
  const now: KnownInterpreters = {}
  for (const {
    words: [found],
    interpreter,
  } of approvals) {
    // A program that is sealed itself has no interpreter.
    if (interpreter === undefined || typeof found !== 'string') continue
    const one = (now[interpreter] ??= { bytes: bytesOf(interpreter), leads: {} })
    one.leads[found] ??= leadsTo(found)
  }
  return now
}

const recall = (file: string): KnownInterpreters => {
  try {
    return fs.statSync(file).size > maxKnownBytes
      ? {}
      : KnownInterpreters.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch {
    // The file is missing or unreadable, so the current state counts as known.
    return {}
  }
}

const wordsOf = (
  real: string,
  before: KnownInterpreters[string],
  now: KnownInterpreters[string],
): readonly string[] => [
  ...(before.bytes === now.bytes
    ? []
    : [
        now.bytes === 'gone'
          ? `${real} is missing. They cannot run until it is back, or until you approve them again.`
          : before.bytes === 'gone'
            ? `${real} is back.`
            : `${real} has changed, as after an update of the system. They still run with it.`,
      ]),
  ...Object.entries(now.leads).flatMap(([found, target]) => {
    const last = before.leads[found]
    if (
      last === undefined ||
      last === target ||
      now.bytes === 'gone' ||
      (before.bytes === 'gone' && target === real)
    )
      return []
    return [
      target === real
        ? `${found} points to ${real} again.`
        : `${found} now points to ${target}. They still run with ${real}, as approved. Approve them again to use the new one.`,
    ]
  }),
]

export interface InterpreterNews {
  /** The pinned program that changed. */
  readonly real: string
  /** The number of approved hooks that run with it. */
  readonly hooks: number
  readonly words: readonly string[]
}

/**
 * Creates a function that returns the changes of the pinned programs, each once, also across restarts. A
 * change is returned only when two looks in a row find the same state, because a package manager needs some
 * time.
 */
export const createInterpreterWatch = ({
  file,
  approvals,
  log,
}: {
  /** The file for the last reported state, in the gate's folder. */
  readonly file: string
  approvals(): readonly ApprovedHook[]
  log(level: 'warn', what: string, fields: Readonly<Record<string, string>>): void
}): (() => readonly InterpreterNews[]) => {
  let known = recall(file)
  let last = ''
  const keep = (now: KnownInterpreters): void => {
    known = now
    try {
      fs.writeFileSync(`${file}.new`, JSON.stringify(now), { mode: 0o600 })
      fs.renameSync(`${file}.new`, file)
    } catch (error) {
      log('warn', 'the state of the interpreters could not be stored; a change may be reported again', {
        error: String(error),
      })
    }
  }
  return () => {
    // The programs of a node are on that machine.
    const standing = approvals().filter(({ entry }) => isForGate(entry))
    const now = lookAt(standing)
    const seen = JSON.stringify(now)
    const isAtRest = seen === last
    last = seen
    if (!isAtRest || seen === JSON.stringify(known)) return []
    const news = Object.entries(now).flatMap(([real, one]): readonly InterpreterNews[] => {
      const before = known[real]
      const words = before === undefined ? [] : wordsOf(real, before, one)
      return words.length === 0
        ? []
        : [{ real, words, hooks: standing.filter(({ interpreter }) => interpreter === real).length }]
    })
    keep(now)
    return news
  }
}
