import { createReader, type TextReading } from './reading.ts'

/** Marks of secrets, each from its end to its beginning. */
const marks = new RegExp(
  [
    '_[posur]hg|_tap_buhtig|AI[KS]A|azIA|_mpn|tna-ks|jorp-ks|1v-ro-ks|-[pb]xox|_evil_k[sr]|Jye|-taplg',
    String.raw`_(?:ta|ac|ap|ss)phs|[\w-]{33}AA:\d{8}|[\w-]{43}\.GS`,
  ].join('|'),
)

/** From the mark to what ends it, or to the end of the paragraph. */
const turned = /\u202e[^\u202a-\u202e\r\n\u2029]*/g

/** What stands behind the mark that writes from right to left is read backwards; undefined where there is no such mark. */
export const turn = (text: string): TextReading | undefined => {
  const reader = createReader(text)
  for (const { 0: run, index } of text.matchAll(turned)) {
    reader.leaveOut(index, index + run.length)
    for (let at = index + run.length - 1; at > index; at--) reader.add(text.charAt(at), at, at + 1)
  }
  return reader.finish()
}

/** A text read from its end, where it holds the mark of a secret that way; undefined where it does not. */
export const backwards = (text: string): TextReading | undefined => {
  if (!marks.test(text)) return undefined
  const places = Array.from({ length: text.length }, (_, at) => text.length - 1 - at)
  return {
    text: places.map((at) => text.charAt(at)).join(''),
    starts: places,
    ends: places.map((at) => at + 1),
  }
}
