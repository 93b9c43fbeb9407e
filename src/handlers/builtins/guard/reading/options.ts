import { literal, type Value } from './value.ts'

/** The words behind a program's name, read by its options. */
export interface Words {
  /** Each option by its first name in the grammar, with its values. Unknown ones have their own name. */
  readonly options: ReadonlyMap<string, readonly Value[]>
  readonly operands: readonly Value[]
  /** One of the options says that the program does nothing. */
  readonly isInert: boolean
}

interface Option {
  readonly name: string
  /** An optional value stands in the same word. */
  readonly takes: 'nothing' | 'value' | 'optional'
}

interface Grammar {
  readonly names: ReadonlyMap<string, Option>
  readonly longNames: readonly string[]
  readonly inert: readonly string[]
  readonly stopsAtOperand: boolean
}

const grammars = new Map<string, Grammar>()

/**
 * Reads a grammar such as `r,R,recursive f,force o=,output= i?`: names of one option are joined by commas.
 * `=` says that it takes a value, `?` that it can have one in the same word, and `!` that with it the program
 * does nothing. A grammar that begins with `+` ends at the first operand.
 */
const grammarOf = (source: string): Grammar => {
  const known = grammars.get(source)
  if (known !== undefined) return known
  const names = new Map<string, Option>()
  const inert: string[] = []
  for (const option of source
    .replace('+', '')
    .split(' ')
    .filter((text) => text !== '')) {
    const takes = option.includes('=') ? 'value' : option.includes('?') ? 'optional' : 'nothing'
    const all = option.replaceAll(/[=?!]/g, '').split(',')
    for (const name of all) names.set(name, { name: all[0] ?? '', takes })
    if (option.includes('!')) inert.push(all[0] ?? '')
  }
  const grammar: Grammar = {
    names,
    longNames: [...names.keys()].filter((name) => name.length > 1),
    inert,
    stopsAtOperand: source.startsWith('+'),
  }
  grammars.set(source, grammar)
  return grammar
}

/** Reads words by a grammar. Long options may be shortened, and letters may stand together. */
export const readWords = (words: readonly Value[], source: string): Words => {
  const { names, longNames, inert, stopsAtOperand } = grammarOf(source)
  const options = new Map<string, Value[]>()
  const operands: Value[] = []
  const add = (name: string, value: Value): void => {
    const values = options.get(name)
    if (values === undefined) options.set(name, [value])
    else values.push(value)
  }
  /** The one option that begins so. A program refuses what could be several. */
  const abbreviated = (written: string): string | undefined => {
    const all = longNames.filter((name) => name.startsWith(written) && name !== 'help')
    return new Set(all.map((name) => names.get(name)?.name)).size === 1 ? all[0] : undefined
  }
  /** Reads one option. True when its value is the next word. */
  const read = (text: string, from: number): boolean => {
    if (text.startsWith('--')) {
      const at = text.indexOf('=')
      const written = text.slice(2, at < 0 ? undefined : at)
      const meant = names.has(written) ? written : abbreviated(written)
      const option = meant === undefined ? undefined : names.get(meant)
      const value = at < 0 ? undefined : { texts: [text.slice(at + 1)], from }
      add(option?.name ?? written, value ?? literal(''))
      return option?.takes === 'value' && value === undefined
    }
    // A program with options such as `-delete` has them with one dash.
    const single = names.get(text.slice(1).replace(/=.*/s, ''))
    if (single !== undefined && text.length > 2) {
      const at = text.indexOf('=')
      add(single.name, at < 0 ? literal('') : { texts: [text.slice(at + 1)], from })
      return single.takes === 'value' && at < 0
    }
    for (let at = 1; at < Math.min(text.length, 64); at++) {
      const option = names.get(text.charAt(at))
      if (option !== undefined && option.takes !== 'nothing') {
        const value = text.slice(at + 1)
        add(option.name, { texts: [value], from })
        return value === '' && option.takes === 'value'
      }
      add(option?.name ?? text.charAt(at), literal(''))
    }
    return false
  }
  let index = 0
  for (; index < words.length; index++) {
    const word = words[index]
    if (word === undefined) break
    if (word.texts.includes('--')) {
      operands.push(...words.slice(index + 1))
      break
    }
    const written = word.texts.filter((text) => text.length > 1 && text.startsWith('-'))
    const last = written.map((text) => read(text, word.from)).includes(true)
    if (last) {
      const value = words[++index]
      const [name] = [...options].findLast(([, values]) => values.at(-1)?.texts[0] === '') ?? []
      if (name !== undefined && value !== undefined) options.get(name)?.splice(-1, 1, value)
    }
    if (written.length < word.texts.length) {
      if (stopsAtOperand) {
        operands.push(...words.slice(index))
        break
      }
      operands.push(word)
    }
  }
  return { options, operands, isInert: inert.some((name) => options.has(name)) }
}
