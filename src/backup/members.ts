import { isObject } from '../core/model/base/json.ts'
import { damaged } from './sealed-file.ts'

/** One file in a backup. */
export interface PackedFile {
  /** The path in the gate's folder. A sealed file has its hash. */
  readonly name: string
  readonly bytes: number
}

/** What stands first in a backup. */
export interface Manifest {
  /** Where ledger and store were: in the folder, or in a database, which the backup does not hold. */
  readonly from: 'folder' | 'database'
  /** ISO 8601. */
  readonly at: string
  readonly hookgate: string
  /** The last line of the ledger that the gate knew. Absent: a gate with a database has seen none yet. */
  readonly ledger?: { readonly revision: number; readonly head: string }
  /** Waiting messages, prompts and questions, which are not carried. */
  readonly left: number
  /** How many files follow, and how many bytes they have together. */
  readonly files: number
  readonly bytes: number
}

const kB = 1024
const MB = 1024 * kB
const GB = 1024 * MB

/**
 * The files of the gate's folder that a backup holds, and how large each may be. Everything else is made
 * anew, belongs to running processes, or is somebody else's.
 */
const kinds: readonly (readonly [name: RegExp, maxBytes: number])[] = [
  [/^gate\.yaml$/, MB],
  [/^ledger\.jsonl$/, 256 * MB],
  [/^ledger\.damaged-[\w.-]{1,60}\.jsonl$/, 256 * MB],
  // The stored head is in the manifest, because a restore keeps the newer one. A login is good for minutes.
  [/^secrets\/(?!ledger\.head|login)[A-Za-z0-9][\w.-]{0,99}$/, MB],
  // The files of approved hooks, each once, by hash.
  [/^sealed\/[0-9a-f]{64}$/, 16 * MB],
  [/^(?:state|history)\.db$/, 64 * GB],
]
export const maxFiles = 100_000
export const maxBytes = 128 * GB

/** The largest size of a file of this name. Undefined: a backup has no such file. */
export const roomFor = (name: string): number | undefined => kinds.find(([kind]) => kind.test(name))?.[1]

/** The bytes that stand before the files of a backup, and before each of them. */
export const frameOf = (value: Manifest | PackedFile): Buffer => {
  const text = Buffer.from(JSON.stringify(value))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text])
}
const maxFrameBytes = 4 * kB

const isCount = (value: unknown, max: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max

const isManifest = (value: unknown): value is Manifest => {
  if (!isObject(value)) return false
  const { from, at, hookgate, ledger, left, files, bytes } = value
  return (
    (from === 'folder' || from === 'database') &&
    typeof at === 'string' &&
    /^[\d:.TZ-]{1,40}$/.test(at) &&
    typeof hookgate === 'string' &&
    /^[\w.+-]{1,60}$/.test(hookgate) &&
    (ledger === undefined ||
      (isObject(ledger) &&
        isCount(ledger['revision'], Number.MAX_SAFE_INTEGER) &&
        typeof ledger['head'] === 'string' &&
        /^[0-9a-f]{64}$/.test(ledger['head']))) &&
    (from === 'database' || ledger !== undefined) &&
    isCount(left, Number.MAX_SAFE_INTEGER) &&
    isCount(files, maxFiles) &&
    isCount(bytes, maxBytes)
  )
}

const isPackedFile = (value: unknown): value is PackedFile =>
  isObject(value) && typeof value['name'] === 'string' && isCount(value['bytes'], maxBytes)

/** Gives so many bytes of the content. The last part of them comes last. */
const createReader = (pieces: Iterator<Buffer>) => {
  let rest: Buffer = Buffer.alloc(0)
  const fill = (): boolean => {
    while (rest.length === 0) {
      const next = pieces.next()
      if (next.done === true) return false
      rest = next.value
    }
    return true
  }
  const some = function* (bytes: number): Generator<Buffer> {
    for (let left = bytes; left > 0;) {
      if (!fill()) throw damaged('it ends too early')
      const part = rest.subarray(0, left)
      rest = rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }
  return {
    some,
    frame: (): unknown => {
      const length = Buffer.concat([...some(4)]).readUInt32BE()
      if (length > maxFrameBytes) throw damaged('it has an entry that is too long')
      try {
        return JSON.parse(Buffer.concat([...some(length)]).toString('utf8'))
      } catch {
        throw damaged('it has an entry that is not readable')
      }
    },
    isAtEnd: (): boolean => !fill(),
  }
}

/** Takes what a backup holds. What it was given counts only when `readMembers` has returned. */
export interface Taker {
  begin(manifest: Manifest): void
  /** Takes one file. `content` gives its bytes, and has to be read to its end. */
  file(member: PackedFile, content: Iterable<Buffer>): void
}

/**
 * Reads everything that a backup holds. It comes from outside: a name that is not a file of a gate's folder,
 * a name twice, and sizes that are not those of the manifest throw a ProblemError.
 */
export const readMembers = (pieces: Iterator<Buffer>, taker: Taker): void => {
  const { frame: next, some, isAtEnd } = createReader(pieces)
  const manifest = next()
  if (!isManifest(manifest)) throw damaged('it does not begin with what hookgate writes there')
  taker.begin(manifest)
  const names = new Set<string>()
  let bytes = 0
  for (let count = 0; count < manifest.files; count++) {
    const member = next()
    if (!isPackedFile(member)) throw damaged('it has an entry that hookgate never writes')
    const room = roomFor(member.name)
    if (room === undefined || member.bytes > room || names.has(member.name))
      throw damaged(`it has a file that no backup holds: ${JSON.stringify(member.name).slice(0, 80)}`)
    names.add(member.name)
    bytes += member.bytes
    if (bytes > manifest.bytes) throw damaged('it holds more than it says')
    taker.file(member, some(member.bytes))
  }
  if (bytes !== manifest.bytes || !isAtEnd()) throw damaged('it holds other files than it says')
}
