import type { Command, CommandNode, PipelineNode, Statement } from 'unbash'
import type { GrantShape, PatternShape } from '../../model/gate/grant.ts'
import { compileWhole, type WholeTest } from '../../model/base/pattern.ts'
import { parseShell } from '../../model/shell/parse.ts'
import { canBeKnown, isKnown } from './known-programs.ts'

/** The arguments that a shell reads. */
const shellFields: ReadonlySet<string> = new Set(['command', 'cmd', 'script'])
export const isShellField = (field: string): boolean => shellFields.has(field.toLowerCase())

/** No pattern covers a longer line, in UTF-16 units. */
const maxLineUnits = 4000

/**
 * A word that every shell reads alike: without an expansion, a file name pattern or an escape. No shell sees
 * an operator in its quotes either.
 */
const plainWord = /^(?:[\w./:=@%+,~-]|"[^"'\\$`;&|<>!\n]*"|'[^"'\\$`;&|<>!\n]*')+$/
/** What some shells read as a comment, an escape, or the end of a line or a word. */
const readVariously = /[^\t\n\x20-\x7e]|[\\#]/

/** The simple commands in a list or pipeline, with undefined for what is none. */
const simpleIn = (
  node: CommandNode | PipelineNode | Statement['command'],
): readonly (Command | undefined)[] => {
  if (node.type === 'AndOr') return node.commands.flatMap(simpleIn)
  if (node.type === 'Pipeline')
    return node.prefixes.length > 0 ? [undefined] : node.commands.flatMap(simpleIn)
  return [node.type === 'Command' ? node : undefined]
}

/** The words of a command that has nothing but words; none for another one. */
const wordsOf = ({ name, prefix, suffix }: Command): readonly string[] => {
  const parts = [...prefix, ...(name === undefined ? [] : [name]), ...suffix]
  const words = parts.map((part) =>
    part.type === 'Word' && plainWord.test(part.text) ? part.value : undefined,
  )
  return words.every((word) => word !== undefined) ? words : []
}

/**
 * The simple commands of a shell line, each as it is written, where all of them are known to run nothing
 * else. Undefined for any other line.
 */
export const knownCommands = (line: string): readonly string[] | undefined => {
  if (line.length > maxLineUnits || readVariously.test(line)) return undefined
  const { commands: statements, errors = [] } = parseShell(line) ?? { commands: [] }
  if (errors.length > 0 || statements.length === 0) return undefined
  const commands = statements.flatMap(({ command, background }) =>
    background === true ? [undefined] : simpleIn(command),
  )
  const texts = commands.map((command) =>
    command !== undefined && isKnown(wordsOf(command)) ? line.slice(command.pos, command.end) : undefined,
  )
  return texts.every((text) => text !== undefined) ? texts : undefined
}

/**
 * The test whether a pattern covers an argument. A shell line never meets a pattern as one text: each of its
 * commands has to be known and has to match.
 */
export const coverOf = ({ field, pattern }: PatternShape): WholeTest => {
  const matches = compileWhole(pattern)
  if (typeof matches !== 'function' || !isShellField(field)) return matches
  return (line) => knownCommands(line)?.every(matches) === true
}

/** True for a pattern whose first words say that it covers nothing. Older versions gave such grants. */
export const coversNothing = (shape: GrantShape): boolean => {
  if (shape.kind !== 'pattern' || !isShellField(shape.field) || shape.pattern.includes('|')) return false
  const [head = ''] = /^(?:\\[.+]|[\w/:=@%, -])*(?=$| |\( )/.exec(shape.pattern) ?? []
  const words = head.replaceAll('\\', '').split(' ')
  return words[0] !== '' && !canBeKnown(words)
}
