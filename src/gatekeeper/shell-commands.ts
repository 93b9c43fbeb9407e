import path from 'node:path'

/** What stands in a word for what no name says. None is a character of a person's file names. */
export const marks = {
  /** Where the script lies itself. */
  beside: '\uE010',
  /** The hooks' own places: their home, their temporary files. */
  own: '\uE011',
  /** What only a run knows. */
  open: '\uE012',
  /** The top folder of the repository. */
  top: '\uE013',
  /** The working folder. */
  here: '\uE014',
} as const

/** One word of a command: what it may stand for, and how it is written. */
export interface ShellWord {
  readonly values: readonly string[]
  readonly shown: string
}

export interface ShellCommand {
  readonly words: readonly ShellWord[]
  /** The folders that it may run in, the likeliest first. */
  readonly folders: readonly string[]
  /** What it reads as its input. */
  readonly input?: ShellWord
}

/** The folders that a script finds in variables. */
export interface ScriptFolders {
  readonly project: string
  readonly origin: string
}

const maxValues = 8
const maxValueUnits = 300
/** So many substitutions are followed in one text; behind them all is open. */
const maxPuts = 3000
const maxDepth = 12
const maxCommands = 4000
const maxFolders = 4
const maxShownUnits = 80

const isRooted = (name: string): boolean => /^[/\uE010-\uE014]/.test(name)
/** A name as it would be found from a folder; what is open stays open. */
export const joined = (folder: string, name: string): string =>
  isRooted(name) ? name : name === '' || name === '.' ? folder : `${folder}/${name}`

const bounded = (values: readonly string[]): readonly string[] => {
  const some = [...new Set(values)].map((value) => (value.length > maxValueUnits ? marks.open : value))
  return some.length > maxValues ? [...some.slice(0, maxValues - 1), marks.open] : some
}

/** Folders that are the hooks' own. */
const ownFolder = /^(?:HOME|TMPDIR|TMP|TEMP|XDG_(?:CACHE|CONFIG|DATA|STATE)_HOME|XDG_RUNTIME_DIR)$/

const folderOf = (value: string): string =>
  value.startsWith(marks.beside)
    ? marks.beside
    : value.length === 1 && isRooted(value)
      ? value
      : path.dirname(value)

/** Words behind which a command's own word still comes. */
const leaders = new Set(
  'then do else elif if while until ! { exec command builtin sudo env time nohup nice timeout'.split(' '),
)
const assigners = new Set(['export', 'local', 'readonly', 'declare', 'typeset'])
const assignment = /^([A-Za-z_]\w*)\+?=/

/** What a command prints, where that is a name that stands in it. */
const printedBy = ({ words }: ShellCommand): readonly string[] | undefined => {
  const [verb, ...names] = words.filter(({ shown }) => !shown.startsWith('-'))
  const values = names.at(-1)?.values
  if (verb?.shown === 'dirname') return values?.map(folderOf)
  return /^(?:realpath|readlink|echo)$/.test(verb?.shown ?? '') ? values : undefined
}

const asksPath = /^\s*(?:mktemp|which|type\s+-[pP]|command\s+-[vV])\b/

interface ShellReading {
  readonly variables: Map<string, readonly string[]>
  readonly folders: readonly string[]
  readonly level: number
}

const readCommands = (
  text: string,
  places: ScriptFolders,
  reading: ShellReading,
): readonly ShellCommand[] => {
  const { project, origin } = places
  const { variables } = reading
  const commands: ShellCommand[] = []
  let at = 0
  let { folders, level } = reading
  let puts = 0

  const known = (name: string): readonly string[] | undefined => {
    if (name === '0' || name === 'BASH_SOURCE') return [marks.beside]
    if (/^(?:CLAUDE|COPILOT|GEMINI|CURSOR|FACTORY|KIMI)_PROJECT_DIR$/.test(name)) return [project]
    // Where that was too large for a seal, its files are watched, and lie beside the script.
    if (/^(?:(?:CLAUDE|FACTORY|DROID|CURSOR)_)?PLUGIN_ROOT$/.test(name)) return [marks.beside]
    if (name === 'COPILOT_HOOK_DIR' || name === 'HOOKGATE_HOOK_DIR') return [origin]
    if (name === 'PWD') return folders
    return ownFolder.test(name) ? [marks.own] : variables.get(name)
  }
  const assign = (name: string, values: readonly string[]): void => {
    const some = values.filter((value) => value !== '')
    variables.set(name, bounded([...some, ...(variables.get(name) ?? [])]))
  }

  /** `${…}`, from behind its brace; `at` ends behind the closing one. */
  const braced = (): readonly string[] => {
    const begin = at
    for (let open = 1; at < text.length && open > 0; at++) {
      const char = text.charAt(at)
      if (char === '\\') at++
      else if (char === '{') open++
      else if (char === '}') open--
    }
    const inner = text.slice(begin, Math.min(at - 1, begin + 300))
    const [, name = '', rest = ''] = /^[!#]?(\w+)(?:\[[^\]]{0,20}\])?([\s\S]*)$/.exec(inner) ?? []
    const values = known(name)
    // What every hook has, or has been given, needs no other.
    const isGiven = values !== undefined && !variables.has(name)
    if (/^:?[-=]/.test(rest) && !isGiven) {
      const instead = level < maxDepth ? wordIn(rest.replace(/^:?[-=]/, '')) : [marks.open]
      return bounded([...(values ?? []), ...instead])
    }
    if (values === undefined) return [marks.open]
    if (rest === '' || /^:?[?=-]/.test(rest)) return values
    if (rest.startsWith('%/')) return values.map(folderOf)
    return values.map((value) => (value.startsWith(marks.beside) ? marks.beside : marks.open))
  }
  /** What the text of a word may be, by itself. */
  const wordIn = (inner: string): readonly string[] => {
    const [command] = readCommands(`: ${inner}`, places, { variables, folders, level: level + 1 })
    return command?.words[1]?.values ?? ['']
  }
  /** What stands between `from` and here printed, by its commands from `first` on. */
  const printed = (from: number, to: number, first: number, moved: readonly string[]): readonly string[] => {
    const inner = text.slice(from, Math.min(to, from + 400))
    const done = commands.slice(first)
    if (/git\s[^|;]{0,60}rev-parse\s+--show-toplevel/.test(inner)) return [marks.top]
    if (/\bpwd(?:\s+-[LP])?(?:\s*\|\|[^|;&]{0,60})?\s*$/.test(inner)) {
      const others = moved.filter((folder) => !folders.includes(folder))
      return others.length > 0 ? others : moved
    }
    if (/\$\{?0\b|BASH_SOURCE/.test(inner)) return [marks.beside]
    if (asksPath.test(inner)) return [marks.own]
    const [only] = done
    return (done.length === 1 && only !== undefined ? printedBy(only) : undefined) ?? [marks.open]
  }

  const list = (closer: string): void => {
    let words: ShellWord[] = []
    let input: ShellWord | undefined
    let values: readonly string[] = ['']
    let literal = ''
    let begin = -1
    let redirects: 'input' | 'target' | undefined
    /** So many commands stand before this part of a line. What a pattern of `case` looked like is none. */
    let lineFrom = commands.length
    const flush = (): void => {
      if (literal !== '') values = values.map((value) => value + literal)
      literal = ''
    }
    const put = (some: readonly string[]): void => {
      flush()
      values =
        ++puts > maxPuts ? [marks.open] : bounded(values.flatMap((value) => some.map((one) => value + one)))
    }
    const open = (): void => {
      if (begin < 0) begin = at
    }
    const dropWord = (): void => {
      begin = -1
      values = ['']
      literal = ''
    }
    const endWord = (): void => {
      if (begin < 0) return
      flush()
      const atHome = values.map((value) => value.replace(/^~(?=\/|$)/, marks.own))
      const word = { values: bounded(atHome), shown: text.slice(begin, Math.min(at, begin + maxShownUnits)) }
      if (redirects === 'input') input = word
      else if (redirects === undefined) words.push(word)
      redirects = undefined
      values = ['']
      begin = -1
    }
    const setAll = (some: readonly ShellWord[]): void => {
      for (const { values: all } of some) {
        for (const value of all) {
          const [whole, name] = assignment.exec(value) ?? []
          if (whole !== undefined && name !== undefined) assign(name, [value.slice(whole.length)])
        }
      }
    }
    const endCommand = (): void => {
      endWord()
      const [done, fed] = [words, input]
      words = []
      input = undefined
      if (done.length === 0 || commands.length >= maxCommands) return
      const isSetting = (word: ShellWord | undefined): boolean =>
        word !== undefined && assignment.test(word.shown)
      if (done.every(isSetting)) return setAll(done)
      let first = 0
      for (let leader = ''; first < done.length; first++) {
        const { shown } = done[first] ?? { shown: '' }
        if (leaders.has(shown)) leader = shown
        else if (!(isSetting(done[first]) || (leader !== '' && /^-|^\d/.test(shown)))) break
      }
      // It asks where a program is.
      if (
        done.some(({ shown }, index) => shown === 'command' && /^-[vV]$/.test(done[index + 1]?.shown ?? ''))
      )
        return
      const rest = done.slice(first)
      const verb = rest[0]?.shown ?? ''
      if (assigners.has(verb)) return setAll(rest.slice(1).filter(isSetting))
      if ((verb === 'for' || verb === 'select') && rest[2]?.shown === 'in') {
        return assign(
          rest[1]?.shown ?? '',
          rest.slice(3).flatMap((word) => word.values),
        )
      }
      if (verb === 'read' || verb === 'mapfile' || verb === 'readarray') {
        for (const { shown } of rest.slice(1)) if (/^\w+$/.test(shown)) assign(shown, [marks.open])
        return
      }
      if (verb === 'cd' || verb === 'pushd') {
        const to = rest.slice(1).find(({ shown }) => !/^-[LPe@]?$/.test(shown))?.values ?? [marks.own]
        const names = to.map((value) => value.replace(/\/+$/, '') || '/')
        const moved = names.flatMap((name) => folders.slice(0, 2).map((folder) => joined(folder, name)))
        folders = [...new Set([...bounded(moved), ...folders])].slice(0, maxFolders)
        return
      }
      if (rest.length > 0)
        commands.push({ words: rest, folders, ...(fed === undefined ? {} : { input: fed }) })
    }
    /** Commands in a shell of their own: the folder comes back. What they moved to is returned. */
    const nested = (end: string): readonly string[] => {
      const before = folders
      if (++level > maxDepth) at = text.length
      else list(end)
      level--
      const moved = folders
      folders = before
      return moved
    }
    const dollar = (): void => {
      const next = text.charAt(at)
      if (next === '(') {
        const [from, first] = [++at, commands.length]
        const moved = nested(')')
        put(printed(from, at - 1, first, moved))
      } else if (next === '{') {
        at++
        put(braced())
      } else if (/[\w@*#?!$-]/.test(next)) {
        const [name = next] = /^(?:[A-Za-z_]\w{0,99}|.)/.exec(text.slice(at, at + 100)) ?? []
        at += name.length
        put(known(name) ?? [marks.open])
      } else if (next !== "'" && next !== '"') literal += '$'
    }
    const ticked = (): void => {
      const end = text.indexOf('`', at)
      const inner = text.slice(at, end < 0 ? text.length : end)
      at = end < 0 ? text.length : end + 1
      const found =
        level < maxDepth ? readCommands(inner, places, { variables, folders, level: level + 1 }) : []
      const first = commands.length
      commands.push(...found.slice(0, maxCommands - commands.length))
      put(printed(at - inner.length - 1, at - 1, first, folders))
    }
    const quoted = (): void => {
      while (at < text.length) {
        const char = text.charAt(at++)
        if (char === '"') return
        if (char === '\\') literal += text.charAt(at++)
        else if (char === '$') dollar()
        else if (char === '`') ticked()
        else literal += char
      }
    }

    while (at < text.length) {
      const char = text.charAt(at)
      if (char === '#' && begin < 0) {
        const line = text.indexOf('\n', at)
        at = line < 0 ? text.length : line
      } else if (char === ' ' || char === '\t' || char === '\r') {
        endWord()
        at++
      } else if ('\n;|&'.includes(char)) {
        endCommand()
        at++
        if (char !== '|') lineFrom = commands.length
      } else if (char === ')') {
        if (closer === ')') {
          endCommand()
          at++
          return
        }
        // The end of a pattern.
        words = []
        dropWord()
        commands.splice(lineFrom)
        at++
      } else if (char === '(') {
        const isList = begin >= 0 && assignment.test(text.slice(begin, at)) && text.charAt(at - 1) === '='
        if (isList) {
          // A list: each of its words may be meant.
          const name = assignment.exec(text.slice(begin, at))?.[1] ?? ''
          dropWord()
          const [first] = [commands.length]
          at++
          nested(')')
          for (const { words: items } of commands.splice(first))
            assign(
              name,
              items.flatMap((item) => item.values),
            )
        } else if (begin >= 0 && /^\(\s{0,9}\)/.test(text.slice(at, at + 12))) {
          // A function gets its name.
          words = []
          dropWord()
          at = text.indexOf(')', at) + 1
        } else {
          endCommand()
          at++
          nested(')')
        }
      } else if (char === '<' || char === '>') {
        if (begin >= 0 && /^\d$/.test(text.slice(begin, at))) {
          dropWord()
        } else endWord()
        at++
        if (text.charAt(at) === '(') {
          open()
          at++
          nested(')')
          put([marks.own])
        } else {
          const isPlain = char === '<' && text.charAt(at) !== '<' && text.charAt(at) !== '&'
          while (/[<>|&-]/.test(text.charAt(at)) && at < text.length) at++
          redirects = isPlain ? 'input' : 'target'
        }
      } else {
        open()
        at++
        if (char === '\\') {
          const next = text.charAt(at++)
          if (next !== '\n') literal += next
        } else if (char === "'") {
          const end = text.indexOf("'", at)
          literal += text.slice(at, end < 0 ? text.length : end)
          at = end < 0 ? text.length : end + 1
        } else if (char === '"') quoted()
        else if (char === '$') dollar()
        else if (char === '`') ticked()
        else literal += char
      }
    }
    endCommand()
  }
  list('')
  return commands
}

/**
 * The commands of shell text, as far as they can be known without running it: quotes, variables that it sets itself,
 * the folders that it changes to, and what stands inside substitutions. It takes linear time. What a word may be is a
 * guess on the wide side; `open` stands where there is none.
 */
export const shellCommands = (
  text: string,
  places: ScriptFolders,
  folders: readonly string[] = [marks.here],
): readonly ShellCommand[] => readCommands(text, places, { variables: new Map(), folders, level: 0 })
