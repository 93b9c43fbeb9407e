import { maxJsonDepth, type Json } from '../../model/json.ts'

/** One value of a JSON text, and where it stands. Offsets count UTF-16 units. */
export interface Spot {
  readonly start: number
  readonly end: number
  readonly value: Json
  readonly depth: number
  /** Of an object: its members as they stand, a key that comes twice included. */
  readonly members?: readonly { readonly key: string; readonly start: number; readonly spot: Spot }[]
  readonly items?: readonly Spot[]
  /** A comma stands behind the last member or item. */
  readonly hasLastComma?: boolean
}

const blank = /(?:[ \t\r\n]|\/\/[^\n]*|\/\*[^]*?\*\/)*/y
const scalar = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y

/** Where a comma comes next, behind white space and comments; undefined where something else does. */
export const commaAt = (text: string, from: number): number | undefined => {
  blank.lastIndex = from
  const at = from + (blank.exec(text)?.[0].length ?? 0)
  return text[at] === ',' ? at : undefined
}

/** JSON that may have comments and a last comma, as settings of editors and agents do. Throws an Error that says where it breaks. */
export const readJsonc = (text: string): Spot => {
  let at = 0
  const fail = (expected: string): never => {
    const before = text.slice(0, at).split('\n')
    throw new Error(
      `expected ${expected} at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`,
    )
  }
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }
  const skip = (): void => void take(blank)
  const eat = (sign: string): boolean => {
    skip()
    if (text[at] !== sign) return false
    at++
    return true
  }
  const scalarHere = (): Json => {
    const from = at
    const found = take(scalar)
    try {
      return JSON.parse(found) as Json
    } catch {
      at = from
      return fail('a value')
    }
  }
  /** What stands between two brackets, and whether a comma came last. */
  const list = (close: string, one: () => void): boolean => {
    for (let hasComma = false; ;) {
      if (eat(close)) return hasComma
      one()
      hasComma = eat(',')
      if (hasComma) continue
      if (eat(close)) return false
      fail(`"," or "${close}"`)
    }
  }
  const spotHere = (depth: number): Spot => {
    skip()
    const start = at
    if (depth > maxJsonDepth) fail(`at most ${maxJsonDepth} levels`)
    if (eat('{')) {
      const members: { key: string; start: number; spot: Spot }[] = []
      const hasLastComma = list('}', () => {
        const start = at
        const key = scalarHere()
        if (typeof key !== 'string') return fail('a name in quotes')
        if (!eat(':')) fail('":"')
        members.push({ key, start, spot: spotHere(depth + 1) })
      })
      return {
        start,
        end: at,
        depth,
        members,
        hasLastComma,
        value: Object.fromEntries(members.map(({ key, spot }) => [key, spot.value])),
      }
    }
    if (eat('[')) {
      const items: Spot[] = []
      const hasLastComma = list(']', () => void items.push(spotHere(depth + 1)))
      return { start, end: at, depth, items, hasLastComma, value: items.map(({ value }) => value) }
    }
    return { value: scalarHere(), start, end: at, depth }
  }
  const root = spotHere(0)
  skip()
  if (at < text.length) fail('the end')
  return root
}
