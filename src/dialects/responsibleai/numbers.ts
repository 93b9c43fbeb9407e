import type { Json } from '../../core/model/base/json.ts'

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
