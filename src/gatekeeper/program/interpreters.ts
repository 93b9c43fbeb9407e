import fs from 'node:fs'
import { z } from 'zod'
import type { ApprovedHook } from '../approved.ts'

/** Where each pinned program was last seen and told about: its real path → what was there, and where each of its names led. */
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
    // Not there yet, or nothing that can be read: what is there now counts as known.
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
          ? `${real} is gone: they cannot run until it is back, or until you approve them again.`
          : before.bytes === 'gone'
            ? `${real} is back.`
            : `${real} has other bytes than before, as after an update of the system. They run on with it.`,
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
        ? `${found} leads to ${real} again.`
        : `${found} leads to ${target} now. They run on with ${real}, as approved; approve them again to take the new one.`,
    ]
  }),
]

export interface InterpreterNews {
  /** The pinned program that changed. */
  readonly real: string
  /** How many approved hooks run with it. */
  readonly hooks: number
  readonly words: readonly string[]
}

/**
 * Looks whether the programs that approved hooks run with are what they were, and gives what is new, each change once,
 * also across restarts. What changes twice within a look is told when it rests: a package manager takes moments.
 */
export const createInterpreterWatch = ({
  file,
  approvals,
  log,
}: {
  /** Where what was seen is kept: in the gate's folder. */
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
      log('warn', 'what the interpreters are could not be kept; a change may be told again', {
        error: String(error),
      })
    }
  }
  return () => {
    const standing = approvals()
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
