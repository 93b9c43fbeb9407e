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
const leading = new Set([
  'then',
  'do',
  'else',
  'elif',
  'if',
  'while',
  'until',
  '!',
  '{',
  'exec',
  'command',
  'sudo',
  'env',
  'time',
])
const writers = new Set(['tee', 'touch', 'rm'])
const movers = new Set(['cd', 'pushd'])
/** Words that take the name of a script. */
export const interpreter = /^(?:\.|source|(?:ba|da|z|k)?sh|python[\d.]*|node|deno|bun|tsx|ruby|perl|php|lua)$/
/** True for flags whose next word is a program's text or a module. `-e` has another meaning for a shell. */
const isTextFlag = (program: string, word: string): boolean =>
  (program.endsWith('sh') ? /^-[A-Za-z]*c$/ : /^-[A-Za-z]*[cemEpr]$/).test(word)

/** Reads only words, quotes and operators. `runsIn` finds the names inside substitutions. */
const lex = (text: string): Omit<TextNames, 'any'> => {
  const [words, written, folders, scripts, sourced, runs] = [
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
  ]
  let word: string | undefined
  let quote = ''
  let verb = ''
  let isTarget = false
  let isInput = false
  /** True when the interpreter has its text or script. */
  let isServed = false
  const end = (): void => {
    if (word === undefined) return
    words.add(word)
    if (isTarget) written.add(word)
    else if (isInput) isServed = true
    else if (verb === '') {
      verb = leading.has(word) || /^\w+=/.test(word) ? '' : word
      isServed = !interpreter.test(verb)
      if (verb.includes('/')) runs.add(verb)
    } else if (!isServed) {
      isServed = !word.startsWith('-') || isTextFlag(verb, word)
      if (!word.startsWith('-')) scripts.add(word)
      if (verb === '.' || verb === 'source') sourced.add(word)
    } else if (writers.has(verb) && !word.startsWith('-')) written.add(word)
    else if (movers.has(verb)) folders.add(word)
    isTarget = false
    isInput = false
    word = undefined
  }
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (quote === "'" ? char !== "'" : quote === '"' && char !== '"' && char !== '\\')
      word = (word ?? '') + char
    else if (char === '\\') {
      const next = text.charAt(++at)
      if (next !== '\n') word = (word ?? '') + (quote !== '' && !'$`"\\'.includes(next) ? '\\' : '') + next
    } else if (char === quote) quote = ''
    else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (char === '#' && word === undefined) {
      const line = text.indexOf('\n', at)
      at = line === -1 ? text.length : line - 1
    } else if (char === '>') {
      end()
      while ('>|&'.includes(text.charAt(at + 1)) && at + 1 < text.length) at++
      isTarget = true
    } else if (/[\s;|&()<`]/.test(char)) {
      end()
      if ('\n;|&()`'.includes(char)) verb = ''
      else if (char === '<') isInput = true
    } else word = (word ?? '') + char
  }
  end()
  return { words, written, folders, scripts, sourced, runs }
}

const run = new RegExp(`[\\w@%+=:,./~${placeholderClass}-]+`, 'g')

/**
 * Finds sequences of characters of file names, whatever quotes, substitutions or other languages surround
 * them.
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
  const lexed = lex(replacedText.replaced)
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
