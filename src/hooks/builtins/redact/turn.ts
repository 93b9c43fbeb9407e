import type { Reading } from './reading.ts'

const mark = '\u202e'
/** From the mark to what ends it, or to the end of the paragraph. */
const turned = /\u202e[^\u202a-\u202e\r\n\u2029]*/g

/** What stands behind the mark that writes from right to left is read backwards; undefined where there is no such mark. */
export const turn = (text: string): Reading | undefined => {
  if (!text.includes(mark)) return undefined
  const starts: number[] = []
  let [read, from] = ['', 0]
  const copy = (to: number): void => {
    read += text.slice(from, to)
    for (let at = from; at < to; at++) starts.push(at)
  }
  for (const { 0: run, index } of text.matchAll(turned)) {
    copy(index)
    from = index + run.length
    for (let at = from - 1; at > index; at--) {
      read += text.charAt(at)
      starts.push(at)
    }
  }
  copy(text.length)
  return { text: read, starts, ends: starts.map((at) => at + 1) }
}
