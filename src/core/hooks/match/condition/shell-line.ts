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
const maxBrackets = 200

const keywords = new Set([
  'if',
  'then',
  'elif',
  'else',
  'fi',
  'do',
  'done',
  'while',
  'until',
  '!',
  '{',
  '}',
  'time',
])
/** Constructs that begin with these words are not parsed. */
const unread = new Set(['case', 'select', 'function', 'coproc'])

const redirection = /\d*(?:<<<|<<-?|<>|<&|<|>>|>\||>&|>)|&>>?/y
const parameter = /\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])/y
const plainBraces = /\$\{[^{}`$"'\\]*\}/y
const arithmetic = /\$\(\([\w\s+\-*/%<>=!&|^~?:,$]*\)\)/y
const expanding = /\{[^\s{}]*(?:,|\.\.)/y
const ansiQuote = /\$'(?:\\[^]|[^'\\])*'/y

/** A here-document, whose text follows the line that names it. */
interface Document {
  readonly end: string
  readonly isQuoted: boolean
  readonly isIndented: boolean
}

interface LineReader {
  readonly text: string
  readonly depth: number
  at: number
  /** The number of brackets opened so far, closed or not. */
  brackets: number
  isOpen: boolean
  /** True when the commands cannot be determined. */
  isLost: boolean
  readonly commands: Command[]
  readonly documents: Document[]
}

const lose = (reader: LineReader): void => {
  reader.isLost = true
  reader.at = reader.text.length
}

const match = ({ text, at }: LineReader, pattern: RegExp): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** Parses another text that is run. Its commands belong to this line too. */
const readInner = (reader: LineReader, inner: string): void => {
  const line = readShellLine(inner, reader.depth + 1)
  if (line === undefined) return lose(reader)
  reader.commands.push(...line.commands)
  reader.isOpen ||= line.isOpen
}

/** `raw` is the command as written, with its quotes and redirections. */
const add = (reader: LineReader, words: readonly ShellWord[], raw: string): void => {
  const isKeyword = ({ text, isQuoted }: ShellWord, at: number): boolean =>
    !isQuoted && (keywords.has(text) || ((text === '-p' || text === '--') && words[at - 1]?.text === 'time'))
  const first = words.findIndex((word, at) => !isKeyword(word, at))
  const command = first < 0 ? [] : words.slice(first)
  if (command.length === 0) return
  const { starts, inner } = startsOf(command) ?? {}
  if (starts === undefined || unread.has(command[0]?.text ?? '')) return lose(reader)
  const name = starts.at(-1)?.[0]
  reader.commands.push({
    texts: [...new Set([raw, ...starts.map((start) => start.map(({ text }) => text).join(' '))])],
    isNameOpen: name?.isOpen === true || name?.isPattern === true || inner?.isOpen === true,
  })
  if (inner !== undefined && !inner.isOpen) readInner(reader, inner.text)
}

const skipDocuments = (reader: LineReader): void => {
  const { text } = reader
  for (const { end, isQuoted, isIndented } of reader.documents.splice(0)) {
    while (reader.at < text.length) {
      const newline = text.indexOf('\n', reader.at)
      const line = text.slice(reader.at, newline < 0 ? text.length : newline)
      reader.at = newline < 0 ? text.length : newline + 1
      if ((isIndented ? line.replace(/^\t+/, '') : line) === end) break
      if (!isQuoted && /\$\(|`/.test(line)) return lose(reader)
      reader.isOpen ||= !isQuoted && line.includes('$')
    }
  }
}

/** A part of a word, with its value as far as that is known. */
interface LinePart {
  readonly text: string
  readonly isOpen: boolean
}

const readBacktick = (reader: LineReader): LinePart => {
  const { text, at: from } = reader
  let inner = ''
  for (reader.at += 1; reader.at < text.length && text[reader.at] !== '`'; reader.at += 1) {
    if (text[reader.at] === '\\' && /[`\\$]/.test(text[reader.at + 1] ?? '')) reader.at += 1
    inner += text[reader.at] ?? ''
  }
  if (reader.at >= text.length) lose(reader)
  else readInner(reader, inner)
  reader.at += 1
  reader.isOpen = true
  return { text: text.slice(from, reader.at), isOpen: true }
}

/** Reads a `$` and the expression that follows it. */
const readDollar = (reader: LineReader, isWithinQuotes: boolean): LinePart => {
  const { text, at: from } = reader
  const known =
    match(reader, arithmetic) ??
    match(reader, plainBraces) ??
    match(reader, parameter) ??
    (isWithinQuotes ? undefined : match(reader, ansiQuote))
  if (known !== undefined) reader.at += known.length
  else if (text.startsWith('$((', from) || text.startsWith('${', from)) lose(reader)
  else if (text.startsWith('$(', from)) {
    reader.at += 2
    readList(reader, true)
  } else {
    reader.at += 1
    return { text: isWithinQuotes || text[reader.at] !== '"' ? '$' : '', isOpen: false }
  }
  reader.isOpen = true
  return { text: text.slice(from, reader.at), isOpen: true }
}

/** Reads the text between double quotes. */
const readQuoted = (reader: LineReader): LinePart => {
  const { text } = reader
  let value = ''
  let isOpen = false
  for (reader.at += 1; reader.at < text.length && text[reader.at] !== '"';) {
    const char = text[reader.at] ?? ''
    if (char === '$' || char === '`') {
      const part = char === '$' ? readDollar(reader, true) : readBacktick(reader)
      value += part.text
      isOpen ||= part.isOpen
      continue
    }
    const isEscape = char === '\\' && /[$`"\\\n]/.test(text[reader.at + 1] ?? '')
    const next = isEscape ? (text[reader.at + 1] ?? '') : char
    value += isEscape && next === '\n' ? '' : next
    reader.at += isEscape ? 2 : 1
  }
  if (reader.at >= text.length) lose(reader)
  reader.at += 1
  return { text: value, isOpen }
}

const readSingleQuoted = (reader: LineReader): LinePart => {
  const end = reader.text.indexOf("'", reader.at + 1)
  const value = end < 0 ? '' : reader.text.slice(reader.at + 1, end)
  if (end < 0) lose(reader)
  else reader.at = end + 1
  return { text: value, isOpen: false }
}

const readEscaped = (reader: LineReader): LinePart => {
  reader.at += 2
  return { text: reader.text[reader.at - 1] ?? '', isOpen: false }
}

const readWord = (reader: LineReader): ShellWord => {
  const { text } = reader
  let value = ''
  let [isOpen, isPattern, isQuoted] = [false, false, false]
  while (reader.at < text.length) {
    const char = text[reader.at] ?? ''
    if (/[ \t\n;&|<>)]/.test(char)) break
    // This is a function or an array.
    if (char === '(') lose(reader)
    else if (text.startsWith('\\\n', reader.at)) reader.at += 2
    else if (/["'\\$`]/.test(char)) {
      const part =
        char === '"'
          ? readQuoted(reader)
          : char === "'"
            ? readSingleQuoted(reader)
            : char === '\\'
              ? readEscaped(reader)
              : char === '$'
                ? readDollar(reader, false)
                : readBacktick(reader)
      value += part.text
      isOpen ||= part.isOpen
      isQuoted ||= char !== '$' && char !== '`'
    } else {
      if (char === '{' && match(reader, expanding) !== undefined) [isOpen, reader.isOpen] = [true, true]
      isPattern ||= /[*?]/.test(char) || (char === '[' && value !== '' && value !== '[')
      value += char
      reader.at += 1
    }
  }
  return { text: value, isOpen, isPattern, isQuoted }
}

const readRedirection = (reader: LineReader, operator: string): void => {
  reader.at += operator.length
  while (/[ \t]/.test(reader.text[reader.at] ?? '')) reader.at += 1
  const target = readWord(reader)
  if (!/<<-?$/.test(operator) || operator.endsWith('<<<')) return
  reader.documents.push({ end: target.text, isQuoted: target.isQuoted, isIndented: operator.endsWith('-') })
}

/** Reads commands up to the end of the text or to the closing bracket. */
const readList = (reader: LineReader, isBracketed: boolean): void => {
  const { text } = reader
  reader.brackets += 1
  if (reader.brackets > maxBrackets) return lose(reader)
  let words: ShellWord[] = []
  let from = reader.at
  const finish = (length: number): void => {
    const raw = text.slice(from, reader.at).trim()
    reader.at += length
    from = reader.at
    add(reader, words, raw)
    words = []
  }
  while (reader.at < text.length) {
    const char = text[reader.at] ?? ''
    const operator = match(reader, redirection)
    if (words.length === 0) from = reader.at
    if (char === ' ' || char === '\t') reader.at += 1
    else if (text.startsWith('\\\n', reader.at)) reader.at += 2
    else if (char === '#')
      reader.at = text.indexOf('\n', reader.at) < 0 ? text.length : text.indexOf('\n', reader.at)
    else if (char === '\n') {
      finish(1)
      skipDocuments(reader)
    } else if (char === ')') {
      if (!isBracketed) return lose(reader)
      return finish(1)
    } else if (char === '(' || text.startsWith('<(', reader.at) || text.startsWith('>(', reader.at)) {
      const isGroup = char === '('
      if (isGroup && (words.length > 0 || text[reader.at + 1] === '(')) return lose(reader)
      reader.at += isGroup ? 1 : 2
      reader.isOpen ||= !isGroup
      readList(reader, true)
    } else if (operator !== undefined) readRedirection(reader, operator)
    else if (char === ';' || char === '&' || char === '|') finish(1)
    else words.push(readWord(reader))
  }
  if (isBracketed) return lose(reader)
  finish(0)
}

/**
 * Parses a shell line into its commands, without running it. Undefined when they cannot be determined. Makes
 * one pass over the text and one over each text that it runs, at most 20 levels deep.
 */
export const readShellLine = (text: string, depth = 0): ShellLine | undefined => {
  if (depth > maxDepth || text.length > maxLineChars || text.includes('\0')) return undefined
  const reader: LineReader = {
    text,
    depth,
    at: 0,
    brackets: 0,
    isOpen: false,
    isLost: false,
    commands: [],
    documents: [],
  }
  readList(reader, false)
  return reader.isLost ? undefined : { commands: reader.commands, isOpen: reader.isOpen }
}
