import { createReader, type TextReading } from './reading.ts'

/** The marks of secrets, each reversed. */
const marks = new RegExp(
  [
    '_[posur]hg|_tap_buhtig|AI[KS]A|azIA|_mpn|tna-ks|jorp-ks|1v-ro-ks|-[pb]xox|_evil_k[sr]|-taplg',
    String.raw`_(?:ta|ac|ap|ss)phs|Jye\.|(?<=[\w-]{33})AA:\d{8}|(?<=[\w-]{43})\.GS`,
  ].join('|'),
)

/** Matches text from the right-to-left override to its end mark or the end of the paragraph. */
const turned = /\u202e[^\u202a-\u202e\r\n\u2029]*/g

/**
 * Reads text after the right-to-left override backwards. It is undefined when the text has no such character.
 */
export const turn = (text: string): TextReading | undefined => {
  const reader = createReader(text)
  for (const { 0: run, index } of text.matchAll(turned)) {
    reader.leaveOut(index, index + run.length)
    for (let at = index + run.length - 1; at > index; at--) reader.add(text.charAt(at), at, at + 1)
  }
  return reader.finish()
}

/** Reads a text backwards when it contains the reversed mark of a secret. Otherwise it is undefined. */
export const backwards = (text: string): TextReading | undefined => {
  if (!marks.test(text)) return undefined
  const last = text.length - 1
  return {
    text: text.split('').reverse().join(''),
    starts: new Int32Array(text.length).map((_, at) => last - at),
    ends: new Int32Array(text.length).map((_, at) => last - at + 1),
  }
}
