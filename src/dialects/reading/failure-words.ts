import type { Fault } from '../../model/hooks/answer.ts'
import type { HandlerOutput } from '../../model/hooks/dialect.ts'

/** What shells, interpreters and tools say for want of processes, files, memory, room or depth: the agent can see to it. */
const wants = new RegExp(
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

/** What interpreters print last when nobody caught an error: the payload can bring that about, and nobody meant it. */
const crashes = /^Traceback \(most recent call last\):$|^Node\.js v\d[\d.]*$|\(\w+(?:::\w+)*Error\)$/m

/** It ended for want of something, or over what it was given. Exit 2 is left out: that blocks whatever is said beside it. */
export const stumble = ({ exitCode, stderr, isStderrCut }: HandlerOutput): Fault | undefined => {
  if (exitCode === null || exitCode === 0 || exitCode === 2) return undefined
  const all = stderr.trim()
  const want = wants.exec(all)?.[0]
  if (want !== undefined) return { kind: 'limit', detail: `It ended for want of something: "${want}".` }
  if (!crashes.test(all)) {
    // An error quotes what it was given, and that can be long enough to push its own name out of sight.
    return isStderrCut === true
      ? { kind: 'limit', detail: 'It failed and said more on stderr than is kept.' }
      : undefined
  }
  const said = all.split('\n').findLast((line) => line.trim() !== '' && !line.startsWith('Node.js v')) ?? ''
  const words = said.trim().slice(0, 500).toWellFormed()
  return {
    kind: 'broken',
    detail: `It crashed: ${words}. That is no answer; run it by hand with such a payload.`,
  }
}
