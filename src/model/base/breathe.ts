import type { Json } from './json.ts'

/** What is smaller is worked on in a moment, in characters. */
const largeUnits = 256 * 1024
/** A name, a number or a bracket costs about so much. */
const perValue = 8

/** About how large a value is, in characters; it is not counted much further than `left`. */
export const unitsOf = (value: Json, left: number): number => {
  if (typeof value === 'string') return value.length + perValue
  if (typeof value !== 'object' || value === null) return perValue
  let units = perValue
  for (const inner of Object.values(value)) {
    units += unitsOf(inner, left - units)
    if (units > left) break
  }
  return units
}

let last: Promise<void> = Promise.resolve()
const turn = (): Promise<void> => {
  last = last.then(() => new Promise((resolve) => void setImmediate(resolve)))
  return last
}

/**
 * Lets the thread look at everything else before it goes on with something large, one such thing at a time; undefined for
 * what is small. A number counts as the size of what is not read yet. Between two of these no more than one pass over the
 * value is done, so that nobody's payload holds up an owner's command.
 */
export const breathe = (value: Json): Promise<void> | undefined => {
  const units = typeof value === 'number' ? value : unitsOf(value, largeUnits)
  return units > largeUnits ? turn() : undefined
}
