import type { Assignment, Command, CommandExpansionPart, SyntaxNode, Word, WordPart } from 'unbash'
import { forEachPart, parseShell } from '../../../core/model/shell/parse.ts'
import { bounded, folderOf, joined, marks } from './shell-values.ts'
import { createShellVariables, type ScriptFolders, type ShellVariables } from './shell-variables.ts'

/** One word of a command: its possible values, and its written form. */
export interface ShellWord {
  readonly values: readonly string[]
  readonly shown: string
}

export interface ShellCommand {
  readonly words: readonly ShellWord[]
  /** The possible working folders, the likeliest first. */
  readonly folders: readonly string[]
  /** The file that it reads as its input. */
  readonly input?: ShellWord | undefined
  /** The text of the here-document that it reads as its input. */
  readonly document?: string | undefined
}

/** What shell text does, as far as that is known without running it. */
export interface ShellReading {
  readonly commands: readonly ShellCommand[]
  /** The functions that it defines. */
  readonly functions: ReadonlySet<string>
  /** The programs of which it asks whether they are there. */
  readonly asked: ReadonlySet<string>
  /** The variables in capitals that it reads and does not set. */
  readonly unset: readonly string[]
}

/** The maximum number of substitutions in one text. Words with more of them become open. */
const maxSubstitutions = 3000
const maxCommands = 20_000
const maxFolders = 4
const maxShownUnits = 80
const maxPrinterUnits = 400

/** Words that precede a command's own word. */
const leaders = new Set('exec command builtin sudo env time nohup nice timeout'.split(' '))
/** The names of variables that a script does not set itself are usually in capitals. */
const isEnvironment = /^[A-Z][A-Z0-9_]{2,59}$/
const assignment = /^([A-Za-z_]\w*)\+?=/

/** The words of a command without the words that precede it. */
const withoutLeaders = (words: readonly ShellWord[]): readonly ShellWord[] => {
  let hasLeader = false
  const first = words.findIndex(({ shown }) => {
    if (leaders.has(shown)) {
      hasLeader = true
      return false
    }
    return !hasLeader || !/^-|^\d|^[A-Za-z_]\w*\+?=/.test(shown)
  })
  return first < 0 ? [] : words.slice(first)
}

/** The programs of which a command asks whether they are there. Undefined where it asks nothing. */
const askedBy = (words: readonly ShellWord[]): readonly string[] | undefined => {
  const at = words.findIndex(
    ({ shown }, index) =>
      /^(?:which|type|hash)$/.test(shown) ||
      (shown === 'command' && /^-[vV]$/.test(words[index + 1]?.shown ?? '')),
  )
  if (at < 0) return undefined
  return words
    .slice(at + 1)
    .flatMap(({ values }) => values)
    .filter((value) => /^[A-Za-z][\w.+-]*$/.test(value))
}

const asksTop = /git\s[^|;]{0,60}rev-parse\s+--show-toplevel/
const asksFolder = /\bpwd(?:\s+-[LP])?(?:\s*\|\|[^|;&]{0,60})?\s*$/
const asksItself = /\$\{?0\b|BASH_SOURCE/
const asksPath = /^\s*(?:mktemp|which|type\s+-[pP]|command\s+-[vV])\b/

/** The possible outputs of a command that prints one of its own words. */
const printedBy = ({ words }: ShellCommand): readonly string[] | undefined => {
  const [verb, ...names] = words.filter(({ shown }) => !shown.startsWith('-'))
  const values = names.at(-1)?.values
  if (verb?.shown === 'dirname') return values?.map(folderOf)
  return /^(?:realpath|readlink|echo)$/.test(verb?.shown ?? '') ? values : undefined
}

/** The possible outputs of a substitution with this text. `only` is the one command in it. */
const outputOf = (
  text: string,
  only: ShellCommand | undefined,
  folders: readonly string[],
  moved: readonly string[],
): readonly string[] => {
  const asked = text.slice(0, maxPrinterUnits)
  if (asksTop.test(asked)) return [marks.top]
  if (asksFolder.test(asked)) {
    const others = moved.filter((folder) => !folders.includes(folder))
    return others.length > 0 ? others : moved
  }
  if (asksItself.test(asked)) return [marks.beside]
  if (asksPath.test(asked)) return [marks.own]
  return (only === undefined ? undefined : printedBy(only)) ?? [marks.open]
}

/** The state of a shell between two commands. */
interface ShellState {
  readonly variables: ShellVariables
  readonly asked: Set<string>
  /** The possible working folders, the likeliest first. */
  folders: readonly string[]
}

/** Reads what a subshell runs. Returns the folders at its end. */
const apart = (state: ShellState, read: () => void): readonly string[] => {
  const before = state.folders
  read()
  const moved = state.folders
  state.folders = before
  return moved
}

const moveTo = (words: readonly ShellWord[], state: ShellState): void => {
  const to = words.find(({ shown }) => !/^-[LPe@]?$/.test(shown))?.values ?? [marks.own]
  const names = to.map((value) => value.replace(/\/+$/, '') || '/')
  const moved = names.flatMap((name) => state.folders.slice(0, 2).map((folder) => joined(folder, name)))
  state.folders = [...new Set([...bounded(moved), ...state.folders])].slice(0, maxFolders)
}

/** The variables of the environment that nothing sets. */
const unsetOf = (names: Iterable<string>, variables: ShellVariables): readonly string[] =>
  [...names].filter(
    (name) =>
      isEnvironment.test(name) && !variables.isAssigned(name) && variables.valuesOf(name, []) === undefined,
  )

/** Applies what the shell itself does. Returns the words of a program that it would start. */
const perform = (words: readonly ShellWord[], state: ShellState): readonly ShellWord[] => {
  const asked = askedBy(words)
  for (const name of asked ?? []) state.asked.add(name)
  if (asked !== undefined) return []
  const rest = withoutLeaders(words)
  const [verb, ...operands] = rest
  switch (verb?.shown) {
    case 'alias':
      return []
    case 'export':
    case 'local':
    case 'readonly':
    case 'declare':
    case 'typeset':
      for (const value of operands.flatMap(({ values }) => values)) {
        const [start, name] = assignment.exec(value) ?? []
        if (start !== undefined && name !== undefined)
          state.variables.assign(name, [value.slice(start.length)])
      }
      return []
    case 'read':
    case 'mapfile':
    case 'readarray':
      for (const { shown } of operands) if (/^\w+$/.test(shown)) state.variables.assign(shown, [marks.open])
      return []
    case 'cd':
    case 'pushd':
      moveTo(operands, state)
      return []
    case undefined:
    default:
      return rest
  }
}

/**
 * Finds the commands of shell text, as far as that is possible without running it, with the variables that
 * the text sets and the folders that it changes to. A variable keeps every value that it gets, because only a
 * run knows which one it has at a given point. The `open` mark replaces values that are unknown. Undefined
 * for a text that is too large or nested too deeply to be read.
 */
export const shellCommands = (
  text: string,
  scriptFolders: ScriptFolders,
  startFolders: readonly string[] = [marks.here],
): ShellReading | undefined => {
  const script = parseShell(text, true)
  if (script === undefined) return undefined
  const variables = createShellVariables(scriptFolders)
  const state: ShellState = { variables, asked: new Set(), folders: startFolders }
  const [functions, wanted] = [new Set<string>(), new Set<string>()]
  const commands: ShellCommand[] = []
  let substitutions = 0

  const printed = (part: CommandExpansionPart): readonly string[] => {
    const first = commands.length
    const moved = apart(state, () => forEachPart(part, read))
    const only = commands.length === first + 1 ? commands[first] : undefined
    return outputOf(part.text.replace(/^\$\(|^`/, '').slice(0, -1), only, state.folders, moved)
  }

  const valuesOfPart = (part: WordPart): readonly string[] => {
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return [part.value]
      case 'DoubleQuoted':
      case 'LocaleString':
        return valuesOfParts(part.parts)
      case 'Glob':
      case 'ExtendedGlob':
      case 'BraceExpansion':
        return [part.text]
      case 'SimpleExpansion':
        wanted.add(part.text.slice(1))
        return variables.valuesOf(part.text.slice(1), state.folders) ?? [marks.open]
      case 'ParameterExpansion': {
        const { parameter, operation, prefix } = part
        const values = prefix === undefined ? variables.valuesOf(parameter, state.folders) : undefined
        if (operation?.type === 'Default') {
          const operand = wordOf(operation.operand).values
          // A variable that every hook has, or that the hook was given, does not need its default.
          const isGiven = values !== undefined && !variables.isAssigned(parameter)
          if (/[-=]$/.test(operation.operator)) return isGiven ? values : [...(values ?? []), ...operand]
          if (operation.operator.endsWith('?')) return values ?? [marks.open]
        } else forEachPart(part, read)
        if (prefix === undefined && operation?.type !== 'Default') wanted.add(parameter)
        if (values === undefined) return [marks.open]
        if (operation === undefined) return values
        return values.map((value) =>
          operation.type === 'Remove' && operation.operator === '%' && operation.operand.text.startsWith('/')
            ? folderOf(value)
            : value.startsWith(marks.beside)
              ? marks.beside
              : marks.open,
        )
      }
      case 'CommandExpansion':
        return printed(part)
      case 'ArithmeticExpansion':
        forEachPart(part, read)
        return [marks.open]
      case 'ProcessSubstitution':
        apart(state, () => forEachPart(part, read))
        return [marks.own]
    }
  }

  const valuesOfParts = (parts: readonly WordPart[]): readonly string[] => {
    let values: readonly string[] = ['']
    for (const part of parts) {
      const some = valuesOfPart(part)
      const [only] = some
      if (some.length === 1 && only !== undefined && values.length === 1) values = [`${values[0]}${only}`]
      else if (++substitutions > maxSubstitutions) values = [marks.open]
      else values = bounded(values.flatMap((value) => some.map((one) => value + one)))
    }
    return values
  }

  const wordOf = ({ text: written, value, parts }: Word): ShellWord => {
    const values = parts === undefined ? [value] : valuesOfParts(parts)
    return {
      values: bounded(values.map((one) => one.replace(/^~(?=\/|$)/, marks.own))),
      shown: written.slice(0, maxShownUnits),
    }
  }

  const setTo = ({ name, value, index }: Assignment): readonly string[] => {
    if (index !== undefined) wordOf(index)
    const words = value.type === 'Word' ? [value] : value.elements
    const values = words.flatMap((word) => wordOf(word).values)
    if (value.type === 'ArrayValue') variables.assign(name, values)
    return values
  }

  const readCommand = ({ prefix, name, suffix, redirects }: Command): void => {
    for (const part of prefix)
      if (part.type === 'Assignment') {
        const values = setTo(part)
        // Variables before a command hold for the command alone.
        if (name === undefined) variables.assign(part.name, values)
      }
    const words = [...(name === undefined ? [] : [name]), ...suffix].flatMap((part) =>
      part.type === 'Word'
        ? [wordOf(part)]
        : part.type === 'Assignment'
          ? [{ values: setTo(part).map((value) => `${part.name}=${value}`), shown: part.text }]
          : [],
    )
    let [input, document]: [ShellWord?, string?] = []
    for (const redirect of redirects) {
      if (redirect.type === 'HereDoc') {
        for (const part of redirect.body.parts ?? []) valuesOfPart(part)
        document = redirect.body.text
      } else if (redirect.target !== undefined) {
        const target = wordOf(redirect.target)
        if (redirect.type === 'Redirect' && /^<>?$/.test(redirect.operator)) input = target
      }
    }
    const started = perform(words, state)
    if (started.length > 0 && commands.length < maxCommands)
      commands.push({ words: started, folders: state.folders, input, document })
  }

  const read = (node: SyntaxNode): void => {
    if (node.type === 'Command') readCommand(node)
    else if (node.type === 'Word') wordOf(node)
    else if (node.type === 'Subshell') apart(state, () => forEachPart(node, read))
    else if (node.type === 'For' || node.type === 'Select') {
      const words = (node.wordlist ?? []).flatMap((word) => wordOf(word).values)
      variables.assign(node.name.value, words)
      read(node.body)
    } else if (/^(?:Command|Parameter)Expansion$|^ProcessSubstitution$/.test(node.type))
      valuesOfPart(node as WordPart)
    else {
      if (node.type === 'Function') functions.add(node.name.value)
      forEachPart(node, read)
    }
  }
  try {
    read(script)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
  if (commands.length >= maxCommands) return undefined
  return { commands, functions, asked: state.asked, unset: unsetOf(wanted, variables) }
}
