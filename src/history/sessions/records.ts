import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import type { FoundFile } from './files.ts'
import { hidesNewest, rowsOf } from './opencode-rows.ts'
import { unreadable, type Problems } from './problems.ts'
import type { SessionFile } from './session.ts'
import { SESSION_FORMATS } from './table.ts'

const megabyte = 1024 * 1024
const maxLine = 4 * megabyte
const maxWhole = 16 * megabyte
const maxUnpacked = 256 * megabyte
const maxFile = 1024 * megabyte
const maxBeside = 64 * 1024
/** What is longer is read in pieces. */
const chunkBytes = megabyte

/** Opens a file that is no link, no device and no pipe. Throws in words. */
const openFile = (path: string): { readonly fd: number; readonly size: number } => {
  // A pipe would wait for a writer.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const status = fstatSync(fd)
  if (status.isFile()) return { fd, size: status.size }
  closeSync(fd)
  throw new Error('is no file')
}

const readWhole = (path: string, max: number): Buffer => {
  const { fd, size } = openFile(path)
  try {
    if (size > max) throw new Error(`is larger than ${max / megabyte} MB`)
    const bytes = Buffer.alloc(size)
    return bytes.subarray(0, readSync(fd, bytes, 0, size, 0))
  } finally {
    closeSync(fd)
  }
}

/** The pieces of a file. */
const piecesOf = function* (path: string): Generator<Buffer> {
  const { fd, size } = openFile(path)
  try {
    if (size > maxFile) throw new Error(`is larger than ${maxFile / megabyte} MB`)
    // A session that grows meanwhile is read as far as it went.
    for (let left = size; left > 0;) {
      const bytes = Buffer.allocUnsafe(Math.min(chunkBytes, left))
      const count = readSync(fd, bytes, 0, bytes.length, null)
      if (count === 0) return
      left -= count
      yield bytes.subarray(0, count)
    }
  } finally {
    closeSync(fd)
  }
}

const unpacked = function* (path: string): Generator<Buffer> {
  yield zstdDecompressSync(readWhole(path, maxWhole), { maxOutputLength: maxUnpacked })
}

/** The lines of a file. What is longer than the bound is left out and told. */
const linesOf = function* (pieces: Iterable<Buffer>, tooLong: () => void): Generator<Buffer | undefined> {
  let parts: Buffer[] = []
  let length = 0
  let isTooLong = false
  const keep = (part: Buffer): void => {
    length += part.length
    isTooLong ||= length > maxLine
    if (isTooLong) parts = []
    else parts.push(part)
  }
  for (const piece of pieces) {
    let from = 0
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      keep(piece.subarray(from, end))
      from = end + 1
      if (isTooLong) tooLong()
      else yield parts.length === 1 ? parts[0] : Buffer.concat(parts)
      parts = []
      length = 0
      isTooLong = false
    }
    if (from < piece.length) keep(piece.subarray(from))
    // The caller looks at its clock.
    yield undefined
  }
  // A session that goes on may end within a line.
  if (isTooLong) tooLong()
  else if (length > 0) yield Buffer.concat(parts)
}

const parsed = (bytes: Buffer): JsonObject | undefined => {
  try {
    const value = JSON.parse(bytes.toString('utf8')) as Json
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The records of a session that can hold a call. Undefined stands for work that brought none. Whatever cannot
 * be read is told, and nothing is thrown.
 */
export const recordsOf = function* (
  { client, path }: FoundFile,
  sinceMs: number,
  problems: Problems,
): Generator<JsonObject | undefined> {
  const { marks } = SESSION_FORMATS[client]
  const broken = (): void => problems.add(client, 'has a line that is no JSON object', path)
  try {
    if (path.endsWith('.db')) {
      if (hidesNewest(path)) problems.add(client, 'was not closed, so its newest calls were not read', path)
      yield* rowsOf(path, sinceMs, maxLine)
    } else if (path.endsWith('.json')) {
      const record = parsed(readWhole(path, maxWhole))
      if (record === undefined) problems.add(client, 'is no JSON object', path)
      yield record
    } else {
      const pieces = path.endsWith('.zst') ? unpacked(path) : piecesOf(path)
      const tooLong = (): void =>
        problems.add(client, `has a line of more than ${maxLine / megabyte} MB`, path)
      for (const line of linesOf(pieces, tooLong)) {
        if (line === undefined) yield undefined
        else if (marks.some((mark) => line.includes(mark))) {
          const record = parsed(line)
          if (record === undefined) broken()
          yield record
        }
      }
    }
  } catch (error) {
    problems.add(client, unreadable(error), path)
  }
}

/** What a reader may see beside its session: small files within the folder of the client. */
export const sessionFile = ({ root, path }: FoundFile): SessionFile => ({
  path,
  beside: (name) => {
    try {
      const place = resolve(dirname(path), name)
      return place.startsWith(root + sep) && realpathSync(place) === place
        ? readWhole(place, maxBeside).toString('utf8')
        : undefined
    } catch {
      return undefined
    }
  },
})
