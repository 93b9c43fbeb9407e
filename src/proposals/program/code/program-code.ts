import { isOpen, type CodeLanguage, type Finds } from './code-finds.ts'
import { joined, marks } from '../shell/shell-values.ts'
import type { ScriptFolders } from '../shell/shell-variables.ts'
import type { ShellWord } from '../shell/shell-commands.ts'
import { runBy, shellCode } from '../shell/shell-code.ts'

/** System folders, in which no agent writes. */
const systemFolder = /^\/(?:usr|opt|lib|app)\//

/** A string literal of Python or JavaScript. */
const literal =
  String.raw`(?:[rbfuRBFU]{0,2}"(?:[^"\\\n]|\\.){0,300}"|` +
  String.raw`[rbfuRBFU]{0,2}'(?:[^'\\\n]|\\.){0,300}'|` +
  '`(?:[^`\\\\]|\\\\.){0,300}`)'
const wholeLiteral = new RegExp(`^${literal}$`)
const literals = new RegExp(literal, 'g')
const firstLiteral = new RegExp(`^${literal}`)

/** The value of a literal. Interpolated parts become the `open` mark. */
const literalValue = (source: string): string => {
  const [, prefix = '', quote = '', inner = ''] = /^([A-Za-z]*)(["'`])([\s\S]*)["'`]$/.exec(source) ?? []
  const isFilled = quote === '`' || /f/i.test(prefix)
  return isFilled ? inner.replaceAll(/\$?\{[^{}]{0,200}\}/g, marks.open) : inner
}

const besideExpression = /__file__|__dirname|__filename|import\.meta/
const ownExpression =
  /tempfile|mkstemp|mkdtemp|tmpdir\(|homedir\(|expanduser|\.home\(\)|shutil\.which|gettempdir/
const hereExpression = /getcwd\(|\.cwd\(\)|[A-Z]+_PROJECT_DIR/

/** A call that returns a path, or the content of a file at a path. */
const takesName = new RegExp(
  String.raw`^(?:str\(|fs\.)?(?:(?:os\.)?path\.(?:join|resolve|abspath|realpath)|(?:pathlib\.)?Path|` +
    String.raw`open|io\.open|readFileSync|pathToFileURL)\(\s{0,20}([\s\S]*)$`,
)
/** The text around names in such a call that is not part of a name. */
const aroundNames = /[\s,/()\].=;]|\b(?:encoding|Path|str|read|read_text|resolve|toString|href)\b/g
/** An assignment of a variable. */
const setting =
  /^[ \t]*(?:const |let |var )?([A-Za-z_]\w{0,60})(?:: ?\w{1,30})? {0,4}= {0,4}([^=\n][^\n]{0,300})$/gm

/** Resolves expressions of a program's text to their possible values. */
const createValues = (text: string) => {
  const assigned = new Map<string, string[]>()
  for (const [, name = '', source = ''] of text.matchAll(setting)) {
    const known = assigned.get(name) ?? []
    if (known.length < 4) known.push(source)
    assigned.set(name, known)
  }
  const valueOf = (expression: string, depth = 0): readonly string[] => {
    const source = expression.trim().replace(/;$/, '')
    if (besideExpression.test(source)) return [marks.beside]
    if (ownExpression.test(source)) return [marks.own]
    if (wholeLiteral.test(source)) return [literalValue(source)]
    const found = [...source.matchAll(literals)].map(([one]) => literalValue(one))
    if (hereExpression.test(source)) {
      // The name of an environment variable is not part of the path.
      return [[marks.here, ...found.filter((one) => !/^[A-Z_]*$/.test(one) && one !== '.')].join('/')]
    }
    const [, inner = ''] = takesName.exec(source) ?? []
    const from = inner === '' ? source : inner
    if (firstLiteral.test(from)) {
      const rest = from.replaceAll(literals, '').replaceAll(aroundNames, '')
      const names = [...from.matchAll(literals)]
        .map(([one]) => literalValue(one))
        .filter((one) => !/^(?:r|rb|rt|utf-?8|exec)$/i.test(one))
      return [rest === '' ? names.join('/') : `${names[0] ?? ''}${marks.open}`]
    }
    const [name = ''] = /^[A-Za-z_]\w*/.exec(from.replace(/^(?:str|os\.fspath)\(/, '')) ?? []
    if (depth >= 3 || !assigned.has(name)) return [marks.open]
    return (assigned.get(name) ?? []).slice(0, 4).flatMap((one) => {
      const values = valueOf(one, depth + 1)
      const more = found.length === 0 ? '' : `/${found.join('/')}`
      return values.map((value) =>
        value.startsWith(marks.beside) || value.startsWith(marks.own) ? value : value + more,
      )
    })
  }
  return {
    valueOf: (expression: string): readonly string[] => valueOf(expression),
    sourceOf: (name: string): readonly string[] => assigned.get(name) ?? [],
  }
}

const here = [marks.here]
const maxArguments = 8

/** The arguments of a call or the items of a list. `rest` begins after the opening bracket. */
const argumentsIn = (rest: string): readonly string[] => {
  const found: string[] = []
  let [depth, from, quote] = [0, 0, '']
  for (let at = 0; at < rest.length && found.length < maxArguments; at++) {
    const char = rest.charAt(at)
    if (quote !== '') {
      if (char === '\\') at++
      else if (char === quote) quote = ''
    } else if ('"\'`'.includes(char)) quote = char
    else if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char) && depth-- === 0) return [...found, rest.slice(from, at).trim()]
    else if (char === ',' && depth === 0) {
      found.push(rest.slice(from, at).trim())
      from = at + 1
    }
  }
  return [...found, rest.slice(from).split('\n', 1)[0]?.trim() ?? '']
}

const maxCallUnits = 600
const maxCalls = 400

/** The arguments of each call that `pattern` finds. `pattern` ends after the opening bracket. */
const callsOf = function* (text: string, pattern: RegExp): Generator<readonly string[]> {
  let count = 0
  for (const { 0: found, index } of text.matchAll(pattern)) {
    if (++count > maxCalls) return
    const begin = index + found.length
    yield argumentsIn(text.slice(begin, begin + maxCallUnits))
  }
}

/** Calls that start a program with a list of words, or with text for a shell. */
const starts = {
  python: new RegExp(
    String.raw`\b(?:subprocess\.\w{1,20}|Popen|create_subprocess_(?:exec|shell)|run|call|check_call|check_output|` +
      String.raw`getoutput|getstatusoutput|os\.(?:system|popen|exec\w{1,4}|spawn\w{1,4}|posix_spawnp?))\(\s{0,20}`,
    'g',
  ),
  node: /(?:(?<![.\w])exec|(?:child_process|cp)\.exec|\bexecSync|\bexecFile|\bexecFileSync|\bspawn|\bspawnSync)\(\s{0,20}/g,
  other: /\b(?:system|exec|popen|spawn|shell_exec|passthru)\(\s{0,20}/g,
} as const
/** Calls that run the content of a file as code of the program. */
const loads = {
  python: [
    /\b(?:exec|eval)\(\s{0,20}(?:compile\(\s{0,20})?(?=(?:io\.)?open\(|(?:pathlib\.)?Path\()/g,
    /\brun_path\(\s{0,20}/g,
    /\b(?:spec_from_file_location|SourceFileLoader|load_source)\(\s{0,20}[^,\n]{1,80},\s{0,20}/g,
  ],
  node: [
    /\b(?:eval|runInThisContext|runInNewContext|runInContext|Function)\(\s{0,20}(?=(?:fs\.)?readFileSync\()/g,
  ],
  other: [],
} as const

/** Modules above the script's own folder. */
const importedAbove = /(?:\brequire\(|\bfrom|\bimport\(?)\s{0,9}['"](\.\.\/[^'"\n]{1,200})['"]/g

/**
 * Finds the code that a program in another language starts or loads from other files. `imports` are the files
 * of its modules. They are absent for a program in a here-document, whose arguments only the shell knows.
 */
export const programCode = (
  text: string,
  language: Exclude<CodeLanguage, 'shell'>,
  scriptFolders: ScriptFolders,
  imports: readonly string[] | undefined,
  finds: Finds,
): void => {
  const { valueOf, sourceOf } = createValues(text)
  const again = (more: string): void => shellCode(more.replaceAll(/\\n/g, '\n'), scriptFolders, finds)
  const wordOf = (source: string): ShellWord => ({ values: valueOf(source), shown: source })
  const argument = (source: string, shown: string): ShellWord =>
    wholeLiteral.test(source)
      ? { values: [literalValue(source)], shown: literalValue(source) }
      : { values: valueOf(source), shown }
  const isItself = /^(?:sys\.executable|process\.execPath)$/
  const readStart = ([head = '', ...rest]: readonly string[]): void => {
    const itself = language === 'python' ? 'python3' : 'node'
    const verb = isItself.test(head) ? { values: [itself], shown: itself } : argument(head, head)
    const words = rest.map((source) => argument(source, `${verb.shown} ${source}`))
    runBy({ words: [verb, ...words], folders: here }, finds, again)
  }
  const readCall = (args: readonly string[], depth = 0): void => {
    const [first = '', second = ''] = args
    const [head = ''] = first.startsWith('[') ? argumentsIn(first.slice(1)) : [first]
    // It starts a file by its own path, or by a path that it puts together.
    if (valueOf(head).some((value) => value === marks.beside || (isOpen(value) && value !== marks.open)))
      finds.unknown()
    if (first.startsWith('[')) readStart(argumentsIn(first.slice(1)))
    else if (second.startsWith('[')) readStart([first, ...argumentsIn(second.slice(1))])
    else if (wholeLiteral.test(first) || isItself.test(first)) {
      again(literalValue(first))
      if (wholeLiteral.test(second)) readStart(args)
    } else if (depth === 0) for (const source of sourceOf(first)) readCall([source, ...args.slice(1)], 1)
  }
  for (const args of callsOf(text, starts[language])) readCall(args)
  for (const pattern of loads[language])
    for (const [source = ''] of callsOf(text, pattern)) finds.part(wordOf(source), here)
  if (language === 'python') {
    for (const [name = ''] of callsOf(
      text,
      /\b(?:exec|eval)\(\s{0,20}(?:compile\(\s{0,20})?(?=[A-Za-z_]\w{0,60}\s{0,9}[,)])/g,
    )) {
      for (const source of sourceOf(name))
        if (/^(?:(?:io\.)?open|(?:pathlib\.)?Path)\(/.test(source)) finds.part(wordOf(source), here)
    }
    for (const [folder = ''] of callsOf(
      text,
      /\bsys\.path\.(?:insert\(\s{0,9}\d{1,3}\s{0,9},|append\()\s{0,9}/g,
    )) {
      for (const value of valueOf(folder)) {
        if (value.startsWith(marks.beside) || value.startsWith(marks.own) || systemFolder.test(value))
          continue
        if (imports === undefined && isOpen(value)) continue
        finds.open(`imports from ${isOpen(value) ? folder : joined('.', value.replace(marks.here, '.'))}`)
        if (!isOpen(value))
          for (const name of imports ?? []) finds.imported(joined(joined(marks.here, value), name))
      }
    }
  }
  if (language !== 'node') return
  for (const [, name = ''] of text.matchAll(importedAbove))
    finds.part({ values: [`${marks.beside}/${name}`], shown: name }, here)
  for (const [source = ''] of callsOf(text, /\b(?:fork|new Worker)\(\s{0,20}/g))
    finds.run(wordOf(source), here)
  for (const [source = ''] of callsOf(text, /(?<![.\w])(?:require|import)\(\s{0,20}(?=[^\s"')])/g)) {
    // In a bundled program a name of one or two characters refers to one of its own parts.
    if (!/^\w{0,2}$/.test(source)) finds.part(wordOf(source), here)
  }
}
