import { unitsOf } from '../../core/model/base/yield-if-large.ts'
import { isTooDeep } from '../../core/model/base/json.ts'
import { findFiles } from './files.ts'
import { createProblems, type SessionProblem } from './problems.ts'
import { recordsOf, sessionFile } from './records.ts'
import type { FoundCall } from './session.ts'
import { SESSION_FORMATS, type SessionClient, type SessionRoot } from './table.ts'

export interface SessionQuery {
  readonly roots: readonly SessionRoot[]
  /** Epoch milliseconds. */
  readonly sinceMs: number
  /** A call with a larger input comes without it, in characters. Absent: each comes whole. */
  readonly maxInputUnits?: number
}

/** One tool call that an agent made in the past, by the client's own names. */
export interface PastCall extends FoundCall {
  readonly client: SessionClient
  readonly atMs: number
  /** Its session, or the file when it names none. */
  readonly session: string
  /** Its input was left out. */
  readonly isCut?: true
}

/** How far the reading is. */
export interface SessionProgress {
  readonly files: number
  readonly filesRead: number
  readonly problems: readonly SessionProblem[]
}

/** So much of a name is kept, in characters, since names of many calls are remembered. */
const maxName = 200
const maxPath = 4096
const cut = (name: string): string => name.slice(0, maxName)

/** What is read at most, in calls and in gigabytes. */
const maxCalls = 300_000
const maxGigabytes = 8

/**
 * Reads the calls of sessions, the newest sessions first. It gives undefined after each piece of work, so
 * that the caller can stop or tell how far it is.
 */
export const readCalls = ({
  roots,
  sinceMs,
  maxInputUnits = Infinity,
}: SessionQuery): { readonly calls: Generator<PastCall | undefined>; progress(): SessionProgress } => {
  const problems = createProblems()
  let files = 0
  let filesRead = 0

  const calls = function* (): Generator<PastCall | undefined> {
    const found = findFiles(roots, sinceMs, problems)
    files = found.length
    // A session that goes on from another one begins with the other one's calls.
    const seen = new Set<string>()
    const known = new Set<SessionClient>()
    let left = maxGigabytes * 1024 ** 3
    for (const file of found) {
      const { client, path, mtimeMs, size } = file
      left -= size
      if (left < 0) {
        problems.add(client, `is beyond ${maxGigabytes} GB, and what is older was not read`, path)
        return
      }
      const read = SESSION_FORMATS[client].open(sessionFile(file))
      for (const record of recordsOf(file, sinceMs, problems)) {
        for (const call of record === undefined ? [] : read(record)) {
          known.add(client)
          // The file was written after all that is in it.
          const atMs = Math.min(call.atMs ?? Infinity, Math.ceil(mtimeMs))
          const [id, tool] = [cut(call.id), cut(call.tool)]
          const key = [client, id || seen.size, atMs, tool].join('\n')
          if (atMs < sinceMs || seen.has(key)) continue
          if (seen.size >= maxCalls) {
            problems.add(client, `is beyond ${maxCalls} calls, and what is older was not read`, path)
            return
          }
          seen.add(key)
          if (isTooDeep(call.input)) problems.add(client, 'has a call that is nested too deep', path)
          else {
            const cwd = call.cwd.slice(0, maxPath)
            const past = { id, tool, cwd, atMs, client, session: cut(call.session ?? '') || path }
            yield unitsOf(call.input, maxInputUnits) > maxInputUnits
              ? { ...past, input: {}, isCut: true }
              : { ...past, input: call.input }
          }
        }
        yield undefined
      }
      filesRead += 1
      yield undefined
    }
    // A newer client may keep its calls in another way.
    for (const { client } of problems.all()) known.add(client)
    for (const { client, path } of found)
      if (!known.has(client)) {
        const { seen: version } = SESSION_FORMATS[client]
        problems.add(client, `has no tool call as version ${version} writes it`, path)
      }
  }
  return { calls: calls(), progress: () => ({ files, filesRead, problems: problems.all() }) }
}
