import { errorLine, isCrash } from '../../shared/hooks/error-line.ts'
import type { Fault } from '../../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'

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
export const failureFault = ({ exitCode, stderr, isStderrCut }: HandlerOutput): Fault | undefined => {
  if (exitCode === null || exitCode === 0 || exitCode === 2) return undefined
  const all = stderr.trim()
  const shortage = shortages.exec(all)?.[0]
  if (shortage !== undefined)
    return { kind: 'limit', detail: `It ended for lack of a resource: "${shortage}".` }
  if (!isCrash(all)) {
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
