import type { Fault } from '../../model/hooks/answer.ts'
import type { HandlerOutput } from '../../model/hooks/dialect.ts'

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

const traceback = String.raw`^(?: *\+ Exception Group )?Traceback \(most recent call last\):$`
const raisedInRuby = String.raw`\(\w+(?:::\w+)*Error\)$`

/**
 * The last output of interpreters after an uncaught error. The payload can cause such an error, so it is not
 * an answer.
 */
const crashes = new RegExp(String.raw`${traceback}|^Node\.js v\d[\d.]*$|${raisedInRuby}`, 'm')

/** Before the error, Node and Python print a trace, or an excerpt of the source with carets under it. */
const beforeError = new RegExp(String.raw`^ *\^+$|${traceback}`)
/** Ruby prints its trace after the error. */
const rubyError = new RegExp(raisedInRuby)
/** A line of a trace is indented. A group of Python's has a bar before each line. */
const unindented = /^(?: *\| )?(?=\S)/

/** Returns the line that names the error. Its further lines, fields and notes may stand behind it. */
const errorLine = (stderr: string): string => {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('Node.js v'))
  const at = lines.findLastIndex((line) => beforeError.test(line.trimEnd()))
  const named = at === -1 ? rubyError : unindented
  return (lines.slice(at + 1).find((line) => named.test(line)) ?? lines.at(-1) ?? '').replace(unindented, '')
}

/**
 * Returns a fault if the hook ended for lack of a resource or crashed on its input. Exit 2 is excluded,
 * because it blocks whatever else the hook prints.
 */
export const failureFault = ({ exitCode, stderr, isStderrCut }: HandlerOutput): Fault | undefined => {
  if (exitCode === null || exitCode === 0 || exitCode === 2) return undefined
  const all = stderr.trim()
  const shortage = shortages.exec(all)?.[0]
  if (shortage !== undefined)
    return { kind: 'limit', detail: `It ended for lack of a resource: "${shortage}".` }
  if (!crashes.test(all)) {
    // An error message quotes its input, and a long input can push the error's name out of the stored part.
    return isStderrCut === true
      ? { kind: 'limit', detail: 'It failed, and its stderr is longer than hookgate stores.' }
      : undefined
  }
  const words = errorLine(all).trim().slice(0, 500).toWellFormed()
  return {
    kind: 'broken',
    detail: `It crashed: ${words}. A crash is not an answer. Run the hook by hand with such a payload.`,
  }
}
