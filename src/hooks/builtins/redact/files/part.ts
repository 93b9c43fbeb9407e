import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'

export const maxFileBytes = 20_000_000
export const maxUnpackedBytes = 50_000_000
export const maxEntries = 10_000
export const maxDepth = 2

/** Why a file was not judged, to follow its name: "is encrypted". It may quote names from the file. */
export class Unjudged extends Error {}

/** A file of a kind that is never opened, which a person may want to send all the same. */
export class NotOpened extends Unjudged {}

/** What is left for all files of one push. */
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

/** What stands inside a file as a file of its own. */
export interface FilePart {
  readonly name: string
  readonly bytes: Buffer
}

export interface Contents {
  /** A text is read as it is, a part by what it is. */
  readonly parts: Iterable<FilePart | string>
  /** What of the file is in no part. Absent: all of it is looked through too. */
  readonly rest?: Buffer
}

/** One way to look into a file. A file may be several things at once, as a picture with an archive behind it. */
export interface FileReader {
  readonly is: (bytes: Buffer) => boolean
  /** How much deeper lies what it holds: a packed tar is one level. */
  readonly levels: 0 | 0.5 | 1
  /** It has no mark of its own: only what it opens to says that it is one. */
  readonly isGuess?: true
  readonly open: (bytes: Buffer, budget: Budget) => Contents
}

/** One text out of many bytes, with what a cut leaves apart kept apart. */
export const joinBytes = (runs: readonly Buffer[]): Buffer =>
  Buffer.concat(runs.flatMap((run) => [run, Buffer.from('\n')]))

/** Takes so many bytes from what may be unpacked. */
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
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
  brotli: brotliDecompressSync,
}

/** Everything that was packed, or `Unjudged`; never more than may still be unpacked. `isWhole`: and nothing stands behind it. */
export const unpack = (
  method: keyof typeof methods,
  bytes: Buffer,
  budget: Budget,
  what = '',
  isWhole = false,
): Buffer => {
  let unpacked: { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } }
  try {
    unpacked = methods[method](bytes, {
      maxOutputLength: Math.max(1, budget.unpackedBytes),
      info: true,
    }) as unknown as typeof unpacked
  } catch (error) {
    if (error instanceof RangeError)
      throw new Unjudged(`unpacks to more than ${maxUnpackedBytes / 1_000_000} MB`)
    throw new Unjudged(`is damaged${what}`)
  }
  // What a program skips here, another one may read.
  if (isWhole && unpacked.engine.bytesWritten < bytes.length)
    throw new Unjudged(`has bytes behind what is packed${what}`)
  spend(budget, unpacked.buffer.length)
  return unpacked.buffer
}

/** What unpacks of bytes that may be packed so; undefined where they are not. Never more than may still be unpacked. */
export const tryUnpack = (
  method: keyof typeof methods,
  bytes: Buffer,
  budget: Budget,
): Buffer | undefined => {
  try {
    const unpacked = methods[method](bytes, { maxOutputLength: Math.max(1, budget.unpackedBytes) })
    spend(budget, unpacked.length)
    return unpacked
  } catch (error) {
    if (error instanceof RangeError)
      throw new Unjudged(`unpacks to more than ${maxUnpackedBytes / 1_000_000} MB`)
    return undefined
  }
}
