import { brotliDecompressSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { codeOf } from '../../../../core/model/gate/problem.ts'

export const maxFileBytes = 20_000_000
export const maxUnpackedBytes = 50_000_000
export const maxEntries = 10_000
export const maxDepth = 2

/**
 * The reason why a file was not judged, as a clause that follows its name: "is encrypted". It may quote names
 * from the file.
 */
export class Unjudged extends Error {}

/** The file is of a kind that is never opened. A person may decide to send it. */
export class NotOpened extends Unjudged {}

/** The remaining limits for all files of one push. */
export interface Budget {
  readBytes: number
  unpackedBytes: number
  entries: number
}
export const newBudget = (): Budget => ({
  readBytes: maxFileBytes,
  unpackedBytes: maxUnpackedBytes,
  entries: maxEntries,
})

/** A file that is contained in another file. */
export interface FilePart {
  /** Undefined: it has none. */
  readonly name?: string
  readonly bytes: Buffer
}

export interface Contents {
  /** Texts are scanned directly. Parts are read by their own kind. */
  readonly parts: Iterable<FilePart | string>
  /** The bytes of the file that are in no part. When it is absent, the whole file is scanned too. */
  readonly rest?: Buffer
  /** Where an archive begins, which may stand behind another file. */
  readonly start?: number
  /** Where the file ends. Its programs skip what stands behind it, and others may read it. */
  readonly end?: number | undefined
}

/**
 * A reader for one kind of file. A file may be of several kinds at once, such as a picture with an archive
 * after it.
 */
export interface FileReader {
  readonly is: (bytes: Buffer) => boolean
  /** The number of nesting levels that its contents add. A compressed tar counts as one level. */
  readonly levels: 0 | 0.5 | 1
  /** Undefined for bytes that are not of the kind, where it has no signature and only unpacking shows it. */
  readonly open: (bytes: Buffer, budget: Budget) => Contents | undefined
}

/** Joins runs of bytes with line breaks, so that parts which do not touch stay apart. */
export const joinBytes = (runs: readonly Buffer[]): Buffer =>
  Buffer.concat(runs.flatMap((run) => [run, Buffer.from('\n')]))

/** The bytes outside of the entries: names, comments, and data before the archive. */
export const outside = (
  bytes: Buffer,
  entries: readonly { readonly from: number; readonly to: number }[],
): readonly Buffer[] => {
  const rest: Buffer[] = []
  let at = 0
  for (const { from, to } of entries.toSorted((a, b) => a.from - b.from)) {
    if (from > at) rest.push(bytes.subarray(at, from))
    at = Math.max(at, to)
  }
  return [...rest, bytes.subarray(at)]
}

/** Subtracts the bytes from the budget for unpacking. Throws `Unjudged` when it is used up. */
export const spend = (budget: Budget, bytes: number): void => {
  budget.unpackedBytes -= bytes
  if (budget.unpackedBytes < 0) throw new Unjudged(`unpacks to more than ${maxUnpackedBytes / 1_000_000} MB`)
}
export const countEntry = (budget: Budget): void => {
  budget.entries -= 1
  if (budget.entries < 0) throw new Unjudged(`holds more than ${maxEntries} entries`)
}

const methods = {
  deflate: inflateRawSync,
  zlib: inflateSync,
  zstd: zstdDecompressSync,
  brotli: brotliDecompressSync,
}

/** The errors that say that bytes are not compressed by this method. An error of memory is not among them. */
const isOtherData = (error: unknown): boolean =>
  /^(?:Z_(?:BUF|DATA)_ERROR|Z_NEED_DICT|ERR__ERROR_(?:FORMAT|DICTIONARY)_)/.test(codeOf(error) ?? '')

/**
 * Unpacks bytes that may be compressed, within the budget. `length` is the number of bytes that the
 * compressed data has. It is undefined when they are not compressed. Throws `Unjudged` when nobody can tell.
 */
export const tryUnpack = (method: keyof typeof methods, bytes: Buffer, budget: Budget) => {
  let unpacked: { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } }
  try {
    unpacked = methods[method](bytes, {
      maxOutputLength: Math.max(1, budget.unpackedBytes),
      info: true,
    }) as unknown as typeof unpacked
  } catch (error) {
    if (isOtherData(error)) return undefined
    throw new Unjudged(
      error instanceof RangeError
        ? `unpacks to more than ${maxUnpackedBytes / 1_000_000} MB`
        : 'could not be unpacked here',
    )
  }
  spend(budget, unpacked.buffer.length)
  return { buffer: unpacked.buffer, length: unpacked.engine.bytesWritten }
}

/**
 * Unpacks all bytes within the budget. Throws `Unjudged` when that fails. With `isWhole`, nothing may follow
 * the compressed data.
 */
export const unpack = (
  method: keyof typeof methods,
  bytes: Buffer,
  budget: Budget,
  what = '',
  isWhole = false,
): Buffer => {
  const unpacked = tryUnpack(method, bytes, budget)
  if (unpacked === undefined) throw new Unjudged(`is damaged${what}`)
  // One program may skip these bytes and another may read them.
  if (isWhole && unpacked.length < bytes.length)
    throw new Unjudged(`has bytes after the compressed data${what}`)
  return unpacked.buffer
}
