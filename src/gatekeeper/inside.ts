import path from 'node:path'
import { isName } from './watched.ts'
import { maxHeadBytes } from './runnable.ts'
import { isShellName } from './script.ts'
import type { Source } from './source-file.ts'
import { namesIn } from './text-names.ts'

/** What of a file's bytes decides how it runs. */
export interface Inside {
  /** Its first bytes. */
  readonly head: Buffer
  /** Names that it looks for in its own folder: a copy in a seal finds there only what is sealed with it. */
  readonly beside: readonly string[]
  /** What a shell script runs or reads as code from its working folder: it is used from where it lies. */
  readonly code: readonly string[]
}

const maxTextBytes = 256 * 1024
const maxNames = 50

const firstOf = function* (text: string, pattern: RegExp): Generator<string> {
  for (const [, name = ''] of text.matchAll(pattern)) yield name
}

const pythonNames = function* (text: string): Generator<string> {
  for (const names of firstOf(text, /^[ \t]*(?:from|import)[ \t]+([.\w][.\w, \t]{0,300})/gm)) {
    for (const name of names.split(',')) {
      const stem = name.trim().replace(/^\.+/, '').split(/[.\s]/, 1)[0] ?? ''
      if (stem !== '') yield* [`${stem}.py`, `${stem}/__init__.py`]
    }
  }
}

const scriptNames = function* (text: string): Generator<string> {
  for (const name of firstOf(text, /(?:\brequire\(|\bfrom|\bimport\(?)\s{0,9}['"](\.{1,2}\/[^'"\n]{1,200})['"]/g)) {
    yield* ['', '.js', '.mjs', '.cjs', '.ts', '.json', '/index.js'].map((end) => name + end)
  }
}

/** A script that asks where it stands looks for something there. */
const asksWhere = /\$\{?0|BASH_SOURCE|__file__|__dirname|import\.meta/
const besideNames = (text: string): Iterable<string> => (asksWhere.test(text) ? firstOf(text, /[/"'`]([\w-]{1,100}\.\w{1,8})(?![\w.])/g) : [])

/** Reads what a file's text says of other files, in linear time and of its first 256 KiB. */
export const lookInside = ({ content }: Pick<Source, 'content'>, file: string, workspace: string): Inside => {
  const head = Buffer.from(content.subarray(0, maxHeadBytes))
  if (head.includes(0)) return { head, beside: [], code: [] }
  const text = content.subarray(0, maxTextBytes).toString('utf8')
  const line = text.startsWith('#!') ? (text.split('\n', 1)[0] ?? '') : ''
  const words = line.slice(2).trim().split(/[ \t]+/).map((word) => path.basename(word))
  const ending = path.extname(file)
  const isPython = ending === '.py' || words.some((word) => word.startsWith('python'))
  const isShell = !isPython && (/^\.(?:ba|da|z|k)?sh$/.test(ending) || words.some(isShellName))
  const imports = isPython ? pythonNames(text) : isShell ? [] : scriptNames(text)
  const code = isShell ? [...namesIn(text.replaceAll(/\$(?:HOOKGATE_HOOK_DIR\b|\{HOOKGATE_HOOK_DIR\})/g, path.dirname(file)), workspace, {}).scripts].filter(isName) : []
  return { head, beside: [...new Set([...imports, ...besideNames(text)])].slice(0, maxNames), code: code.slice(0, maxNames) }
}
