import { bounded, joined, marks } from './shell-values.ts'
import type { ShellVariables } from './shell-variables.ts'
import type { ShellWord } from './shell-word.ts'

/** The state of a shell between two commands. */
export interface ShellState {
  readonly variables: ShellVariables
  /** The possible working folders, the likeliest first. */
  folders: readonly string[]
  /** The functions that the text defines, and the variables that it reads. */
  readonly seen: Record<'function' | 'variable', Set<string>>
}

const maxFolders = 4

/** Words that precede a command's own word. */
const leaders = new Set(
  'then do else elif if while until ! { exec command builtin sudo env time nohup nice timeout'.split(' '),
)
const assignment = /^([A-Za-z_]\w*)\+?=/

/** The name of the variable that a word sets. Undefined when it sets none. */
export const assignedName = (word: string): string | undefined => assignment.exec(word)?.[1]

const isSetting = ({ shown }: ShellWord): boolean => assignment.test(shown)

const setAll = (words: readonly ShellWord[], { variables }: ShellState): void => {
  for (const value of words.flatMap(({ values }) => values)) {
    const [start, name] = assignment.exec(value) ?? []
    if (start !== undefined && name !== undefined) variables.assign(name, [value.slice(start.length)])
  }
}

/** The words of a command without the words that precede it. */
const withoutLeaders = (words: readonly ShellWord[]): readonly ShellWord[] => {
  let hasLeader = false
  const first = words.findIndex((word) => {
    if (leaders.has(word.shown)) {
      hasLeader = true
      return false
    }
    return !isSetting(word) && !(hasLeader && /^-|^\d/.test(word.shown))
  })
  return first < 0 ? [] : words.slice(first)
}

const moveTo = (words: readonly ShellWord[], state: ShellState): void => {
  const to = words.find(({ shown }) => !/^-[LPe@]?$/.test(shown))?.values ?? [marks.own]
  const names = to.map((value) => value.replace(/\/+$/, '') || '/')
  const moved = names.flatMap((name) => state.folders.slice(0, 2).map((folder) => joined(folder, name)))
  state.folders = [...new Set([...bounded(moved), ...state.folders])].slice(0, maxFolders)
}

/**
 * Applies the effect of a command that the shell runs itself to the state. Returns the words of a program
 * that the shell would start, or no words.
 */
export const perform = (words: readonly ShellWord[], state: ShellState): readonly ShellWord[] => {
  if (words.every(isSetting)) {
    setAll(words, state)
    return []
  }
  const asksWhere = words.findIndex(
    ({ shown }, index) => shown === 'command' && /^-[vV]$/.test(words[index + 1]?.shown ?? ''),
  )
  if (asksWhere >= 0) return words.slice(asksWhere)
  const rest = withoutLeaders(words)
  const [verb, ...operands] = rest
  switch (verb?.shown) {
    case 'function':
    case 'alias':
      state.seen.function.add(/^[^=]*/.exec(operands[0]?.shown ?? '')?.[0] ?? '')
      return []
    case 'export':
    case 'local':
    case 'readonly':
    case 'declare':
    case 'typeset':
      setAll(operands.filter(isSetting), state)
      return []
    case 'for':
    case 'select': {
      const [name, word, ...items] = operands
      if (word?.shown !== 'in') return rest
      state.variables.assign(
        name?.shown ?? '',
        items.flatMap(({ values }) => values),
      )
      return []
    }
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
