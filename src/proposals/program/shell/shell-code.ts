import path from 'node:path'
import { isOpen, type Finds } from '../code/code-finds.ts'
import { isShellName, runsScripts } from '../script.ts'
import { shellCommands, type ShellCommand, type ShellWord } from './shell-commands.ts'
import { marks } from './shell-values.ts'
import type { ScriptFolders } from './shell-variables.ts'

const always =
  'make gmake just task rake tox nox pytest py.test gradle mvn ant ninja mage invoke pre-commit lefthook ' +
  'npx pnpx bunx jest vitest mocha eslint stylelint prettier'
const scriptWords =
  /^(?:run|run-script|test|t|start|restart|exec|x|dlx|ci|install|i|build|lint|check|format|typecheck)$/
/** Programs that run commands from a file of the workspace. With an expression, only these subcommands do. */
const runners = new Map<string, RegExp | undefined>([
  ...always.split(' ').map((name) => [name, undefined] as const),
  ...['npm', 'pnpm', 'yarn'].map((name) => [name, scriptWords] as const),
  ['bun', /^(?:run|test|x|install)$/],
  ['deno', /^(?:task|test)$/],
  ['cargo', /^(?:build|test|run|check|clippy|bench)$/],
  ['go', /^(?:run|test|generate)$/],
  ['composer', /^(?:run|run-script|test|install)$/],
  ['bundle', /^exec$/],
  ['poetry', /^run$/],
  ['pipenv', /^run$/],
  ['uv', /^run$/],
  ['dotnet', /^(?:build|test|run)$/],
])
/** Python modules that load code of the workspace. */
const loadingModules = /^(?:pytest|unittest|tox|nox|doctest)$/
const asksOnly = /^(?:--version|-[vV]|--help|-h|version|help)$/

/** Words that a shell knows by itself. */
const builtins = new Set(
  (
    'alias autoload bg bind break builtin caller cd command compgen complete compopt continue coproc declare dirs ' +
    'disown echo emulate enable eval exec exit export false fc fg getopts help history jobs kill let local logout ' +
    'mapfile popd print printf pushd pwd read readarray readonly return set setopt shift shopt source suspend test ' +
    'times trap true typeset ulimit umask unalias unset unsetopt wait whence zmodload'
  ).split(' '),
)
const isProgramName = (word: string): boolean => /^[A-Za-z][\w.+-]{1,59}$/.test(word) && !builtins.has(word)

const isTextFlag = (program: string, word: string): boolean =>
  (isShellName(program) ? /^-[A-Za-z]*c$/ : /^-[A-Za-z]*[ceEpr]$|^--(?:eval|print)$/).test(word)
const codeFile = /\.(?:sh|bash|zsh|py|[mc]?[jt]s|rb|pl|php|lua)$/
const systemProgram = /^\/(?:usr\/(?:local\/)?)?s?bin\//

/** The maximum number of commands that start another one around a command. */
const maxWrapped = 3

/** Adds a text for a shell that is read like the first. */
export type Again = (text: string, folders: readonly string[]) => void

const shownOf = (words: readonly ShellWord[]): string =>
  words
    .slice(0, 3)
    .map(({ shown }) => shown)
    .join(' ')

/** The command that `xargs` or `find` starts. Undefined for any other command. */
const startedBy = ([verb, ...args]: readonly ShellWord[]): readonly ShellWord[] | undefined => {
  if (verb?.shown === 'xargs') {
    const inner = args.slice(args.findIndex(({ shown }) => /^[a-z]/.test(shown) || shown.includes('/')))
    const given = { values: [marks.open], shown: `xargs ${inner[0]?.shown ?? ''}` }
    return inner.length === 1 ? [...inner, given] : inner
  }
  if (verb?.shown !== 'find') return undefined
  const at = args.findIndex(({ shown }) => /^-exec(?:dir)?$/.test(shown))
  const given = { values: [marks.open], shown: `find -exec ${args[at + 1]?.shown ?? ''}` }
  return at < 0 ? [] : args.slice(at + 1).map((word) => (word.shown === '{}' ? given : word))
}

/** Records what an interpreter runs: a script, a text, a module, or its input. */
const givenTo = (
  words: readonly ShellWord[],
  { folders, input, document }: ShellCommand,
  finds: Finds,
  again: Again,
): void => {
  const [verb, ...args] = words
  const program = path.basename(verb?.values[0] ?? '')
  const isServed = ({ shown }: ShellWord): boolean =>
    !shown.startsWith('-') || /^-[ms]?$/.test(shown) || isTextFlag(program, shown)
  const at = args.findIndex(isServed)
  const [word, next] = [args[at], args[at + 1]]
  if (word === undefined) {
    if (input !== undefined) finds.run(input, folders)
    else if (isShellName(program) && document !== undefined) again(document, folders)
    else if (isShellName(program)) finds.unknown()
  } else if (isTextFlag(program, word.shown)) {
    const text = next?.values[0] ?? ''
    if (isShellName(program) && isOpen(text)) finds.unknown()
    else if (isShellName(program)) again(text, folders)
  } else if (word.shown === '-m') {
    if (loadingModules.test(next?.shown ?? '')) finds.open(shownOf(words))
  } else if (word.shown === 'run' && next !== undefined) finds.open(shownOf(words))
  else if (!/^-|^(?:run|test|task)$/.test(word.shown)) finds.run(word, folders)
}

/** True when the program with these words runs commands from a file of the workspace. */
const runsWorkspace = (program: string, args: readonly ShellWord[]): boolean => {
  if (!runners.has(program)) return false
  const words = runners.get(program)
  const [first] = args
  if (first === undefined) return words === undefined
  const asked = args.find(({ shown }) => !shown.startsWith('-'))?.shown ?? ''
  return !asksOnly.test(first.shown) && (words?.test(asked) ?? true)
}

/** Programs that load code from a file that an option names. */
const loader = /^(?:[gmn]?awk|sed|jq|node|nodejs|bun|deno|ruby|perl|php|lua|(?:ba|da|z|k)?sh)$/
const loadFlag = /^(?:-[fLrIM]|--(?:from-file|file|rcfile|init-file|require|import|loader))(?:=|$)/
/** Programs that start another one, in ways that are not read. */
const starter =
  /^(?:trap|coproc|setsid|stdbuf|flock|parallel|ionice|chrt|taskset|unshare|nsenter|busybox|script|watch|strace|su|doas|systemd-run)$/
const isBeside = ({ values }: ShellWord): boolean => values.some((value) => value.includes(marks.beside))
/** True for a path by the script's own path behind such an option. */
const isLoaded = (word: ShellWord, index: number, args: readonly ShellWord[]): boolean =>
  isBeside(word) &&
  [args[index]?.shown, args[index - 1]?.shown].some((shown) => shown !== undefined && loadFlag.test(shown))

/** Records the code that one command runs. */
export const runBy = (command: ShellCommand, finds: Finds, again: Again, depth = 0): void => {
  const { words, folders } = command
  const [verb, ...args] = words
  if (verb === undefined || depth > maxWrapped) return
  const [name = '', ...others] = verb.values
  // One of several possible values is not started where another one is.
  if (others.length === 0 && isProgramName(name)) finds.starts(name)
  const inner = startedBy(words)
  if (inner !== undefined) return runBy({ words: inner, folders }, finds, again, depth + 1)
  if (verb.shown === '.' || verb.shown === 'source') {
    const [file] = args
    if (file?.values.some((value) => /^[^/]*$|[\uE011\uE012*?[]/.test(value)) === true) finds.hasStrangers()
    if (file !== undefined) finds.part(file, folders)
    return
  }
  if (verb.shown === 'eval') {
    const text = args.map(({ values }) => values[0] ?? '').join(' ')
    // Words with several values, as those of a list, make a text that only a run knows.
    const isOne = args.every(({ values }) => values.length === 1)
    return isOne && !isOpen(text) ? again(text, folders) : finds.unknown()
  }
  for (const value of verb.values) {
    const program = path.basename(value)
    if (value === marks.beside || (loader.test(program) && args.some(isLoaded))) finds.unknown()
    if (starter.test(program) && args.some(isBeside)) finds.unknown()
    const isByName = !value.includes('/') || systemProgram.test(value) || value.startsWith(marks.own)
    if (!isByName) finds.run({ values: [value], shown: verb.shown }, folders, true)
    else if (runsWorkspace(program, args)) finds.open(shownOf(words))
    else if (runsScripts(program))
      givenTo([{ values: [value], shown: verb.shown }, ...args], command, finds, again)
    // The program is probably an interpreter in a variable.
    else if (value === marks.open && args[0]?.values.every((name) => codeFile.test(name)) === true) {
      finds.run(args[0], folders)
    }
  }
}

const maxTexts = 200
const maxMoreUnits = 256 * 1024

/** Records the code that shell text runs, also in the texts that it gives to more shells. */
export const shellCode = (text: string, scriptFolders: ScriptFolders, finds: Finds): void => {
  const queue = [{ text, folders: [marks.here] as readonly string[] }]
  let units = 0
  for (const one of queue) {
    const reading = shellCommands(one.text, scriptFolders, one.folders)
    if (reading === undefined) {
      finds.unknown()
      finds.open('more text for a shell than hookgate reads')
    }
    if (reading !== undefined) finds.shell(reading)
    for (const command of reading?.commands ?? []) {
      runBy(command, finds, (more, folders) => {
        units += more.length
        // Each further text is a part of a text that was read, so it is shorter.
        const isPart = more.length < one.text.length
        if (isPart && queue.length < maxTexts && units < maxMoreUnits) queue.push({ text: more, folders })
      })
    }
  }
}
