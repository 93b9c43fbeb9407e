import type { Fault } from '../../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import { failureFault } from './failure-words.ts'

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
  text: 'Correct the text, or have it run by the shell that it was written for.',
} as const

interface BrokenForm {
  /** A pattern for one line, with the groups `what` (what failed) and `why` (the cause). */
  readonly pattern: string
  /** The beginning of a sentence. The thing that failed completes it. */
  readonly words: string
  readonly way: keyof typeof ways
}

const opens = 'Its shell could not open'
const findsNo = 'Its shell found no program'
const uses = 'Its shell could not use'
const unclear = 'Its shell does not understand its text:'

/** The first form that matches a line is used. */
const forms: readonly (Omit<BrokenForm, 'pattern'> & { readonly pattern: RegExp })[] = (
  [
    // Messages of interpreters that cannot open the script.
    {
      pattern: String.raw`(?:\S{1,400}/)?[Pp]ython[\d.]{0,10}: can't open file '(?<what>.{1,1000})': \[Errno \d{1,4}\] (?<why>.{1,100})`,
      words: 'Python could not open',
      way: 'read',
    },
    {
      pattern: `Can't open perl script "(?<what>.{1,1000})": (?<why>.{1,100})`,
      words: 'Perl could not open',
      way: 'read',
    },
    {
      pattern: String.raw`(?:\S{1,400}/)?ruby: (?<why>No such file or directory) -- (?<what>.{1,1000}) \(LoadError\)`,
      words: 'Ruby could not open',
      way: 'read',
    },
    // Messages of dash and busybox about a redirection or a script.
    {
      pattern: `(?:${shell}: (?:line )?\\d{1,6}|(?:ba|da|z|k)?sh): ${cannot} create ${what}${because}`,
      words: 'Its shell could not write',
      way: 'write',
    },
    {
      pattern: `${shell}: (?:(?:line )?\\d{1,6}: )?(?:\\.: )?${cannot} open ${what}${because}`,
      words: opens,
      way: 'read',
    },
    { pattern: `${shell}: ${cannot} open ${what}`, words: opens, way: 'read' },
    { pattern: `${shellLine}${builtin}can't cd to ${what}`, words: 'Its shell could not enter', way: 'read' },
    // Messages of any shell about a program, a file or its own text.
    { pattern: `${shellLine}${builtin}${what}: (?:command )?not found`, words: findsNo, way: 'start' },
    {
      pattern: `${shellLine}${builtin}${what}: cannot execute(?:${because})?`,
      words: 'Its shell could not start',
      way: 'start',
    },
    { pattern: `${shellLine}${builtin}${what}${because}`, words: uses, way: 'use' },
    {
      pattern: `${shellLine}(?<what>(?:Syntax error|syntax error|unexpected EOF).{0,1000})`,
      words: unclear,
      way: 'text',
    },
    { pattern: `${shellLine}(?<what>\`.{0,1000}')`, words: unclear, way: 'text' },
    { pattern: `(?:ba|da|z|k)?sh: ${what}: not found`, words: findsNo, way: 'start' },
    { pattern: `(?:ba|da|z|k)?sh: ${what}${because}`, words: uses, way: 'use' },
    { pattern: `zsh:\\d{1,6}: command not found: ${what}`, words: findsNo, way: 'start' },
    {
      pattern: `zsh:\\d{1,6}: (?<why>no such file or directory|permission denied): ${what}`,
      words: uses,
      way: 'use',
    },
    // Messages of programs that a shell starts.
    { pattern: `(?:/usr/bin/)?env: ${what}${because}`, words: 'env could not start', way: 'start' },
    {
      pattern: `(?<what>(?:${tools}): .{1,1000}: (?:${why}))`,
      words: 'A program that it starts failed:',
      way: 'use',
    },
  ] as const satisfies readonly BrokenForm[]
).map(({ pattern, ...form }) => ({ ...form, pattern: new RegExp(`^${pattern}$`) }))

/** Node prints a source position, then the error, then a stack trace. */
const nodeForm =
  /^(?:node:internal\/|internal\/)[^]*?^Error(?: \[ERR_MODULE_NOT_FOUND\])?: Cannot find (?:module|package) '([^'\n]{1,1000})'[^\n]{0,1000}$/m

const maxChars = 8000
const maxLines = 20

interface Failure {
  /** What failed and why, as a sentence without its full stop. */
  readonly words: string
  readonly way: keyof typeof ways
}

const failureIn = (line: string): Failure | undefined => {
  for (const { pattern, words, way } of forms) {
    const { what = '', why } = pattern.exec(line)?.groups ?? {}
    if (what !== '') return { words: `${words} ${what}${why === undefined ? '' : ` (${why})`}`, way }
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
