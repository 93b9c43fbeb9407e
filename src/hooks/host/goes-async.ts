import { isObject, parseJson } from '../../model/base/json.ts'

const maxAsyncMs = 600_000

/**
 * Whether the first line of a hook's output says that the hook runs on behind its answer, and for how long at most, in
 * milliseconds from its start. Undefined: it does not; `{}`: it names no time. Source: Claude Code's hooks reference.
 */
export const goesAsync = (line: string): { readonly timeoutMs?: number } | undefined => {
  const said = parseJson(line)
  if (!isObject(said) || said['async'] !== true) return undefined
  const seconds = said['asyncTimeout']
  return typeof seconds === 'number' && seconds > 0 ? { timeoutMs: Math.min(seconds * 1000, maxAsyncMs) } : {}
}
