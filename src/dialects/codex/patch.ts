import { posix } from 'node:path'
import type { JsonObject } from '../../core/model/base/json.ts'

/**
 * Codex tells every change of a file as a patch. Here a write adds the whole file, because the gate does not
 * look whether it is there, and an edit has exactly the lines of its two texts.
 */

/** A call that changes one file. */
export interface FileChange {
  /** Our name of the tool. */
  readonly tool: string
  readonly input: JsonObject
  /** The path as the tool resolves it, and the folder to which names in a patch are relative. */
  readonly path: string
  readonly cwd: string
}

const begin = '*** Begin Patch'
const end = '*** End Patch'

/** An argument whose lines stand in the patch, and the sign before each of them. */
interface Lines {
  readonly key: string
  readonly sign: string
  readonly text: string
}

/** The parts of the patch. An argument that the tool does not read is none of them, so it hides no change. */
const partsOf = ({ tool, input }: FileChange) => {
  const isWhole = tool === 'write_file'
  const signs = isWhole ? { content: '+' } : { old_text: '-', new_text: '+' }
  return {
    head: isWhole ? '*** Add File: ' : '*** Update File: ',
    marks: isWhole ? [] : ['@@'],
    lines: Object.entries(signs).flatMap(([key, sign]): readonly Lines[] => {
      const text = input[key]
      return typeof text === 'string' ? [{ key, sign, text }] : []
    }),
  }
}

/** Returns the name of the file on one line, so that no name can forge another line. */
const nameOf = ({ path, cwd }: FileChange): string => {
  const inside = posix.isAbsolute(path) && posix.isAbsolute(cwd) ? posix.relative(cwd, path) : path
  return (/^\.\.(?:\/|$)/.test(inside) ? path : inside).replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
}

/** Returns the arguments of `apply_patch`. What has no place in the patch stands beside it. */
export const patchOf = (change: FileChange): JsonObject => {
  const { head, marks, lines } = partsOf(change)
  const body = lines.flatMap(({ sign, text }) =>
    text === ''
      ? []
      : text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => `${sign}${line}`),
  )
  const others = Object.entries(change.input).filter(
    ([key]) => key !== 'path' && !lines.some((one) => one.key === key),
  )
  const { command, ...rest } = Object.fromEntries(others)
  const patch = [begin, `${head}${nameOf(change)}`, ...marks, ...body, end]
  // A patch that came beside a path is told as well, because it is not known here which of them counts.
  return { ...rest, command: [...patch, ...(typeof command === 'string' ? [command] : [])].join('\n') }
}

/**
 * Returns the arguments of a call with a rewritten patch; undefined if the patch is not one change of the
 * same kind, or has lines that the call has no argument for.
 */
export const inputOf = (change: FileChange, patch: string): JsonObject | undefined => {
  const { head, marks, lines } = partsOf(change)
  const [first, named = '', ...more] = patch.replace(/\n$/, '').split('\n')
  const body = more.slice(marks.length, -1)
  const isForm =
    first === begin &&
    named.startsWith(head) &&
    marks.every((mark, place) => more[place] === mark) &&
    more.length > marks.length &&
    more.at(-1) === end &&
    body.every((line) => lines.some(({ sign }) => line.startsWith(sign))) &&
    /^-*\+*$/.test(body.map((line) => line.charAt(0)).join(''))
  if (!isForm) return undefined
  const name = named.slice(head.length)
  const texts = lines.map(({ key, sign, text }) => {
    const own = body.filter((line) => line.startsWith(sign)).map((line) => line.slice(1))
    return [key, own.join('\n') + (text.endsWith('\n') && own.length > 0 ? '\n' : '')]
  })
  return {
    path: name === nameOf(change) ? (change.input['path'] ?? name) : name,
    ...Object.fromEntries(texts),
  }
}
