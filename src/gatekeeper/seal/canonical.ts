import { createHash } from 'node:crypto'
import type { Entry } from '../../model/hooks/entry.ts'
import { isObject } from '../../model/base/json.ts'

/** One file as an approval binds it. `path` is relative to the workspace, or absolute for a file outside it. */
export interface SealedFile {
  readonly path: string
  readonly sha256: string
  readonly bytes: number
  readonly isExecutable: boolean
}

/** A file that runs from where it lies, as an approval binds its bytes. */
export type WatchedFile = Omit<SealedFile, 'isExecutable'>

/** What an approval binds beside the sealed files. Each part is absent where there is nothing, as in approvals from before it was. */
export interface Surroundings {
  readonly watched?: readonly WatchedFile[]
  /** Where nothing lay. */
  readonly absent?: readonly string[]
}

/** Which options of an entry the fingerprint binds. The type makes a new option a compile error until it is decided here. */
export const isBound: Readonly<Record<keyof Entry, boolean>> = {
  event: true,
  type: true,
  command: true,
  args: true,
  shell: true,
  dialect: true,
  matcher: true,
  condition: true,
  timeoutMs: true,
  onError: true,
  priority: true,
  isAsync: true,
  isWarm: true,
  cwd: true,
  env: true,
  files: true,
  root: true,
  headers: true,
  signWith: true,
  model: true,
  origin: true,
  description: true,
  name: false,
}

/** JSON with sorted keys and without absent values, so that equal values are equal texts. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const pairs = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${pairs.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`
}

/** An option that the table does not know, from a caller without types, is bound too. */
const boundOptions = (entry: Entry): unknown =>
  Object.fromEntries(
    Object.entries(entry).filter(([key]) => !Object.hasOwn(isBound, key) || isBound[key as keyof Entry]),
  )

export const canonicalEntry = (entry: Entry): string => canonicalJson(boundOptions(entry))

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

/**
 * SHA-256 in hex over the canonical entry, the content and executable bit of each of its files, the content of each
 * watched file, and the places where none was.
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
      watched: watched?.map(({ path, sha256 }) => ({ path, sha256 })),
      absent,
    }),
  )
