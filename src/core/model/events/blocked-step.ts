import { isObject, type Json } from '../base/json.ts'

/** The longest text that is made of arguments, in UTF-16 units. */
const maxArgumentUnits = 300
/** The most values that are read of arguments. */
const maxValues = 40

/**
 * The beginning of a tool's arguments on one line. Its cost does not grow with the arguments, which can have
 * many megabytes. A single text and a command stand alone. Each other value follows its name.
 */
export const argumentText = (input: Json | undefined, maxUnits = maxArgumentUnits): string => {
  const pieces: string[] = []
  let [units, values] = [0, 0]
  const add = (name: string, text: string): void => {
    const piece = `${name.slice(0, maxUnits)}${text.slice(0, maxUnits)}`.replace(/\s+/g, ' ').trim()
    units += piece.length + 1
    pieces.push(piece)
  }
  const read = (name: string, value: Json, depth: number): void => {
    if (units > maxUnits || ++values > maxValues) return
    const label = name === '' || name === 'command' ? '' : `${name}: `
    if (typeof value === 'string') return add(label, value)
    if (typeof value !== 'object' || value === null) return add(label, String(value))
    if (depth === 0) return add(label, '…')
    if (Array.isArray(value)) {
      for (const inner of value.slice(0, maxValues) as readonly Json[]) read(name, inner, depth - 1)
      return
    }
    for (const [key, inner] of Object.entries(value).slice(0, maxValues)) read(key, inner, depth - 1)
  }
  if (input === undefined) return ''
  const [only, ...others] = isObject(input) ? Object.values(input) : []
  if (typeof only === 'string' && others.length === 0) add('', only)
  else read('', input, 4)
  const text = pieces.join(' · ')
  return text.length <= maxUnits ? text.toWellFormed() : `${text.slice(0, maxUnits - 1).toWellFormed()}…`
}
