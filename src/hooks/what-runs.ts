import { createHash } from 'node:crypto'
import { accessSync, closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path'
import type { JsonObject } from '../model/json.ts'

const maxHashedBytes = 64 * 1024 * 1024

const programNamed = (name: string, cwd: string, searched: string): string | undefined => {
  const places = name.includes('/') ? [resolve(cwd, name)] : searched.split(delimiter).map((folder) => join(folder, name))
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK)
      return statSync(place).isFile()
    } catch {
      return false
    }
  })
}

const bytesAt = (file: string): Buffer | undefined => {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(fd)
      return stat.isFile() && stat.size <= maxHashedBytes ? readFileSync(fd) : undefined
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}

/** The program that the first line of a script asks for, by its real path. */
const interpreterOf = (content: Buffer, cwd: string, searched: string): string | undefined => {
  const [line = ''] = content.subarray(0, 256).toString('utf8').split('\n', 1)
  if (!line.startsWith('#!')) return undefined
  const [first = '', ...rest] = line.slice(2).trim().replace(/^(\S*\/env\s+)-S\s*/, '$1').split(/\s+/)
  const name = basename(first) === 'env' ? (rest[0] ?? first) : first
  const found = programNamed(name.includes('/') ? resolve(cwd, name) : basename(first) === 'env' ? name : resolve(cwd, name), cwd, searched)
  return found === undefined ? undefined : realpathSync.native(found)
}

/**
 * Which bytes such words run, as they lie there: the first file of the working folder that they name, with its hash, and
 * the real path of the program that runs it.
 */
export const whatRuns = (words: readonly string[], cwd: string, searched: string): JsonObject => {
  const [first = ''] = words
  const isSystem = !first.includes('/') || (isAbsolute(first) && searched.split(delimiter).includes(resolve(first, '..')))
  const program = programNamed(first, cwd, searched)
  const candidates = isSystem ? words.slice(1).filter((word) => !word.startsWith('-')) : [first]
  const file = candidates.find((word) => word.length < 4096 && bytesAt(resolve(cwd, word)) !== undefined)
  const content = file === undefined ? undefined : bytesAt(resolve(cwd, file))
  const interpreter = isSystem ? (program === undefined ? undefined : realpathSync.native(program)) : content === undefined ? undefined : interpreterOf(content, cwd, searched)
  return {
    ...(file === undefined || content === undefined ? {} : { file, sha256: createHash('sha256').update(content).digest('hex') }),
    ...(interpreter === undefined ? {} : { interpreter }),
  }
}
