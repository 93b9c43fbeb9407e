import type { Command as ShellCommand, ParsedScript, SyntaxNode, Word } from 'unbash'
import { forEachPart, parseShell } from '../../core/model/shell/parse.ts'
import { startsOf, type ShellWord } from './wrappers.ts'

/** One command of a shell line. */
export interface Command {
  /**
   * Its words without quotes and with one space between them. Repeated without the words that only come
   * before the program.
   */
  readonly texts: readonly string[]
  /** True when only the shell knows which program it starts. */
  readonly isNameOpen: boolean
}

export interface ShellLine {
  /** Includes the commands within substitutions and within `sh -c '…'`. */
  readonly commands: readonly Command[]
  /** True when the line contains a variable, a substitution or braces. */
  readonly isOpen: boolean
}

/** Claude Code does not parse longer lines either. */
export const maxLineChars = 10_000
const maxDepth = 20

const open: ReadonlySet<SyntaxNode['type']> = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ArithmeticExpansion',
  'ProcessSubstitution',
  'BraceExpansion',
])

/**
 * Bash reads a pattern in brackets only where that is switched on, and calculating can run what a variable
 * holds.
 */
const undecided: ReadonlySet<SyntaxNode['type']> = new Set([
  'ExtendedGlob',
  'ArithmeticCommand',
  'ArithmeticFor',
])

const wordOf = ({ text, value, parts = [] }: Pick<Word, 'text' | 'value' | 'parts'>): ShellWord => {
  const has = (isIt: (node: SyntaxNode) => boolean): boolean =>
    parts.some((part) => isIt(part) || (part.type === 'DoubleQuoted' && part.parts.some(isIt)))
  return {
    text: value,
    isOpen: has(({ type }) => open.has(type)),
    isPattern: has(({ type }) => type === 'Glob' || type === 'ExtendedGlob'),
    isQuoted: /["'\\]/.test(text),
  }
}

/** The words of a command, with the variables that are set before it. */
const wordsOf = ({ prefix, name, suffix }: ShellCommand): readonly ShellWord[] =>
  [...prefix, ...(name === undefined ? [] : [name]), ...suffix].flatMap((part) =>
    part.type === 'Word'
      ? wordOf(part)
      : part.type === 'Assignment'
        ? wordOf({
            text: part.text,
            value: part.value.type === 'Word' ? `${part.name}=${part.value.value}` : part.text,
            parts: part.value.type === 'Word' ? part.value.parts : undefined,
          })
        : [],
  )

/**
 * Parses a shell line into its commands, without running it. Undefined when they cannot be determined. Parses
 * the text once, and each text that it runs, at most 20 levels deep.
 */
export const readShellLine = (text: string, depth = 0): ShellLine | undefined => {
  if (depth > maxDepth || text.length > maxLineChars || text.includes('\0')) return undefined
  const commands: Command[] = []
  let isOpen = false
  let isLost = false
  const add = (command: ShellCommand, source: string): void => {
    const words = wordsOf(command)
    if (words.length === 0) return
    const { starts, inner } = startsOf(words) ?? {}
    if (starts === undefined) {
      isLost = true
      return
    }
    const name = starts.at(-1)?.[0]
    const raw = source.slice(command.pos, command.end)
    commands.push({
      texts: [...new Set([raw, ...starts.map((start) => start.map((word) => word.text).join(' '))])],
      isNameOpen: name?.isOpen === true || name?.isPattern === true || inner?.isOpen === true,
    })
    if (inner === undefined || inner.isOpen) return
    const line = readShellLine(inner.text, depth + 1)
    isLost ||= line === undefined
    isOpen ||= line?.isOpen === true
    commands.push(...(line?.commands ?? []))
  }
  const read = (script: ParsedScript, source: string): void => {
    isLost ||= script.errors !== undefined && script.errors.length > 0
    const visit = (node: SyntaxNode): void => {
      if (isLost) return
      isOpen ||= open.has(node.type)
      isLost ||= undecided.has(node.type)
      if (node.type === 'Script') return read(node, node.source ?? source)
      if (node.type === 'Command') add(node, source)
      if (node.type !== 'Word' || node.parts !== undefined) forEachPart(node, visit)
    }
    for (const statement of script.commands) visit(statement)
  }
  const script = parseShell(text)
  if (script === undefined) return undefined
  read(script, text)
  return isLost ? undefined : { commands, isOpen }
}
