import { createHash } from 'node:crypto'
import type { Entry } from '../hooks/entry.ts'
import { isObject } from '../base/json.ts'

/** One sealed file of an approval. `path` is relative to the workspace, or absolute for a file outside it. */
export interface SealedFile {
  readonly path: string
  readonly sha256: string
  readonly bytes: number
  readonly isExecutable: boolean
}

/** A file that is used at its own path and not sealed. The approval binds its bytes and executable bit. */
export interface WatchedFile extends Omit<SealedFile, 'isExecutable'> {
  /** Absent in an older approval, which did not bind it. Then copies are executable. */
  readonly isExecutable?: boolean
}

/** True when a file is not as an approval knows it. */
export const isOtherThan = (
  known: Pick<WatchedFile, 'sha256' | 'isExecutable'>,
  { sha256, isExecutable }: Pick<WatchedFile, 'sha256' | 'isExecutable'>,
): boolean =>
  sha256 !== known.sha256 || (known.isExecutable !== undefined && isExecutable !== known.isExecutable)

/**
 * The part of an approval beside the sealed files. Empty lists are absent, so the fingerprints of older
 * approvals stay valid.
 */
export interface Surroundings {
  readonly watched?: readonly WatchedFile[]
  /** Paths at which no file existed. */
  readonly absent?: readonly string[]
}

/** JSON with sorted keys and without absent values, so that equal values give equal texts. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const pairs = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${pairs.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`
}

/**
 * The options of an entry that the fingerprint binds: all but the name for people. A hook for all machines is
 * the same hook in every workspace.
 */
const boundOptions = ({ name: _name, node, ...bound }: Entry): unknown =>
  bound.nodes === 'all' ? bound : { ...bound, node }

export const canonicalEntry = (entry: Entry): string => canonicalJson(boundOptions(entry))

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

/**
 * The SHA-256 in hex over the canonical entry, the content and executable bit of each sealed and each watched
 * file, and the absent paths. A watched file that is executable has the fingerprint of older approvals, which
 * made every copy executable.
 */
export const fingerprintOf = (
  entry: Entry,
  files: readonly SealedFile[],
  { watched, absent }: Surroundings = {},
): string =>
  sha256(
    canonicalJson({
      entry: boundOptions(entry),
      files: files.map(({ path, sha256, isExecutable }) => ({ path, sha256, isExecutable })),
      watched: watched?.map(({ path, sha256, isExecutable }) => ({
        path,
        sha256,
        ...(isExecutable === false ? { isExecutable } : {}),
      })),
      absent,
    }),
  )
