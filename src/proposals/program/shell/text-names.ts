import type { Command, SyntaxNode } from 'unbash'
import { forEachPart, parseShell } from '../../../core/model/shell/parse.ts'
import { placeholderClass, withPlaceholders, type NamedFolders } from './folder-names.ts'

/** The words of shell text that may name files, as far as they can be found without running it. */
export interface TextNames {
  /** Every text that could name a file, with or without quotes. */
  readonly any: ReadonlySet<string>
  /** Whole words as a shell would read them. */
  readonly words: ReadonlySet<string>
  /** Files that the text writes: the targets of `>`, and the words after `tee`, `touch` and `rm`. */
  readonly written: ReadonlySet<string>
  /** The folders that it changes to. */
  readonly folders: ReadonlySet<string>
  /** Scripts that it gives to an interpreter or sources. They are paths even without a slash. */
  readonly scripts: ReadonlySet<string>
  /** The scripts that it sources, which become a part of it. */
  readonly sourced: ReadonlySet<string>
  /** Programs that it runs by a path. */
  readonly runs: ReadonlySet<string>
}

/** Words that precede a command's own word. */
const leading = new Set(['exec', 'command', 'sudo', 'env', 'time'])
const writers = new Set(['tee', 'touch', 'rm'])
const movers = new Set(['cd', 'pushd'])
/** Words that take the name of a script. */
export const interpreter = /^(?:\.|source|(?:ba|da|z|k)?sh|python[\d.]*|node|deno|bun|tsx|ruby|perl|php|lua)$/
/** True for flags whose next word is a program's text or a module. `-e` has another meaning for a shell. */
const isTextFlag = (program: string, word: string): boolean =>
  (program.endsWith('sh') ? /^-[A-Za-z]*c$/ : /^-[A-Za-z]*[cemEpr]$/).test(word)

const createNames = () => ({
  words: new Set<string>(),
  written: new Set<string>(),
  folders: new Set<string>(),
  scripts: new Set<string>(),
  sourced: new Set<string>(),
  runs: new Set<string>(),
})

const readCommand = ({ name, suffix }: Command, names: ReturnType<typeof createNames>): void => {
  const parts = name === undefined ? suffix : [name, ...suffix]
  const words = parts.flatMap((part) => (part.type === 'Word' ? [part.value] : []))
  const at = words.findIndex((word) => !leading.has(word) && !/^\w+=/.test(word))
  const [verb, ...args] = at < 0 ? [] : words.slice(at)
  if (verb === undefined) return
  if (verb.includes('/')) names.runs.add(verb)
  if (interpreter.test(verb)) {
    const script = args.find((word) => !word.startsWith('-') || isTextFlag(verb, word))
    if (script === undefined || script.startsWith('-')) return
    names.scripts.add(script)
    if (verb === '.' || verb === 'source') names.sourced.add(script)
  } else if (writers.has(verb)) {
    for (const word of args) if (!word.startsWith('-')) names.written.add(word)
  } else if (movers.has(verb)) for (const word of args) names.folders.add(word)
}

/** The words of a text as a shell would read them. A text that cannot be parsed has none. */
const wordsIn = (text: string): Omit<TextNames, 'any'> => {
  const names = createNames()
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Word') names.words.add(node.value)
    else if (node.type === 'Command') readCommand(node, names)
    else if (node.type === 'Redirect' && /^(?:>|&>)/.test(node.operator)) {
      const { value } = node.target ?? { value: '' }
      if (!/^(?:\d+|-)?$/.test(value)) names.written.add(value)
    }
    forEachPart(node, visit)
  }
  const script = parseShell(text)
  if (script !== undefined) visit(script)
  return names
}

const run = new RegExp(`[\\w@%+=:,./~${placeholderClass}-]+`, 'g')

/**
 * Finds sequences of characters of file names, whatever quotes, substitutions or other languages surround
 * them, also where no shell could read the text.
 */
const runsIn = function* (text: string): Generator<string> {
  for (const { 0: found, index } of text.matchAll(run)) {
    // After these characters it is the rest of a name that only the shell knows.
    if (!'${}*?]'.includes(text.charAt(index - 1)) || index === 0) yield found
  }
}

const quotedPlaceholder = new RegExp(`"([${placeholderClass}])"`, 'g')

/**
 * Finds the names in a text, in linear time. `folders` are the values of its variables for folders. `env`
 * holds the variables that the hook sets itself.
 */
export const namesIn = (
  text: string,
  folders: NamedFolders,
  env: Readonly<Record<string, string>>,
): TextNames => {
  const replacedText = withPlaceholders(text, folders, env)
  const lexed = wordsIn(replacedText.replaced)
  const found = [...lexed.words, ...runsIn(replacedText.replaced.replaceAll(quotedPlaceholder, '$1'))]
  // A name can be a part of a word, as in `--rules=./x`, `PATH=./a:./b` and `-d @./x`.
  const any = found.flatMap((word) => (/[=:,@]/.test(word) ? [word, ...word.split(/[=:,@]/)] : [word]))
  const known = (names: Iterable<string>): ReadonlySet<string> =>
    new Set([...names].map(replacedText.path).filter((name) => name !== '' && name.length <= 4096))
  return {
    any: known(any),
    words: known(lexed.words),
    written: known(lexed.written),
    folders: known(lexed.folders),
    scripts: known(lexed.scripts),
    sourced: known(lexed.sourced),
    runs: known(lexed.runs),
  }
}
