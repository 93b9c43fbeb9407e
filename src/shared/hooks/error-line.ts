const traceback = String.raw`^(?: *\+ Exception Group )?Traceback \(most recent call last\):$`
const raisedInRuby = String.raw`\(\w+(?:::\w+)*Error\)$`

/**
 * The last output of interpreters after an uncaught error. The payload can cause such an error, so it is not
 * an answer.
 */
const crashes = new RegExp(String.raw`${traceback}|^Node\.js v\d[\d.]*$|${raisedInRuby}`, 'm')

/** True when an interpreter ended with an uncaught error. */
export const isCrash = (stderr: string): boolean => crashes.test(stderr)

/** Before the error, Node and Python print a trace, or an excerpt of the source with carets under it. */
const beforeError = new RegExp(String.raw`^ *\^+$|${traceback}`)
/** Ruby prints its trace after the error. */
const rubyError = new RegExp(raisedInRuby)
/** A line of a trace is indented. A group of Python's has a bar before each line. */
const unindented = /^(?: *\| )?(?=\S)/

/** Returns the line that names the error. Its further lines, fields and notes may stand behind it. */
export const errorLine = (stderr: string): string => {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('Node.js v'))
  const at = lines.findLastIndex((line) => beforeError.test(line.trimEnd()))
  const named = at === -1 ? rubyError : unindented
  return (lines.slice(at + 1).find((line) => named.test(line)) ?? lines.at(-1) ?? '').replace(unindented, '')
}
