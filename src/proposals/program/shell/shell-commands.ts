import { behindBrace, expanded, printed } from './shell-expansion.ts'
import { assignedName, perform, type ShellState } from './shell-state.ts'
import { marks } from './shell-values.ts'
import { createShellVariables, type ScriptFolders } from './shell-variables.ts'
import { createWordReading, type ShellWord, type WordReading } from './shell-word.ts'

export interface ShellCommand {
  readonly words: readonly ShellWord[]
  /** The possible working folders, the likeliest first. */
  readonly folders: readonly string[]
  /** The file that it reads as its input. */
  readonly input?: ShellWord
  /** True for a part of a test or of arithmetic, in which words are no programs. */
  readonly isExpression?: true
}

/** The maximum number of substitutions in one text. Words with more of them become open. */
const maxSubstitutions = 3000
const maxDepth = 12
const maxCommands = 4000

/** The state of reading a text. It is read once, from begin to end. */
interface Reading {
  readonly text: string
  readonly state: ShellState
  readonly commands: ShellCommand[]
  /** The index of the next character. */
  at: number
  /** The nesting depth of the current command. */
  level: number
  /** The nesting depth of brackets in which words are no programs: arithmetic, a test, a pattern. */
  expression: number
  substitutions: number
}

/** The state of reading a command's words. */
interface CommandReading {
  readonly word: WordReading
  words: ShellWord[]
  input?: ShellWord | undefined
  /** The role of the next word after a redirection. */
  redirects?: 'input' | 'target' | undefined
  /**
   * The number of commands before this part of the line. A pattern of `case` looks like commands, and these
   * are removed.
   */
  commandsBefore: number
  /** True between `[[` and `]]`. */
  isTest: boolean
  /** The number of `case` without its `esac`. */
  cases: number
}

const endWord = ({ at }: Reading, command: CommandReading): void => {
  const word = command.word.end(at)
  if (word === undefined) return
  if (command.redirects === 'input') command.input = word
  else if (command.redirects === undefined) command.words.push(word)
  command.redirects = undefined
  if (/^(?:\[\[|\]\])$/.test(word.shown)) command.isTest = word.shown === '[['
  if (word.shown === 'case' && isVerb(command)) command.cases++
  if (word.shown === 'esac' && isVerb(command)) command.cases--
}

const maxLeaders = 9

/** True when the last word can be the first of a command. */
const isVerb = ({ words }: CommandReading): boolean =>
  words.length <= maxLeaders && words.slice(0, -1).every(({ shown }) => /^(?:then|do|else|[!{])$/.test(shown))

const endCommand = (reading: Reading, command: CommandReading): void => {
  const { commands, state } = reading
  const { isTest } = command
  endWord(reading, command)
  const { words, input } = command
  command.words = []
  command.input = undefined
  if (words.length === 0 || commands.length >= maxCommands) return
  const started = perform(words, state)
  if (started.length === 0) return
  commands.push({
    words: started,
    folders: state.folders,
    input,
    ...(isTest || reading.expression > 0 ? { isExpression: true } : {}),
  })
}

/** Discards the current command. */
const dropCommand = (command: CommandReading): void => {
  command.words = []
  command.word.drop()
}

/** Appends the values of a substitution to the word. */
const substitute = (reading: Reading, word: WordReading, values: readonly string[]): void => {
  if (++reading.substitutions > maxSubstitutions) word.leaveOpen()
  else word.addValues(values)
}

/**
 * Reads the commands of a subshell up to the closing `)`. Restores the folders afterwards and returns the
 * folders at its end.
 */
const readSubshell = (reading: Reading): readonly string[] => {
  const { state, text } = reading
  const before = state.folders
  const isArithmetic = text.charAt(reading.at) === '('
  if (isArithmetic) reading.expression++
  if (++reading.level > maxDepth) reading.at = text.length
  else readList(reading, ')')
  reading.level--
  if (isArithmetic) reading.expression--
  const moved = state.folders
  state.folders = before
  return moved
}

/** Reads the commands of a nested text, with the variables and folders of this one. */
const commandsIn = (text: string, { state, level }: Reading): readonly ShellCommand[] =>
  readCommands(text, { ...state }, level + 1)

/** The possible values of a word's text. */
const valuesIn = (text: string, reading: Reading): readonly string[] => {
  if (reading.level >= maxDepth) return [marks.open]
  const [command] = commandsIn(`: ${text}`, reading)
  return command?.words[1]?.values ?? ['']
}

/** The maximum length of an arithmetic expression. A longer one is read like commands. */
const maxArithmeticUnits = 1000

/** The index of the `))` that ends an arithmetic expression. Undefined where `((` opens two subshells. */
const arithmeticEnd = (text: string, from: number): number | undefined => {
  const to = Math.min(text.length, from + maxArithmeticUnits)
  for (let at = from, open = 0; at < to; at++) {
    const char = text.charAt(at)
    if (char === '(') open++
    else if (char === ')' && open-- === 0) return text.charAt(at + 1) === ')' ? at : undefined
  }
  return undefined
}

/** Reads only the substitutions in an arithmetic expression, up to its end and past it. */
const readArithmetic = (reading: Reading, end: number): void => {
  const { text } = reading
  const inner = createWordReading(text)
  reading.at += 2
  if (++reading.level <= maxDepth) {
    while (reading.at < end) {
      const char = text.charAt(reading.at++)
      if (char === '$') readDollar(reading, inner)
      else if (char === '`') readTicked(reading, inner)
    }
  }
  reading.level--
  reading.at = Math.max(reading.at, end + 2)
}

/** Reads the expression after a `$`. */
const readDollar = (reading: Reading, word: WordReading): void => {
  const { text, state, commands } = reading
  const next = text.charAt(reading.at)
  const end = text.startsWith('((', reading.at) ? arithmeticEnd(text, reading.at + 2) : undefined
  if (end !== undefined) {
    readArithmetic(reading, end)
    substitute(reading, word, [marks.open])
  } else if (next === '(') {
    const from = ++reading.at
    const first = commands.length
    const { expression } = reading
    reading.expression = 0
    const moved = readSubshell(reading)
    reading.expression = expression
    const { folders } = state
    substitute(reading, word, printed(text, from, reading.at - 1, commands.slice(first), { folders, moved }))
  } else if (next === '{') {
    const from = reading.at + 1
    reading.at = behindBrace(text, from)
    const [, read = ''] = /^(\w{1,99})(?:\}|:?-\}|:?\?)/.exec(text.slice(from, from + 102)) ?? []
    state.seen.variable.add(read)
    const values = expanded(text, from, reading.at - 1, state, (inner) => valuesIn(inner, reading))
    substitute(reading, word, values)
  } else if (/[\w@*#?!$-]/.test(next)) {
    const [name = next] = /^(?:[A-Za-z_]\w{0,99}|.)/.exec(text.slice(reading.at, reading.at + 100)) ?? []
    reading.at += name.length
    state.seen.variable.add(name)
    substitute(reading, word, state.variables.valuesOf(name, state.folders) ?? [marks.open])
  } else if (next !== "'" && next !== '"') word.addText('$')
}

/** Reads up to the next `closer` and past it. Without one, reads to the end. */
const readUntil = (reading: Reading, closer: string): string => {
  const from = reading.at
  const end = reading.text.indexOf(closer, from)
  const to = end < 0 ? reading.text.length : end
  reading.at = end < 0 ? to : end + 1
  return reading.text.slice(from, to)
}

/** Reads the substitution after a backtick, up to the next one. */
const readTicked = (reading: Reading, word: WordReading): void => {
  const { text, state, commands, level } = reading
  const inner = readUntil(reading, '`')
  const found = level < maxDepth ? commandsIn(inner, reading) : []
  const added = found.slice(0, maxCommands - commands.length)
  for (const command of added) commands.push(command)
  const { folders } = state
  substitute(
    reading,
    word,
    printed(text, reading.at - inner.length - 1, reading.at - 1, added, { folders, moved: folders }),
  )
}

/** Reads the text after a double quote, up to the next one. */
const readQuoted = (reading: Reading, word: WordReading): void => {
  const { text } = reading
  while (reading.at < text.length) {
    const char = text.charAt(reading.at++)
    if (char === '"') return
    if (char === '\\') word.addText(text.charAt(reading.at++))
    else if (char === '$') readDollar(reading, word)
    else if (char === '`') readTicked(reading, word)
    else word.addText(char)
  }
}

/** Reads a part of a word: a character, a quoted text, an escaped character or a substitution. */
const readPart = (reading: Reading, word: WordReading): void => {
  const { text } = reading
  // A line that goes on in the next one.
  if (text.startsWith('\\\n', reading.at)) {
    reading.at += 2
    return
  }
  word.begin(reading.at)
  const char = text.charAt(reading.at++)
  switch (char) {
    case '\\':
      return word.addText(text.charAt(reading.at++))
    case "'":
      return word.addText(readUntil(reading, "'"))
    case '"':
      return readQuoted(reading, word)
    case '$':
      return readDollar(reading, word)
    case '`':
      return readTicked(reading, word)
    default:
      return word.addText(char)
  }
}

const readRedirection = (reading: Reading, command: CommandReading): void => {
  const { text } = reading
  const { word } = command
  // The number of a redirected descriptor is not a word.
  if (/^\d$/.test(word.written(reading.at))) word.drop()
  else endWord(reading, command)
  const char = text.charAt(reading.at++)
  const next = text.charAt(reading.at)
  if (next === '(') {
    word.begin(reading.at++)
    readSubshell(reading)
    substitute(reading, word, [marks.own])
    return
  }
  while (reading.at < text.length && /[<>|&-]/.test(text.charAt(reading.at))) reading.at++
  command.redirects = char === '<' && next !== '<' && next !== '&' ? 'input' : 'target'
}

/** Reads an array, `name=(…)`. The variable may have the value of each word. */
const readArray = (reading: Reading, name: string): void => {
  const { commands, state } = reading
  const first = commands.length
  reading.at++
  readSubshell(reading)
  for (const { words } of commands.splice(first))
    state.variables.assign(
      name,
      words.flatMap(({ values }) => values),
    )
}

const readOpening = (reading: Reading, command: CommandReading): void => {
  const { text, at } = reading
  const { word } = command
  const written = word.written(at)
  const end = text.startsWith('((', at) ? arithmeticEnd(text, at + 2) : undefined
  // A shell without arithmetic commands would run commands here, so the expression may not look like some.
  const isArithmetic = command.words[0]?.shown === 'for' || /^[^.;~'"]*$/.test(text.slice(at + 2, end))
  const name = written.endsWith('=') ? assignedName(written) : undefined
  if (name !== undefined) {
    word.drop()
    readArray(reading, name)
  } else if (/^\(\s{0,9}\)/.test(text.slice(at, at + 12))) {
    // This defines a function, so the word before it is its name.
    endWord(reading, command)
    reading.state.seen.function.add(command.words.at(-1)?.shown ?? '')
    dropCommand(command)
    reading.at = text.indexOf(')', at) + 1
  } else if (end !== undefined && isArithmetic) readArithmetic(reading, end)
  else {
    const isExpression = command.isTest || command.cases > 0
    endCommand(reading, command)
    reading.at++
    if (isExpression) reading.expression++
    readSubshell(reading)
    if (isExpression) reading.expression--
  }
}

/** Reads commands up to `closer` and past it. Without one, reads to the end of the text. */
const readList = (reading: Reading, closer: ')' | undefined): void => {
  const { text, commands } = reading
  const command: CommandReading = {
    word: createWordReading(text),
    words: [],
    commandsBefore: commands.length,
    isTest: false,
    cases: 0,
  }
  while (reading.at < text.length) {
    const char = text.charAt(reading.at)
    if (char === '#' && !command.word.isBegun()) {
      const line = text.indexOf('\n', reading.at)
      reading.at = line < 0 ? text.length : line
    } else if (char === ' ' || char === '\t' || char === '\r') {
      endWord(reading, command)
      reading.at++
    } else if ('\n;|&'.includes(char)) {
      endCommand(reading, command)
      reading.at++
      if (char !== '|') command.commandsBefore = commands.length
    } else if (char === ')' && closer === ')' && command.cases <= 0) {
      endCommand(reading, command)
      reading.at++
      return
    } else if (char === ')') {
      // This ends a pattern of `case`.
      dropCommand(command)
      commands.splice(command.commandsBefore)
      reading.at++
    } else if (char === '(') readOpening(reading, command)
    else if (char === '<' || char === '>') readRedirection(reading, command)
    else readPart(reading, command.word)
  }
  endCommand(reading, command)
}

const readCommands = (text: string, state: ShellState, level: number): readonly ShellCommand[] => {
  const reading: Reading = { text, state, commands: [], at: 0, level, expression: 0, substitutions: 0 }
  readList(reading, undefined)
  return reading.commands
}

/** What `shellCommands` finds. */
export interface ShellReading extends Pick<ShellState, 'seen'> {
  readonly commands: readonly ShellCommand[]
}

/**
 * Finds the commands of shell text, as far as that is possible without running it: quotes, variables that the
 * text sets, folders that it changes to, and commands in substitutions. Takes linear time. A word may get
 * more values than it can have; the `open` mark replaces values that are unknown.
 */
export const shellCommands = (
  text: string,
  scriptFolders: ScriptFolders,
  folders: readonly string[] = [marks.here],
): ShellReading => {
  const seen = { function: new Set<string>(), variable: new Set<string>() }
  return {
    commands: readCommands(text, { variables: createShellVariables(scriptFolders), folders, seen }, 0),
    seen,
  }
}
