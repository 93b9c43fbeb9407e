import type { JsonObject } from '../../../model/base/json.ts'
import type { GrantShape } from '../../../model/gate/grant.ts'
import type { Question } from '../../../model/gate/permission.ts'

/** What follows the fixed words of a command: words without anything that a shell reads as an operator. */
const anyWords = String.raw`( [\w./:=@%+,-]+)*`
/** What follows the folder of a file: one name that does not begin with a dot. */
const anyFile = String.raw`[^/.][^/]*`
/** What follows the host of an address. */
const anyPath = String.raw`(/[\w./~%=&?+,-]*)?`

const plainWord = /^[\w./:=@%+,-]+$/

/** Programs that run what their arguments say. Their first words say nothing about what happens. */
const runners: ReadonlySet<string> = new Set(
  (
    'sh bash zsh dash fish ksh env sudo doas su xargs exec eval nohup nice time timeout watch command builtin ' +
    'source find awk sed perl ruby python python3 node deno bun php lua ssh docker podman kubectl npx bunx pnpx ' +
    'uvx make curl wget rm dd tar'
  ).split(' '),
)
/** A second word after which the third says what is run. */
const runWords: ReadonlySet<string> = new Set(['run', 'exec', 'x', 'dlx'])

const escaped = (text: string): string => text.replaceAll(/[.+*?^$|(){}[\]\\]/g, String.raw`\$&`)

/**
 * The pattern of a command: its first two words, or three where the second only says that the third is run,
 * and then any words without an operator. Undefined where the first words do not say what the command does.
 */
export const commandPattern = (command: string): string | undefined => {
  const words = command.split(' ')
  if (words.length < 2 || !words.every((word) => plainWord.test(word))) return undefined
  const [program = '', second = ''] = words
  const fixedWords = words.slice(0, runWords.has(second) ? 3 : 2)
  const isRunner = program.includes('/') || runners.has(program)
  const isOption = fixedWords.some((word) => word.startsWith('-'))
  if (isRunner || isOption || (runWords.has(second) && words.length < 3)) return undefined
  return `${escaped(fixedWords.join(' '))}${anyWords}`
}

/** The pattern of a file's path: every file of the same folder. Undefined for a path that leads elsewhere. */
export const pathPattern = (path: string): string | undefined => {
  const end = path.lastIndexOf('/')
  const folder = path.slice(0, end + 1)
  const isClear = folder.split('/').every((name) => name !== '..' && name !== '.')
  if (end < 1 || end === path.length - 1 || !isClear || /[\p{Cc}\p{Cf}]/u.test(path)) return undefined
  return `${escaped(folder)}${anyFile}`
}

/** The pattern of an address: every page of the same host, by the same scheme. */
export const urlPattern = (url: string): string | undefined => {
  const [, origin] = /^(https?:\/\/[a-z0-9.-]+(?::\d+)?)(?:\/[\w./~%=&?+,-]*)?$/.exec(url) ?? []
  return origin === undefined ? undefined : `${escaped(origin)}${anyPath}`
}

interface ArgumentField {
  readonly name: string
  readonly patternOf: (text: string) => string | undefined
  /** Arguments beside it that say nothing about what the call does. */
  readonly loose: readonly string[]
  /** No pattern is offered when the call has other arguments. */
  readonly isAlone?: true
}

const paths = ['path', 'file_path', 'filepath', 'filename', 'file']
const fields: readonly ArgumentField[] = [
  { name: 'command', patternOf: commandPattern, loose: ['description', 'timeout'] },
  { name: 'cmd', patternOf: commandPattern, loose: ['description', 'timeout'] },
  { name: 'url', patternOf: urlPattern, loose: ['prompt', 'timeout'], isAlone: true },
  ...paths.map((name): ArgumentField => ({
    name,
    patternOf: pathPattern,
    loose: ['offset', 'limit'],
    isAlone: true,
  })),
]

const textOf = (input: JsonObject, name: string): string | undefined => {
  const value = Object.hasOwn(input, name) ? input[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The arguments that a pattern binds as they are. A free one has to be a plain value. */
const others = (input: JsonObject, { name, loose }: ArgumentField): JsonObject =>
  Object.fromEntries(
    Object.entries(input).filter(
      ([key, value]) =>
        key !== name && (!loose.includes(key) || (typeof value === 'object' && value !== null)),
    ),
  )

/** The argument of a call that a pattern can be about. */
export const fieldOf = (input: JsonObject): { readonly field: string; readonly text: string } | undefined => {
  const found = fields.find(({ name }) => textOf(input, name) !== undefined)
  return found === undefined ? undefined : { field: found.name, text: textOf(input, found.name) ?? '' }
}

export const exactShape = (
  { tool_input }: Pick<Question, 'tool_input'>,
  canonical: (value: unknown) => string,
): GrantShape => ({ kind: 'exact', input: canonical(tool_input) })

/**
 * The shape for calls that are like this one in one argument. `own`: a pattern that the owner typed.
 * Undefined where no pattern can be derived.
 */
export const patternShape = (
  { tool_input }: Pick<Question, 'tool_input'>,
  canonical: (value: unknown) => string,
  own?: string,
): Extract<GrantShape, { kind: 'pattern' }> | undefined => {
  const field = fields.find(({ name }) => textOf(tool_input, name) !== undefined)
  if (field === undefined) return undefined
  const rest = others(tool_input, field)
  if (own === undefined && field.isAlone === true && Object.keys(rest).length > 0) return undefined
  const pattern = own ?? field.patternOf(textOf(tool_input, field.name) ?? '')
  return pattern === undefined
    ? undefined
    : { kind: 'pattern', field: field.name, pattern, others: canonical(rest), loose: field.loose }
}

/** True for a command that runs a file by its path. The file can change after the owner's yes. */
export const runsFile = (input: JsonObject): boolean => {
  const { text = '' } = fieldOf(input) ?? {}
  return /^\s*(?:\S+=\S*\s+)*[\w.~-]*\//.test(text) && !/^https?:/.test(text) && 'command' in input
}
