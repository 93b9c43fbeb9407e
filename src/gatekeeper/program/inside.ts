import path from 'node:path'
import { noCode, type ScriptCode } from './code/code-finds.ts'
import { gitRemarks } from './shell/git-writes.ts'
import { withoutHeredocs } from './shell/heredocs.ts'
import { handsOverTo, readText, type ProgramText } from './needs.ts'
import { maxHeadBytes } from './runnable.ts'
import { codeIn } from './code/script-code.ts'
import { isShellName } from './script.ts'
import type { Source } from '../seal/source-file.ts'

/** What of a file's bytes decides how it runs. */
export interface Inside {
  /** Its first bytes. */
  readonly head: Buffer
  /** Names that it looks for where it lies itself: a copy in a seal finds there only what is sealed with it. */
  readonly beside: readonly string[]
  /** Folders that it looks for there, out of which it takes what only it knows. */
  readonly besideFolders: readonly string[]
  /** It looks from there for what lies above its own folder. */
  readonly isClimbing: boolean
  /** Code that it takes from elsewhere. */
  readonly code: ScriptCode
  /** What its text needs of the world around it; absent where it is no text that can be read. */
  readonly text?: ProgramText
  /** The program in whose place a shell script puts itself at once. */
  readonly successor?: string
  /** What of it will not work here, in words: an import of the host that it was written for, a git that writes. */
  readonly strange?: readonly string[]
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

/** A script that asks where it stands looks for something there. */
const asksWhere = /\$\{?0|BASH_SOURCE|__file__|__dirname|import\.meta/
const besidePath = /[/"'`]((?:\.{1,2}\/){0,3}(?:[\w-]{1,60}\/){0,3}[\w-]{1,100}\.\w{1,8})(?![\w./])/g
/** What a program writes there is no part of it. */
const isWritten = /\.(?:log|pid|tmp|lock|out)$/
const besideNames = (text: string): readonly string[] =>
  [...firstOf(text, besidePath)].filter((name) => !isWritten.test(name))
const besideFolder = /[/"'`]([\w-]{2,60})(?:["'`]|\/["'`]?\$)/g
/** `..`, or a folder of a folder. */
const climbs =
  /\.\.(?:["'`/)\s]|$)|\.parent\.parent|\.parents\[|dirname\(?[\s"$(]{0,4}(?:os\.path\.|path\.)?dirname/m

/** Starchild's own module, through which its hooks ask a model. */
const asksStarchild = /^[ \t]*(?:from|import)[ \t]+core\.http_client\b/m
const starchildWords =
  'It imports "core.http_client", which only Starchild has, and fails at each event. ' +
  'A hook of "type: llm" asks a model here.'

const isNodeName = (kind: string): boolean => /^(?:node|nodejs|bun|tsx|[mc]?[jt]s)$/.test(kind)

/** Reads what a file's text says of other files, in linear time and of its first 256 KiB. */
export const lookInside = ({ content }: Pick<Source, 'content'>, file: string, workspace: string): Inside => {
  const head = Buffer.from(content.subarray(0, maxHeadBytes))
  if (head.includes(0)) return { head, beside: [], besideFolders: [], isClimbing: false, code: noCode }
  const text = content.subarray(0, maxTextBytes).toString('utf8')
  // What the first line says counts before what the name says.
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
  const commands = isShell ? withoutHeredocs(text) : text
  const starchild = isPython && asksStarchild.test(text) ? [starchildWords] : []
  const strange = [...starchild, ...gitRemarks(commands, isShell)]
  const isAsking = asksWhere.test(text)
  const codeLanguage = isShell ? 'shell' : isPython ? 'python' : kinds.some(isNodeName) ? 'node' : 'other'
  const language = codeLanguage === 'other' ? undefined : codeLanguage
  const successor = isShell ? handsOverTo(text) : undefined
  return {
    head,
    beside: [...new Set([...imports, ...(isAsking ? besideNames(text) : [])])].slice(0, maxNames),
    besideFolders: isAsking ? [...new Set(firstOf(text, besideFolder))].slice(0, maxNames) : [],
    isClimbing: isAsking && climbs.test(commands),
    code: codeIn(text, codeLanguage, { project: workspace, origin: path.dirname(file) }, imports),
    ...(language === undefined ? {} : { text: readText(commands, language) }),
    ...(successor === undefined ? {} : { successor }),
    ...(strange.length === 0 ? {} : { strange }),
  }
}
