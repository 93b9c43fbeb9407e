import { isObject, type Json } from '../../core/model/base/json.ts'

/** Why a transform was not applied: the reason that the specification reserves for it, and what is wrong. */
interface TransformFlaw {
  readonly reason: 'host_error:transform_target_forbidden' | 'host_error:transform_invalid'
  readonly wrong: string
}

/** Longer paths are refused. A path leads into JSON that is at most 64 levels deep. */
const maxPathChars = 4096
const root = /^\$(?:target|policy_target)(?![A-Za-z0-9_-])/
const segment = /\.([A-Za-z0-9_-]+)|\[(\d{1,9})\]|\["([A-Za-z0-9_-]+)"\]/y

const invalid = (wrong: string): TransformFlaw => ({ reason: 'host_error:transform_invalid', wrong })

/** Reads a path such as `$target.items[0]["name"]`. A number is a place in a list. */
const segmentsOf = (path: string): readonly (string | number)[] | TransformFlaw => {
  const [start] = root.exec(path) ?? []
  if (start === undefined)
    return {
      reason: 'host_error:transform_target_forbidden',
      wrong: `Expected "transform.path" to begin with $target, got ${JSON.stringify(path.slice(0, 80))}.`,
    }
  if (path.length > maxPathChars) return invalid(`Expected a path of at most ${maxPathChars} characters.`)
  const found: (string | number)[] = []
  for (let at = start.length; at < path.length; at = segment.lastIndex) {
    segment.lastIndex = at
    const match = segment.exec(path)
    if (match === null)
      return invalid(
        `Expected .name, [0] or ["name"] in "transform.path", got ${JSON.stringify(path.slice(at, at + 80))}.`,
      )
    const [, dotted, index, bracketed] = match
    found.push(index === undefined ? (dotted ?? bracketed ?? '') : Number(index))
  }
  return found
}

const isFlaw = (read: readonly (string | number)[] | TransformFlaw): read is TransformFlaw => 'wrong' in read

/** Returns a copy of the value in which one place is replaced. Undefined: there is no such place. */
const replaced = (
  current: Json,
  [first, ...rest]: readonly (string | number)[],
  value: Json,
): { readonly value: Json } | undefined => {
  if (first === undefined) return { value }
  if (typeof first === 'number') {
    const inner = Array.isArray(current) ? (current[first] as Json | undefined) : undefined
    const changed = inner === undefined ? undefined : replaced(inner, rest, value)
    return changed === undefined || !Array.isArray(current)
      ? undefined
      : { value: current.map((item: Json, at) => (at === first ? changed.value : item)) }
  }
  const inner = isObject(current) && Object.hasOwn(current, first) ? current[first] : undefined
  const changed = inner === undefined ? undefined : replaced(inner, rest, value)
  return changed === undefined || !isObject(current)
    ? undefined
    : {
        // The entries keep a name such as `__proto__` an ordinary one.
        value: Object.fromEntries(
          Object.entries(current).map(([key, old]) => [key, key === first ? changed.value : old]),
        ),
      }
}

/** Applies a transform to a target. The target itself stays as it is. */
export const transformed = (
  target: Json,
  path: string,
  value: Json,
): { readonly value: Json } | TransformFlaw => {
  const segments = segmentsOf(path)
  if (isFlaw(segments)) return segments
  return (
    replaced(target, segments, value) ??
    invalid(
      `Expected "transform.path" to name a place in the target, got ${JSON.stringify(path.slice(0, 80))}.`,
    )
  )
}

/**
 * True when a value has an integer beyond 2^53. A hook that rounds it would judge another number than the
 * agent uses. The specification wants such a number refused or written as text.
 */
export const hasRoundedNumber = (value: Json): boolean => {
  const open: Json[] = [value]
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item === 'bigint') return true
    if (typeof item === 'number' && Number.isInteger(item) && !Number.isSafeInteger(item)) return true
    if (typeof item === 'object' && item !== null) for (const inner of Object.values(item)) open.push(inner)
  }
  return false
}

export const noRoundedNumber = 'Expected integers of at most 2^53, got a larger one; write it as text.'
