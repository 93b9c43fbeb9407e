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

/**
 * Objects that are large. Each is asked about before every pass over it, and listing its names takes long. To
 * walk a small object again takes less time than to remember it.
 */
const known = new WeakSet()
const isLarge = (value: Json): boolean => {
  if (typeof value === 'number') return value > largeUnits
  const isObject = typeof value === 'object' && value !== null
  if (isObject && known.has(value)) return true
  const is = unitsOf(value, largeUnits) > largeUnits
  if (is && isObject) known.add(value)
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
export const breathe = (value: Json): Promise<void> | undefined => (isLarge(value) ? turn() : undefined)
