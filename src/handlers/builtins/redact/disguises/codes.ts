import { createReader, type TextReading } from './reading.ts'

/**
 * One way to write letters as numbers or signs: a pattern for a run of codes, and one for the codes in it.
 */
interface Code {
  readonly runs: RegExp
  /** Matches the code of one or several letters. The characters between codes are left out. */
  readonly letter: RegExp
  /** The letters of a code. It is undefined when they are not printable text. */
  read(letter: string): string | undefined
}

const inBase =
  (base: number) =>
  (digits: string): string | undefined => {
    const code = Number.parseInt(digits, base)
    return (code >= 0x20 && code < 0x7f) || code === 9 || code === 10 || code === 13
      ? String.fromCharCode(code)
      : undefined
  }

/** Reads UTF-7: UTF-16 in base64 between a plus and a minus sign. */
const readUtf7 = (letters: string): string | undefined => {
  const bytes = Buffer.from(letters.slice(1).replace(/-$/, ''), 'base64')
  const text = bytes
    .subarray(0, bytes.length - (bytes.length % 2))
    .swap16()
    .toString('utf16le')
  return /^[\x20-\x7e\r\n\t]+$/.test(text) ? text : undefined
}

const codes: readonly Code[] = [
  { runs: /(?<![\d.])\d{2,3}(?:[\s,;|/+-]{1,3}\d{2,3}){11,}(?!\d)/g, letter: /\d+/g, read: inBase(10) },
  {
    runs: /(?<![\d.])[01]?[0-7]{2}(?:[\s,;|/+-]{1,3}[01]?[0-7]{2}){11,}(?!\d)/g,
    letter: /\d+/g,
    read: inBase(8),
  },
  { runs: /(?:\\[01][0-7]{2}){8,}/g, letter: /[0-7]{3}/g, read: inBase(8) },
  {
    runs: /(?<!\d)[01]{7,8}(?:[\s,]{0,2}[01]{7,8}){11,}(?!\d)/g,
    letter: /[01]{7,8}(?![01])|[01]{8}/g,
    read: inBase(2),
  },
  // Quoted-printable, including its soft line breaks.
  {
    runs: /(?:=[0-9A-F]{2}|=\r?\n)+/g,
    letter: /=[0-9A-F]{2}/g,
    read: (letter) => inBase(16)(letter.slice(1)),
  },
  { runs: /\+[A-Za-z0-9+/]{3,4000}-?/g, letter: /[^]+/g, read: readUtf7 },
]

const readWith = (text: string, { runs, letter, read }: Code): TextReading | undefined => {
  const reader = createReader(text)
  for (const { 0: run, index } of text.matchAll(runs)) {
    const letters = Array.from(run.matchAll(letter), ({ 0: found, index: at }) => ({
      at: index + at,
      found,
      units: read(found),
    }))
    if (letters.some(({ units }) => units === undefined)) continue
    reader.leaveOut(index, index + run.length)
    for (const { at, found, units = '' } of letters) reader.add(units, at, at + found.length)
  }
  return reader.finish()
}

/** Decodes the codes in a text. There is one reading for each kind of code in it. */
export const decodings = (text: string): readonly TextReading[] =>
  codes.flatMap((code) => readWith(text, code) ?? [])
