import { isObject, parseJson } from '../../core/model/base/json.ts'

const maxAsyncMs = 600_000

/**
 * Reads from the first line of a hook's output whether the hook continues after its answer, and for how long
 * at most, in milliseconds from its start. Undefined: it does not continue. `{}`: it names no time. Source:
 * Claude Code's hooks reference.
 */
export const goesAsync = (line: string): { readonly timeoutMs?: number } | undefined => {
  const parsed = parseJson(line)
  if (!isObject(parsed) || parsed['async'] !== true) return undefined
  const seconds = parsed['asyncTimeout']
  return typeof seconds === 'number' && seconds > 0 ? { timeoutMs: Math.min(seconds * 1000, maxAsyncMs) } : {}
}
