import { createReader, type TextReading } from './reading.ts'

/** Matches a line of a dump: its offset, then its columns. */
const line = /(?<![\w:])((?:0x)?([0-9a-fA-F]{4,16}):?[ \t]{1,8})(?=\S)([^\n]{0,400})/g
/** Matches columns of hex bytes, with the same bytes as letters after them. */
const inHex = /^((?:[0-9a-fA-F]{2,8}[ \t]{1,2}){1,16}(?:[0-9a-fA-F]{2,8}(?![^\s]))?)[ \t]{0,64}([|>]?)/
/** The possible numbers of bytes in a line of a dump. */
const widths: ReadonlySet<number> = new Set([4, 8, 12, 16, 20, 24, 30, 32])

/** True when one line's offset follows the other's, in hex, octal or decimal. */
const follows = (before: string, after: string): boolean =>
  [16, 8, 10].some((base) => widths.has(Number.parseInt(after, base) - Number.parseInt(before, base)))

/**
 * Reads dumps (od, xxd, hexdump) without their offsets: one reading of the hex bytes, and one of the letters
 * in a single line.
 */
export const dumpsIn = (text: string): readonly TextReading[] => {
  const found = Array.from(
    text.matchAll(line),
    ({ 1: offset = '', 2: number = '', 3: rest = '', index }) => ({
      index,
      columns: index + offset.length,
      number,
      rest,
    }),
  )
  const lines = found.filter(
    ({ number }, at) =>
      follows(found[at - 1]?.number ?? '', number) || follows(number, found[at + 1]?.number ?? ''),
  )
  if (lines.length === 0) return []
  const [bytes, letters] = [createReader(text), createReader(text)]
  let until: number | undefined
  for (const { index, columns, rest } of lines) {
    bytes.leaveOut(index, columns)
    const [head = '', inBytes = '', bar = ''] = inHex.exec(rest) ?? []
    if (inBytes === '') continue
    const end = columns + rest.length
    const from = columns + head.length
    const to = Math.min(end, from + inBytes.replaceAll(/\s/g, '').length / 2)
    bytes.leaveOut(columns + inBytes.trimEnd().length, Math.min(end, to + bar.length))
    letters.leaveOut(until ?? index, from)
    until = to
  }
  return [bytes.finish(), letters.finish()].filter((reading) => reading !== undefined)
}
