import { canonicalJson } from '../../../core/model/approval/canonical.ts'
import type { JsonObject } from '../../../core/model/base/json.ts'
import type { GrantShape, PatternShape } from '../../../core/model/gate/grant.ts'
import type { Question } from '../../../shared/gate/permission.ts'
import type { CommandPorts } from '../../ports.ts'

/** What follows the fixed words of a command: words without anything that a shell reads as an operator. */
const anyWords = String.raw`( [\w./:=@%+,-]+)*`
/** What follows the folder of a file: one name that does not begin with a dot. */
const anyFile = String.raw`[^/.][^/]*`
/** What follows the host of an address. */
const anyPath = String.raw`(/[\w./~%=&?+,-]*)?`

const plainWord = /^[\w./:=@%+,-]+$/

const escaped = (text: string): string => text.replaceAll(/[.+*?^$|(){}[\]\\]/g, String.raw`\$&`)

/** The pattern of a command: its first two words, and then any words that each shell reads alike. */
export const commandPattern = (command: string): string | undefined => {
  const words = command.split(' ')
  const isPlain = words.length > 1 && words.every((word) => plainWord.test(word))
  return isPlain && words[1]?.startsWith('-') === false
    ? `${escaped(words.slice(0, 2).join(' '))}${anyWords}`
    : undefined
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
  readonly isCommand?: true
  readonly patternOf: (text: string) => string | undefined
  /** Arguments beside it that say nothing about what the call does. */
  readonly loose: readonly string[]
  /** No pattern is offered when the call has other arguments. */
  readonly isAlone?: true
}

const paths = ['path', 'file_path', 'filepath', 'filename', 'file']
const fields: readonly ArgumentField[] = [
  { name: 'command', isCommand: true, patternOf: commandPattern, loose: ['description', 'timeout'] },
  { name: 'cmd', isCommand: true, patternOf: commandPattern, loose: ['description', 'timeout'] },
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

const fieldIn = (input: JsonObject): ArgumentField | undefined =>
  fields.find(({ name }) => textOf(input, name) !== undefined)

/** The argument of a call that a pattern can be about. */
export const fieldOf = (input: JsonObject): { readonly field: string; readonly text: string } | undefined => {
  const found = fieldIn(input)
  return found === undefined ? undefined : { field: found.name, text: textOf(input, found.name) ?? '' }
}

/** True for a command that is not known to run nothing else, so that its words do not say what happens. */
export const mayRunOthers = (
  input: JsonObject,
  { isKnownCommand }: Pick<CommandPorts, 'isKnownCommand'>,
): boolean => {
  const field = fieldIn(input)
  return field?.isCommand === true && !isKnownCommand(textOf(input, field.name) ?? '')
}

export const exactShape = ({ tool_input }: Pick<Question, 'tool_input'>): GrantShape => ({
  kind: 'exact',
  input: canonicalJson(tool_input),
})

/**
 * The shape for calls that are like this one in one argument. `own`: a pattern that the owner typed.
 * Undefined where no pattern can be derived.
 */
export const patternShape = (
  { tool_input }: Pick<Question, 'tool_input'>,
  { isKnownCommand }: Pick<CommandPorts, 'isKnownCommand'>,
  own?: string,
): PatternShape | undefined => {
  const field = fieldIn(tool_input)
  if (field === undefined) return undefined
  const rest = others(tool_input, field)
  const isUnsure =
    (field.isAlone === true && Object.keys(rest).length > 0) || mayRunOthers(tool_input, { isKnownCommand })
  if (own === undefined && isUnsure) return undefined
  const pattern = own ?? field.patternOf(textOf(tool_input, field.name) ?? '')
  return pattern === undefined
    ? undefined
    : { kind: 'pattern', field: field.name, pattern, others: canonicalJson(rest), loose: field.loose }
}
