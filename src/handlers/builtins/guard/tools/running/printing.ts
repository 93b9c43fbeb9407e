import { type Programs, tools } from '../../call.ts'
import {
  CUT,
  empty,
  joined,
  literal,
  mapped,
  originsOf,
  textOf,
  textsOf,
  type Value,
} from '../../reading/value.ts'
import { setVariable } from '../../reading/variables.ts'

/** The text with the escapes that `echo -e` and `printf` read. */
const unescaped = (text: string): string =>
  text.replaceAll(
    /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|0?([0-7]{1,3})|([abefnrtv\\"']))/gi,
    (_, hex?: string, unicode?: string, octal?: string, letter?: string) => {
      const code = Number.parseInt(hex ?? unicode ?? octal ?? '', octal === undefined ? 16 : 8)
      if (!Number.isNaN(code)) return String.fromCodePoint(code)
      return { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'" }[letter ?? ''] ?? ''
    },
  )

const maxPrintedWords = 64

const printed = (format: Value, args: readonly Value[]): Value => {
  let value = empty
  const rest = [...args]
  const text = textOf(format)
  if (text.length > 4096 || args.length > maxPrintedWords)
    return { texts: [CUT], from: originsOf([format, ...args]) }
  do {
    for (const piece of unescaped(text).split(/(%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z%])/)) {
      const [, letter] = /^%.*([a-zA-Z%])$/s.exec(piece) ?? []
      const isText = letter === undefined || letter === '%'
      const arg = isText ? literal(letter ?? piece) : (rest.shift() ?? empty)
      value = joined([value, letter === 'b' ? mapped(arg, unescaped) : arg])
    }
  } while (rest.length > 0 && /%[^%]/.test(text))
  return { ...value, from: value.from | format.from }
}

export const printingTools: Programs = {
  ...tools('printf', '+v=', (call) => {
    const [format, ...args] = call.operands
    const value = format === undefined ? empty : printed(format, args)
    const [name] = call.values('v')
    if (name === undefined) return value
    setVariable(call.state, textOf(name), value)
    return empty
  }),
  ...tools('echo print', '', ({ words }) => {
    const first = words.findIndex((word) => !/^-[neE]+$/.test(textOf(word)))
    const letters = textsOf(words.slice(0, Math.max(0, first))).join('')
    const value = joined(first < 0 ? [] : words.slice(first), ' ')
    const texts = letters.includes('e') ? value.texts.map(unescaped) : value.texts
    return { texts: texts.map((text) => (letters.includes('n') ? text : `${text}\n`)), from: value.from }
  }),
}
