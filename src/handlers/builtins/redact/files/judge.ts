import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { codeOf, messageOf } from '../../../../core/model/gate/problem.ts'
import { find } from '../find.ts'
import { batchesOf, inText } from '../secrets/pieces.ts'
import { joinSpans, replaceSpans } from '../span.ts'
import { maxFileBytes, newBudget, NotOpened, Unjudged, type Budget } from './part.ts'
import { textsIn } from './texts.ts'

/**
 * A file of a push. `name` is the name that its recipient sees, and `path` is the path of the stored copy.
 */
export interface JudgedFile {
  readonly name: string
  readonly path: string
}

/**
 * The judgement of the files: what was found, or why a file could not be judged. `words` is a text for a
 * person, and it never contains the secret.
 */
export type FileJudgement =
  | { readonly kind: 'clean' }
  | { readonly kind: 'found'; readonly words: string }
  | {
      readonly kind: 'unjudged'
      readonly words: string
      readonly isLate: boolean
      /**
       * True when each of these files is of a kind that is never opened, so that a person can decide about
       * it.
       */
      readonly mayAsk: boolean
    }

const maxNameUnits = 80
/** Makes a name safe to show. It may hold a secret, control characters or a long text. */
const shown = async (text: string): Promise<string> => {
  const line = text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
  const safe = replaceSpans(line, await find(line.slice(0, 4000)))
  return safe.length > maxNameUnits ? `${safe.slice(0, maxNameUnits)}…` : safe
}

/**
 * The mode of a stored copy. Everybody can read it, so a path that an agent names reveals nothing new to the
 * agent.
 */
const storedMode = 0o444

/**
 * Reads the stored copy. It must be a regular file, links are not followed, and its size is within the
 * budget.
 */
const read = (path: string, budget: Budget): Buffer => {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const fact = fstatSync(file)
    if (!fact.isFile() || (fact.mode & 0o777) !== storedMode) throw new Unjudged('is not a stored copy')
    if (fact.size > budget.readBytes)
      throw new Unjudged(`is too large: all files of a message may have ${maxFileBytes / 1_000_000} MB`)
    const bytes = Buffer.allocUnsafe(fact.size)
    let at = 0
    for (let got = -1; got !== 0 && at < bytes.length;) {
      got = readSync(file, bytes, at, bytes.length - at, at)
      at += got
    }
    if (at !== bytes.length) throw new Unjudged('changed while it was read')
    budget.readBytes -= at
    return bytes
  } finally {
    closeSync(file)
  }
}

class Late extends Unjudged {}

/** Finds the secrets in a file, each with its kind. What it found before it throws counts. */
const findIn = async (
  { path }: JudgedFile,
  budget: Budget,
  endsAtMs: number,
  found: Map<string, string>,
): Promise<void> => {
  for (const text of textsIn(read(path, budget), budget)) {
    for (const batch of batchesOf([text])) {
      if (performance.now() > endsAtMs) throw new Late('was not scanned in time')
      for (const piece of batch) {
        const content = text.slice(piece.offset, piece.offset + piece.length)
        // The same secret in two readings of one file counts once.
        for (const { start, end, kind } of joinSpans(inText(piece, await find(content))))
          found.set(text.slice(start, end).replaceAll(/<[^<>]*>|[^\p{L}\p{N}]/gu, ''), kind)
      }
    }
  }
}

/** The secrets in a few words: how many, and of which kinds. */
const summary = (kindOfEach: readonly string[]): string => {
  const kinds = [...Map.groupBy(kindOfEach, (kind) => kind)].map(([kind, { length }]) =>
    length === 1 ? kind : `${length} × ${kind}`,
  )
  return `${kindOfEach.length} ${kindOfEach.length === 1 ? 'secret' : 'secrets'} (${kinds.join(', ')})`
}

const whyNot = (error: unknown): string => {
  if (error instanceof Unjudged) return error.message
  return `could not be read (${codeOf(error) ?? messageOf(error)})`
}

/** Scans all files, one after another. A secret in one file outweighs another file that cannot be judged. */
export const judge = async (
  files: readonly JudgedFile[],
  withinMs: number,
  isAt: (index: number) => void = () => undefined,
): Promise<FileJudgement> => {
  const endsAtMs = performance.now() + withinMs
  const budget = newBudget()
  const found: string[] = []
  const unjudged: string[] = []
  let [isLate, mayAsk] = [false, true]
  for (const [index, file] of files.entries()) {
    isAt(index)
    const name = await shown(file.name)
    const secrets = new Map<string, string>()
    let fault: unknown
    try {
      await findIn(file, budget, endsAtMs, secrets)
    } catch (error) {
      fault = error
    }
    if (secrets.size > 0) found.push(`The file ${name} holds ${summary([...secrets.values()])}.`)
    else if (fault !== undefined) {
      isLate ||= fault instanceof Late
      mayAsk &&= fault instanceof NotOpened
      unjudged.push(`The file ${name} ${await shown(whyNot(fault))}.`)
    }
  }
  if (found.length > 0) return { kind: 'found', words: found.join('\n') }
  return unjudged.length > 0
    ? { kind: 'unjudged', words: unjudged.join('\n'), isLate, mayAsk }
    : { kind: 'clean' }
}
