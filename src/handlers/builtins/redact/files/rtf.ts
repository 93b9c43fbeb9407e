import { spend, Unjudged, type FileReader } from './part.ts'

/** Matches RTF syntax: groups, control words and line ends, and letters that are written as numbers. */
const control =
  /\\'([0-9a-f]{2})|\\u(-?\d{1,5}) ?\??|\\(?:par|line|cell|row)\b ?|\\[a-z]{1,32}-?\d{0,9} ?|\\(\W)|[{}\r\n]/gi

/** Reads RTF without its formatting. A file with embedded objects is not opened. */
export const rtf: FileReader = {
  is: (bytes) => bytes.toString('latin1', 0, 5) === '{\\rtf',
  levels: 0.5,
  open: (bytes, budget) => {
    const text = bytes.toString('latin1')
    if (/\\(?:objdata|bin\d)/.test(text)) throw new Unjudged('has an object embedded, which is not opened')
    const read = text.replaceAll(control, (found, hex?: string, code?: string, sign?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
      if (code !== undefined) return String.fromCharCode(Number(code) & 0xffff)
      if (sign !== undefined) return sign
      return /^\\(?:par|line|cell|row)\b/.test(found) ? '\n' : ''
    })
    spend(budget, read.length)
    return { parts: [read] }
  },
}
