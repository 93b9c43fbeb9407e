import path from 'node:path'
import { starchildModule } from './lacks.ts'
import { noCode, type ScriptCode } from './code/code-finds.ts'
import { maxHeadBytes } from './runnable.ts'
import { codeIn } from './code/script-code.ts'
import { isShellName } from './script.ts'
import { shellFault, withoutDocuments } from '../../shared/base/shell-text.ts'
import type { Source } from '../../core/model/approval/source-file.ts'

/** The facts in a file's bytes that decide how it runs. */
export interface Inside {
  /** Its first bytes. */
  readonly head: Buffer
  /**
   * Names that it looks for in its own folder. A sealed copy finds there only the files that are sealed with
   * it.
   */
  readonly beside: readonly string[]
  /** Folders that it looks for there, and from which it uses files that only it knows. */
  readonly besideFolders: readonly string[]
  /** True when it looks for files above its own folder. */
  readonly isClimbing: boolean
  /**
   * What it may use by its own path: nothing, because it does not ask for it; data, and code whose names are
   * known; or also other code.
   */
  readonly above: 'nothing' | 'data' | 'code'
  /** The code that it uses from other files. */
  readonly code: ScriptCode
  /** What its shell cannot read in it. */
  readonly fault?: string
  /** The program that a shell script executes in its own place with its first command. */
  readonly successor?: string
  /** True when it imports the module through which hooks of Starchild ask a model. */
  readonly asksStarchild?: true
}

const maxTextBytes = 256 * 1024
const maxNames = 50

const firstOf = function* (text: string, pattern: RegExp): Generator<string> {
  for (const [, name = ''] of text.matchAll(pattern)) yield name
}

const pythonNames = function* (text: string): Generator<string> {
  for (const names of firstOf(text, /^[ \t]*(?:from|import)[ \t]+([.\w][.\w, \t]{0,300})/gm)) {
    for (const name of names.split(',')) {
      const parts = (name.trim().replace(/^\.+/, '').split(/\s/, 1)[0] ?? '').split('.').slice(0, 6)
      for (let count = 1; count <= parts.length; count++) {
        const stem = parts.slice(0, count).join('/')
        if (stem !== '') yield* [`${stem}.py`, `${stem}/__init__.py`]
      }
    }
  }
}

const scriptNames = function* (text: string): Generator<string> {
  for (const name of firstOf(
    text,
    /(?:\brequire\(|\bfrom|\bimport\(?)\s{0,9}['"](\.{1,2}\/[^'"\n]{1,200})['"]/g,
  )) {
    yield* ['', '.js', '.mjs', '.cjs', '.ts', '.json', '/index.js'].map((end) => name + end)
  }
}

/** Expressions with which a script asks for its own path, to look for files there. */
const asksWhere = /\$\{?0|BASH_SOURCE|__file__|__dirname|import\.meta/
const besidePath = /[/"'`]((?:\.{1,2}\/){0,3}(?:[\w-]{1,60}\/){0,3}[\w-]{1,100}\.\w{1,8})(?![\w./])/g
/** Files that a program writes are not part of it. */
const isWritten = /\.(?:log|pid|tmp|lock|out)$/
const besideNames = (text: string): readonly string[] =>
  [...firstOf(text, besidePath)].filter((name) => !isWritten.test(name))

const besideFolder = /[/"'`]([\w-]{2,60})(?:["'`]|\/["'`]?\$)/g
/** Matches `..`, or the parent of a parent folder. */
const climbs =
  /\.\.(?:["'`/)\s]|$)|\.parent\.parent|\.parents\[|dirname\(?[\s"$(]{0,4}(?:os\.path\.|path\.)?dirname/m

/** Files without code. */
const isData = /\.(?:json|ya?ml|toml|txt|md|csv|ini|conf|jq|awk)$/
/** A change of the places where a language or a shell looks for code. */
const searchPath =
  /\b(?:sys\.path|addsitedir|PYTHONPATH|NODE_PATH|NODE_OPTIONS|BASH_ENV|PERL5LIB|RUBYLIB)\b|(?<![\w$.{])PATH\+?=/

/** A text of another language in a shell's text that loads code from a path of that shell. */
const loadsVariable =
  /\b(?:require|import|exec|eval|compile|run_path|execfile|spec_from_file_location)\([^\n)]{0,80}\$\{?\w/

/** Such a change that names only the script's own folder, or only folders of the system and of the home. */
const ownSearchPath =
  /sys\.path\.(?:insert|append)\([^\n]{0,200}__file__|PATH=["']?(?:(?:~|\$\{?HOME\}?)?\/[\w./-]{0,100}:){1,9}\$\{?PATH\}?["']?(?:\s|;|$)/

const loadsUnseen = (text: string, isShell: boolean): boolean =>
  (isShell && loadsVariable.test(text)) ||
  text.split('\n').some((line) => searchPath.test(line) && (!ownSearchPath.test(line) || climbs.test(line)))

/**
 * The program that a shell script executes in its own place with its first command. The script cannot work
 * without it.
 */
const handsOverTo = (text: string): string | undefined => {
  const first = text.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#'))
  return /^exec[ \t]+([\w.+-]+)(?=[ \t]|$)/.exec(first ?? '')?.[1]
}

const isNodeName = (kind: string): boolean => /^(?:node|nodejs|bun|tsx|[mc]?[jt]s)$/.test(kind)

/** Finds the references to other files in a file's text. Takes linear time and reads the first 256 KiB. */
export const lookInside = ({ content }: Pick<Source, 'content'>, file: string, workspace: string): Inside => {
  const head = Buffer.from(content.subarray(0, maxHeadBytes))
  if (head.includes(0))
    return { head, beside: [], besideFolders: [], isClimbing: false, above: 'code', code: noCode }
  const text = content.subarray(0, maxTextBytes).toString('utf8')
  // The first line decides before the file's extension.
  const kinds = text.startsWith('#!')
    ? (text.slice(2).split('\n', 1)[0] ?? '')
        .trim()
        .split(/[ \t]+/)
        .map((word) => path.basename(word))
    : [path.extname(file).slice(1)]
  const isPython = kinds.some((kind) => kind === 'py' || kind.startsWith('python'))
  const isShell = kinds.some(isShellName)
  const imports = [...new Set(isPython ? pythonNames(text) : isShell ? [] : scriptNames(text))].slice(
    0,
    maxNames,
  )
  const isAsking = asksWhere.test(text)
  const codeLanguage = isShell ? 'shell' : isPython ? 'python' : kinds.some(isNodeName) ? 'node' : 'other'
  const code = codeIn(text, codeLanguage, { project: workspace, origin: path.dirname(file) }, imports)
  const isStrangeCode = codeLanguage === 'other' && (text.startsWith('#!') || !isData.test(file))
  const isOpen =
    isStrangeCode || code.isUnknown || loadsUnseen(text, isShell) || content.length > maxTextBytes
  const successor = isShell ? handsOverTo(text) : undefined
  const fault = isShell ? shellFault(text, kinds.find(isShellName) ?? '') : undefined
  return {
    head,
    beside: [...new Set([...imports, ...(isAsking ? besideNames(text) : [])])].slice(0, maxNames),
    besideFolders: isAsking ? [...new Set(firstOf(text, besideFolder))].slice(0, maxNames) : [],
    isClimbing: isAsking && climbs.test(isShell ? withoutDocuments(text) : text),
    above: isOpen ? 'code' : isAsking ? 'data' : 'nothing',
    code,
    successor,
    fault,
    ...(starchildModule.test(text) ? { asksStarchild: true } : {}),
  }
}
