import type { Fault } from '../../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import { errorLine, isCrash } from '../../shared/hooks/error-line.ts'

/**
 * This file recognises the error messages of shells and interpreters. Exit 2 means "block" in every hook
 * system, but dash also exits with 2 when a redirection fails, and Python when it cannot open its file.
 */

const why = [
  'No such file(?: or directory)?',
  'Directory nonexistent',
  'nonexistent directory',
  'Permission denied',
  'Is a directory',
  'Not a directory',
  'Read-only file system',
  'No space left on device',
  'Too many open files',
  'Text file busy',
  'Operation not permitted',
  'Exec format error',
  'required file not found',
  'bad interpreter: .{1,200}',
].join('|')
const shell = String.raw`(?:[^\s:]{1,200}/)?[^\s:/]{1,100}`
const shellLine = String.raw`${shell}: (?:-c: )?(?:line )?\d{1,6}: `
/**
 * These tools exit with 2 when they cannot read a file. Their error messages are not a judgement of the hook.
 */
const tools = 'cat|cd|cp|cut|date|e?grep|find|head|jq|ls|mkdir|mv|rm|rg|sed|sort|tail|tee|touch|wc'

const cannot = "(?:cannot|can't|Can't)"
const builtin = String.raw`(?:[\w.]{1,40}: )?`
const what = '(?<what>.{1,1000})'
const because = `: (?<why>${why})`

/** Advice on how to fix each kind of failure. */
const ways = {
  write:
    'Hooks write to folders of their own, their HOME and TMPDIR; /hooks show names them. ' +
    'A folder that is missing there must be made first (mkdir -p).',
  read:
    'Hooks read what lies beside their program, in the workspace, or open to everybody. ' +
    'What an entry of ours needs beside its program is named under "files".',
  use:
    'Hooks read what lies beside their program, in the workspace, or open to everybody. ' +
    'They write to their own HOME and TMPDIR; /hooks show names them.',
  start: 'Install it where hooks look for programs; /hooks doctor names folders where they do not look.',
  text: 'Correct its text, or have it run by the program that it was written for.',
} as const

interface BrokenForm {
  /** A pattern for one line, with the groups `what` (what failed) and `why` (the cause). */
  readonly pattern: RegExp
  /** A sentence about the thing that failed, without its full stop. */
  readonly says: (what: string) => string
  readonly way: keyof typeof ways
}

const form = (
  way: BrokenForm['way'],
  says: BrokenForm['says'],
  ...patterns: readonly string[]
): readonly BrokenForm[] => patterns.map((pattern) => ({ pattern: new RegExp(`^${pattern}$`), says, way }))

const findsNo = (what: string): string => `Its shell found no program ${what}`
const uses = (what: string): string => `Its shell could not use ${what}`

/** The first form that matches a line is used. */
const forms: readonly BrokenForm[] = [
  // Messages of interpreters that cannot open the script.
  ...form(
    'read',
    (what) => `Python could not open ${what}`,
    String.raw`(?:\S{1,400}/)?[Pp]ython[\d.]{0,10}: can't open file '(?<what>.{1,1000})': \[Errno \d{1,4}\] (?<why>.{1,100})`,
  ),
  ...form(
    'read',
    (what) => `Perl could not open ${what}`,
    `Can't open perl script "(?<what>.{1,1000})": (?<why>.{1,100})`,
  ),
  ...form(
    'read',
    (what) => `Ruby could not open ${what}`,
    String.raw`(?:\S{1,400}/)?ruby: (?<why>No such file or directory) -- (?<what>.{1,1000}) \(LoadError\)`,
  ),
  // Messages of dash and busybox about a redirection or a script.
  ...form(
    'write',
    (what) => `Its shell could not write ${what}`,
    `(?:${shell}: (?:line )?\\d{1,6}|(?:ba|da|z|k)?sh): ${cannot} create ${what}${because}`,
  ),
  ...form(
    'read',
    (what) => `Its shell could not open ${what}`,
    `${shell}: (?:(?:line )?\\d{1,6}: )?(?:\\.: )?${cannot} open ${what}${because}`,
    `${shell}: ${cannot} open ${what}`,
  ),
  ...form('read', (what) => `Its shell could not enter ${what}`, `${shellLine}${builtin}can't cd to ${what}`),
  // Messages of any shell about a program, a file or its own text.
  ...form('start', findsNo, `${shellLine}${builtin}${what}: (?:command )?not found`),
  ...form(
    'start',
    (what) => `Its shell could not start ${what}`,
    `${shellLine}${builtin}${what}: cannot execute(?:${because})?`,
  ),
  ...form('use', uses, `${shellLine}${builtin}${what}${because}`),
  ...form(
    'text',
    (what) => `Its shell does not understand its text: ${what}`,
    `${shellLine}(?<what>(?:Syntax error|syntax error|unexpected EOF).{0,1000})`,
    `${shellLine}(?<what>\`.{0,1000}')`,
  ),
  ...form('start', findsNo, `(?:ba|da|z|k)?sh: ${what}: not found`),
  ...form('use', uses, `(?:ba|da|z|k)?sh: ${what}${because}`),
  ...form('start', findsNo, `zsh:\\d{1,6}: command not found: ${what}`),
  ...form('use', uses, `zsh:\\d{1,6}: (?<why>no such file or directory|permission denied): ${what}`),
  // Messages of programs that a shell starts.
  ...form('start', (what) => `env could not start ${what}`, `(?:/usr/bin/)?env: ${what}${because}`),
  ...form(
    'use',
    (what) => `A program that it starts failed: ${what}`,
    `(?<what>(?:${tools}): .{1,1000}: (?:${why}))`,
  ),
]

/** Node prints a source position, then the error, then a stack trace. */
const nodeForm =
  /^(?:node:internal\/|internal\/)[^]*?^Error(?: \[ERR_MODULE_NOT_FOUND\])?: Cannot find (?:module|package) '([^'\n]{1,1000})'[^\n]{0,1000}$/m

const maxChars = 8000
const maxLines = 20

/** What failed and why, as a sentence without its full stop, and the advice. */
interface Failure extends Pick<BrokenForm, 'way'> {
  readonly words: string
}

const failureIn = (line: string): Failure | undefined => {
  for (const { pattern, says, way } of forms) {
    const { what = '', why } = pattern.exec(line)?.groups ?? {}
    if (what !== '') return { words: says(why === undefined ? what : `${what} (${why})`), way }
  }
  return undefined
}

/** Returns the last failure on stderr, if stderr holds nothing but failures. */
const lastFailure = (stderr: string): Failure | undefined => {
  if (stderr.length > maxChars) return undefined
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const module = nodeForm.exec(stderr.trim())?.[1]
  if (module !== undefined) return { words: `Node found no ${module}`, way: 'read' }
  if (lines.length === 0 || lines.length > maxLines) return undefined
  const failures = lines.map(failureIn)
  return failures.includes(undefined) ? undefined : failures.at(-1)
}

/**
 * Messages of shells, interpreters and tools that lack processes, files, memory, disk space or stack. The
 * agent can bring such a lack about.
 */
const shortages = new RegExp(
  [
    'Cannot allocate memory',
    '[Oo]ut of memory',
    'MemoryError',
    'bad_alloc',
    '[Cc]annot fork',
    "Can't fork",
    'fork: retry',
    'Resource temporarily unavailable',
    'Too many open files',
    'No space left on device',
    'Disk quota exceeded',
    'Argument list too long',
    'RecursionError',
    'Maximum call stack',
    'recursion depth exceeded',
    'stack overflow',
  ].join('|'),
)

/**
 * Returns a fault if the hook ended for lack of a resource or crashed on its input. Exit 2 is excluded,
 * because it blocks whatever else the hook prints.
 */
const failureFault = ({ exitCode, stderr, isStderrCut }: HandlerOutput): Fault | undefined => {
  if (exitCode === null || exitCode === 0 || exitCode === 2) return undefined
  const all = stderr.trim()
  const shortage = shortages.exec(all)?.[0]
  if (shortage !== undefined)
    return {
      kind: 'limit',
      detail: `It ended for lack of a resource: "${shortage}". Check the memory, processes and disk of the machine.`,
    }
  if (!isCrash(all)) {
    // An error message quotes its input, and a long input can push the error's name out of the stored part.
    return isStderrCut === true
      ? {
          kind: 'limit',
          detail: 'It failed, and its stderr is longer than hookgate stores. Let it say less.',
        }
      : undefined
  }
  const words = errorLine(all).trim().slice(0, 500).toWellFormed()
  return {
    kind: 'broken',
    detail: `It crashed: ${words}. A crash is not an answer. ${isSyntax(words) ? ways.text : 'Run the hook by hand with such a payload.'}`,
  }
}

/** The text of the hook is wrong, so its payload does not matter. */
const isSyntax = (words: string): boolean => /\b(?:Syntax|Indentation|Tab)Error\b/.test(words)

const fullDisk = /No space left on device/

/**
 * Returns a fault if the hook's shell or interpreter failed: such an output is not a verdict. If the hook
 * itself also wrote something, the output can be one.
 */
export const brokenBy = (output: HandlerOutput): Fault | undefined => {
  const { exitCode, stderr } = output
  const failure = exitCode === null || exitCode === 0 ? undefined : lastFailure(stderr)
  if (failure === undefined) return failureFault(output)
  const words = failure.words.slice(0, 500).toWellFormed()
  const way = fullDisk.test(failure.words) ? 'The disk is full: make room on it.' : ways[failure.way]
  return { kind: 'broken', detail: `${words}. That is not an answer of the hook. ${way}` }
}
