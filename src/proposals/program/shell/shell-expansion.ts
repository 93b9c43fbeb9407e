import type { ShellState } from './shell-state.ts'
import { bounded, folderOf, marks } from './shell-values.ts'
import type { ShellWord } from './shell-word.ts'

const maxExpansionUnits = 300
const maxSubstitutionUnits = 400

/** The index after a `${…}` whose inner text begins at `from`. It is past the end when nothing closes it. */
export const behindBrace = (text: string, from: number): number => {
  let at = from
  for (let open = 1; at < text.length && open > 0; at++) {
    const char = text.charAt(at)
    if (char === '\\') at++
    else if (char === '{') open++
    else if (char === '}') open--
  }
  return at
}

/** The possible values of `${…}`. `from` and `to` bound its inner text. `readWord` reads a word in it. */
export const expanded = (
  text: string,
  from: number,
  to: number,
  { variables, folders }: ShellState,
  readWord: (word: string) => readonly string[],
): readonly string[] => {
  const inner = text.slice(from, Math.min(to, from + maxExpansionUnits))
  const [, name = '', rest = ''] = /^[!#]?(\w+)(?:\[[^\]]{0,20}\])?([\s\S]*)$/.exec(inner) ?? []
  const values = variables.valuesOf(name, folders)
  // A variable that every hook has, or that the hook was given, does not need its default.
  const isGiven = values !== undefined && !variables.isAssigned(name)
  if (/^:?[-=]/.test(rest) && !isGiven)
    return bounded([...(values ?? []), ...readWord(rest.replace(/^:?[-=]/, ''))])
  if (values === undefined) return [marks.open]
  if (rest === '' || /^:?[?=-]/.test(rest)) return values
  if (rest.startsWith('%/')) return values.map(folderOf)
  return values.map((value) => (value.startsWith(marks.beside) ? marks.beside : marks.open))
}

/** The possible outputs of a command that prints one of its own words. */
const printedBy = (words: readonly ShellWord[]): readonly string[] | undefined => {
  const [verb, ...names] = words.filter(({ shown }) => !shown.startsWith('-'))
  const values = names.at(-1)?.values
  if (verb?.shown === 'dirname') return values?.map(folderOf)
  return /^(?:realpath|readlink|echo)$/.test(verb?.shown ?? '') ? values : undefined
}

const asksTop = /git\s[^|;]{0,60}rev-parse\s+--show-toplevel/
const asksFolder = /\bpwd(?:\s+-[LP])?(?:\s*\|\|[^|;&]{0,60})?\s*$/
const asksItself = /\$\{?0\b|BASH_SOURCE/
const asksPath = /^\s*(?:mktemp|which|type\s+-[pP]|command\s+-[vV])\b/

/**
 * The possible outputs of a substitution. `from` and `to` bound its text, `commands` are the commands in it,
 * and `moved` are the folders at its end.
 */
export const printed = (
  text: string,
  from: number,
  to: number,
  commands: readonly { readonly words: readonly ShellWord[] }[],
  { folders, moved }: { readonly folders: readonly string[]; readonly moved: readonly string[] },
): readonly string[] => {
  const inner = text.slice(from, Math.min(to, from + maxSubstitutionUnits))
  if (asksTop.test(inner)) return [marks.top]
  if (asksFolder.test(inner)) {
    const others = moved.filter((folder) => !folders.includes(folder))
    return others.length > 0 ? others : moved
  }
  if (asksItself.test(inner)) return [marks.beside]
  if (asksPath.test(inner)) return [marks.own]
  const [only] = commands
  return (commands.length === 1 && only !== undefined ? printedBy(only.words) : undefined) ?? [marks.open]
}
