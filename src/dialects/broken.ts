import type { Fault } from '../model/answer.ts'
import type { HandlerOutput } from '../model/dialect.ts'

/**
 * What shells and interpreters say when they themselves fail. Exit 2 means "block" in every hook system, and
 * it is also how dash ends when a redirection fails, and Python when it cannot open its file.
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
/** Ended by 2 where they cannot read: what they say then is no judgement. */
const tools = 'cat|cd|cp|cut|date|e?grep|find|head|jq|ls|mkdir|mv|rm|rg|sed|sort|tail|tee|touch|wc'

/** One form a line. */
const forms: readonly RegExp[] = [
  // dash and busybox: a redirection, a script.
  String.raw`${shell}: (?:line )?\d{1,6}: (?:\.: )?(?:cannot|can't|Can't) (?:create|open) .{1,1000}: (?:${why})`,
  String.raw`${shell}: (?:cannot|can't|Can't) open .{1,1000}(?:: (?:${why}))?`,
  String.raw`${shellLine}(?:[\w.]{1,40}: )?can't cd to .{1,1000}`,
  // Any shell: a program, a file, its own text.
  String.raw`${shellLine}(?:[\w.]{1,40}: )?.{1,1000}: (?:command not found|not found|cannot execute(?:: (?:${why}))?|${why})`,
  String.raw`${shellLine}(?:Syntax error|syntax error|unexpected EOF).{0,1000}`,
  String.raw`${shellLine}\x60.{0,1000}'`,
  String.raw`(?:ba|da|z|k)?sh: .{1,1000}: (?:not found|${why})`,
  String.raw`zsh:\d{1,6}: (?:command not found|no such file or directory|permission denied): .{1,1000}`,
  // Interpreters that cannot open the script.
  String.raw`(?:\S{1,400}/)?[Pp]ython[\d.]{0,10}: can't open file '.{1,1000}': \[Errno \d{1,4}\] .{1,100}`,
  String.raw`Can't open perl script ".{1,1000}": .{1,100}`,
  String.raw`(?:\S{1,400}/)?ruby: No such file or directory -- .{1,1000} \(LoadError\)`,
  String.raw`(?:/usr/bin/)?env: .{1,1000}: (?:${why})`,
  String.raw`(?:${tools}): .{1,1000}: (?:${why})`,
].map((form) => new RegExp(`^${form}$`))

/** Node prints where it was, then the error, then more of where it was. */
const nodeForm =
  /^(?:node:internal\/|internal\/)[^]*?^(Error(?: \[ERR_MODULE_NOT_FOUND\])?: Cannot find (?:module|package) '[^'\n]{1,1000}'[^\n]{0,1000})$/m

const maxChars = 8000
const maxLines = 20

/** The failure in its own words, when all that stands on stderr is that; undefined for everything else. */
const failureIn = (stderr: string): string | undefined => {
  if (stderr.length > maxChars) return undefined
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const node = nodeForm.exec(stderr.trim())?.[1]
  if (node !== undefined) return node
  if (lines.length === 0 || lines.length > maxLines) return undefined
  return lines.every((line) => forms.some((form) => form.test(line))) ? lines.at(-1) : undefined
}

/**
 * A hook whose shell or interpreter failed: that is no verdict of it. What a hook says itself beside it makes
 * it one.
 */
export const brokenBy = ({ exitCode, stderr }: HandlerOutput): Fault | undefined => {
  const failure = exitCode === null || exitCode === 0 ? undefined : failureIn(stderr)
  if (failure === undefined) return undefined
  const hint =
    'This is its shell or interpreter that failed, not an answer; /hooks show says what it can reach.'
  return { kind: 'broken', detail: `${failure.slice(0, 500).toWellFormed()}. ${hint}` }
}
