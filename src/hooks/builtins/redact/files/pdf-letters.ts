import { Unjudged } from './part.ts'

/** What the numbers of a font's letters stand for, as its ToUnicode table says it. */
export interface Letters {
  readonly bytes: 1 | 2
  readonly of: ReadonlyMap<number, string>
}

const maxLetters = 0x10000
const wide = (hex: string): string =>
  Buffer.from(hex.replaceAll(/\s/g, '').padStart(4, '0'), 'hex').swap16().toString('utf16le')
const sections = (table: string, name: string): readonly string[] =>
  table
    .split(`begin${name}`)
    .slice(1)
    .map((section) => section.split(`end${name}`, 1)[0] ?? '')

export const lettersOf = (table: string): Letters => {
  const of = new Map<number, string>()
  let left = maxLetters
  const set = (code: number, letter: string): void => {
    if (left-- === 0) throw new Unjudged('is a PDF with too many letters in a font')
    of.set(code, letter)
  }
  for (const section of sections(table, 'bfchar')) {
    for (const [, code = '', letter = ''] of section.matchAll(
      /<([0-9a-fA-F]{2,4})>\s*<((?:[0-9a-fA-F]{4}){1,8})>/g,
    ))
      set(Number.parseInt(code, 16), wide(letter))
  }
  for (const section of sections(table, 'bfrange')) {
    for (const [, from = '', to = '', first = '', list = ''] of section.matchAll(
      /<([0-9a-fA-F]{2,4})>\s*<([0-9a-fA-F]{2,4})>\s*(?:<((?:[0-9a-fA-F]{4}){1,8})>|\[([^\]]*)\])/g,
    )) {
      const [start, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)]
      const letters = list.match(/(?:[0-9a-fA-F]{4}){1,8}/g) ?? []
      const base = wide(first)
      for (let code = start; code <= end; code++) {
        set(
          code,
          first === ''
            ? wide(letters[code - start] ?? '')
            : base.slice(0, -1) + String.fromCharCode(base.charCodeAt(base.length - 1) + code - start),
        )
      }
    }
  }
  const [, space = '0000'] = /begincodespacerange\s*<([0-9a-fA-F]+)>/.exec(table) ?? []
  return { bytes: space.length <= 2 ? 1 : 2, of }
}

/** A string of numbers as its reader sees it. A number that stands for nothing is no letter. */
export const withLetters = (numbers: string, { bytes, of }: Letters): string => {
  const read: string[] = []
  for (let at = 0; at + bytes <= numbers.length; at += bytes) {
    const code =
      bytes === 1 ? numbers.charCodeAt(at) : (numbers.charCodeAt(at) << 8) | numbers.charCodeAt(at + 1)
    read.push(of.get(code) ?? '')
  }
  return read.join('')
}
