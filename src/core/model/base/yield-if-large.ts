import { isList, type Json } from './json.ts'

/** A smaller value is processed without a pause, in characters. */
const largeUnits = 64 * 1024
/** The estimated cost of a name, a number or a bracket, in characters: each is an object of its own. */
const perValue = 64

/** Estimates the size of a value in characters. It stops soon after exceeding `left`. */
export const unitsOf = (value: Json, left: number): number => {
  if (typeof value === 'string') return value.length + perValue
  if (typeof value !== 'object' || value === null) return perValue
  let units = perValue
  if (isList(value)) {
    for (const inner of value) if ((units += unitsOf(inner, left - units)) > left) break
  } else {
    // This takes a quarter of the time of a list of the values.
    for (const name in value) if ((units += unitsOf(value[name] ?? null, left - units)) > left) break
  }
  return units
}

/** To walk a smaller object again takes less time than to remember it, in characters. */
const notableUnits = 4096

/** Whether an object is large. Each is asked about before every pass over it, and walking it takes long. */
const known = new WeakMap<object, boolean>()
const isLarge = (value: Json): boolean => {
  if (typeof value === 'number') return value > largeUnits
  const isObject = typeof value === 'object' && value !== null
  const before = isObject ? known.get(value) : undefined
  if (before !== undefined) return before
  const units = unitsOf(value, largeUnits)
  const is = units > largeUnits
  // A small one that is not frozen may grow.
  if (isObject && (is || (units > notableUnits && Object.isFrozen(value)))) known.set(value, is)
  return is
}

let last: Promise<void> = Promise.resolve()
const turn = (): Promise<void> => {
  last = last.then(() => new Promise((resolve) => void setImmediate(resolve)))
  return last
}

/**
 * Yields to the event loop before work on a large value, one such value at a time. Undefined for a small
 * value. A number stands for the size of a value that is not parsed yet. At most one pass over the value runs
 * between two yields, so that no payload delays an owner's command.
 */
export const yieldIfLarge = (value: Json): Promise<void> | undefined => (isLarge(value) ? turn() : undefined)
