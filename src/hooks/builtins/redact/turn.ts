import { createReader, type Reading } from './reading.ts'

/** From the mark to what ends it, or to the end of the paragraph. */
const turned = /\u202e[^\u202a-\u202e\r\n\u2029]*/g

/** What stands behind the mark that writes from right to left is read backwards; undefined where there is no such mark. */
export const turn = (text: string): Reading | undefined => {
  const reader = createReader(text)
  for (const { 0: run, index } of text.matchAll(turned)) {
    reader.leaveOut(index, index + run.length)
    for (let at = index + run.length - 1; at > index; at--) reader.add(text.charAt(at), at, at + 1)
  }
  return reader.finish()
}
