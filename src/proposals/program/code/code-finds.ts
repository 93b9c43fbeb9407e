import path from 'node:path'
import { joined, marks } from '../shell/shell-values.ts'
import type { ShellReading, ShellWord } from '../shell/shell-commands.ts'

/** A file that a script names: its possible paths from the working folder, the likeliest first. */
export interface CodeName {
  readonly candidates: readonly string[]
  /**
   * True when the script looks for it nowhere else. A file that appears at such a path later is code of the
   * script.
   */
  readonly isSure: boolean
}

/** The code that a script uses from other files. */
export interface ScriptCode {
  /** Files that become a part of the script, such as sourced files. */
  readonly parts: readonly CodeName[]
  /** Files that it runs. */
  readonly runs: readonly CodeName[]
  /** Names that it uses from its own folder. */
  readonly beside: readonly string[]
  /** True when it uses code that these names do not tell, and that may lie at any path. */
  readonly isUnknown: boolean
  /** Text that runs code of the workspace without a name that can be resolved, as it is written. */
  readonly open: readonly string[]
  /** The same for code in the script's own folder. */
  readonly openBeside: readonly string[]
  /** The programs of the PATH that shell text starts. */
  readonly starts: readonly string[]
  /** The programs of which it asks first whether they are there. */
  readonly asks: readonly string[]
  /** The variables of the environment that shell text reads. */
  readonly reads: readonly string[]
}

export const noCode: ScriptCode = {
  parts: [],
  runs: [],
  beside: [],
  isUnknown: false,
  open: [],
  openBeside: [],
  starts: [],
  asks: [],
  reads: [],
}

export type CodeLanguage = 'shell' | 'python' | 'node' | 'other'

const maxNames = 64
const maxShownChars = 60

export const isOpen = (value: string): boolean => value.includes(marks.open)
const isPattern = (value: string): boolean => /[*?[{]/.test(value)
const isName = (value: string): boolean =>
  /^[\w@%+=:,./ -]+$/.test(value.replace(/^[\uE013\uE014]/, '')) && !value.endsWith('/')

const shownMarks = new Map<string, string>([
  [marks.open, '…'],
  [marks.here, '.'],
  [marks.top, '.'],
])

const oneLine = (shown: string): string => {
  const plain = shown
    .replaceAll(/[\uE010-\uE014]/g, (mark) => shownMarks.get(mark) ?? '')
    .replace(/^\.\//, '')
  const line = plain
    .replaceAll(/["'`\\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > maxShownChars ? `${line.slice(0, maxShownChars - 1)}…` : line
}

/** Collects the found code, each item once. */
export const createFinds = () => {
  const [parts, runs] = [new Map<string, CodeName>(), new Map<string, CodeName>()]
  const [open, openBeside, beside] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const [starts, asks, reads, functions] = [
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
  ]
  let hasUnknown = false
  let hasStrangers = false
  const addCandidates = (
    to: Map<string, CodeName>,
    value: string,
    shown: string,
    candidates: readonly string[],
  ): void => {
    const isVague = isOpen(value) || isPattern(value)
    for (const candidate of candidates.filter((one) => one.startsWith(marks.beside))) {
      if (isVague) openBeside.add(oneLine(shown))
      else beside.add(path.normalize(candidate.slice(1)).replace(/^(?:\.{0,2}\/)+/, ''))
      // Only the script's own folder is known.
      hasUnknown ||= /^[./]*$/.test(candidate.slice(1))
    }
    const outer = candidates.filter(
      (candidate) => !candidate.startsWith(marks.beside) && !candidate.startsWith(marks.own),
    )
    if (outer.length === 0) return
    const isUnknown = outer.some(isOpen)
    hasUnknown ||= isVague || isUnknown
    if (isVague || isUnknown) open.add(oneLine(isUnknown ? shown : value))
    const names = outer.filter(
      (candidate) => !isOpen(candidate) && !isPattern(candidate) && isName(candidate),
    )
    if (isVague || names.length === 0 || to.size >= maxNames) return
    to.set(names.join('\n'), { candidates: names, isSure: outer.length === candidates.length && !isUnknown })
  }
  const add = (
    to: Map<string, CodeName>,
    word: ShellWord,
    folders: readonly string[],
    isVerb: boolean,
  ): void => {
    for (const value of word.values) {
      if (value === '' || value.startsWith(marks.own) || (value === marks.open && isVerb)) continue
      addCandidates(
        to,
        value,
        word.shown,
        folders.map((folder) => joined(folder, value)),
      )
    }
  }
  return {
    part: (word: ShellWord, folders: readonly string[]) => add(parts, word, folders, false),
    run: (word: ShellWord, folders: readonly string[], isVerb = false) => add(runs, word, folders, isVerb),
    imported: (candidate: string) => {
      if (parts.size < maxNames) parts.set(candidate, { candidates: [candidate], isSure: false })
    },
    open: (shown: string) => void open.add(oneLine(shown)),
    /** Records that code of any path may be used. It is not said on the card. */
    unknown: () => {
      hasUnknown = true
    },
    starts: (name: string) => void starts.add(name),
    /** Some of the programs that are started may be functions of a file that is not read. */
    hasStrangers: () => void (hasStrangers = true),
    shell: (reading: Pick<ShellReading, 'functions' | 'asked' | 'unset'>) => {
      for (const name of reading.functions) functions.add(name)
      for (const name of reading.asked) asks.add(name)
      for (const name of reading.unset) reads.add(name)
    },
    all: (): ScriptCode => ({
      starts: hasStrangers
        ? []
        : [...starts].filter((name) => !functions.has(name) && !asks.has(name)).slice(0, maxNames),
      asks: [...asks].slice(0, maxNames),
      reads: [...reads].slice(0, maxNames),
      parts: [...parts.values()],
      runs: [...runs].filter(([key]) => !parts.has(key)).map(([, name]) => name),
      beside: [...beside].filter((name) => name !== '').slice(0, maxNames),
      isUnknown: hasUnknown || openBeside.size > 0 || beside.size > maxNames,
      open: [...open].filter((shown) => shown !== '').slice(0, maxNames),
      openBeside: [...openBeside].filter((shown) => shown !== '').slice(0, maxNames),
    }),
  }
}
export type Finds = ReturnType<typeof createFinds>
