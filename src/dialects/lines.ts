import type { JsonObject } from '../model/json.ts'
import { parseObject } from './output.ts'

const maxRead = 1000

/** Only an object with such a word in it can refuse, ask or permit; a long log has many that cannot. */
const mayDecide = /deny|block|ask|defer|allow|approve|false/i

/**
 * The objects that stand in a text by themselves, in order: one line each, or, as jq prints them, from a line `{` to a
 * line `}`. Words within a longer line are a quotation. `unread`: how many more there may be, before those.
 */
export const objectsIn = (stdout: string): { readonly objects: readonly JsonObject[]; readonly unread: number } => {
  const found: string[] = []
  // The lines since the last `{` that stands alone.
  let open: string[] | undefined
  const add = (text: string): void => {
    if (mayDecide.test(text)) found.push(text)
  }
  for (const line of mayDecide.test(stdout) ? stdout.split(/\r\n?|\n/) : []) {
    const words = line.trim()
    // Indented, it may be a part of what is open.
    if (words.startsWith('{') && words.endsWith('}') && (open === undefined || line.startsWith('{'))) add(words)
    if (line.trimEnd() === '{') open = []
    open?.push(line)
    if (open !== undefined && line.trimEnd() === '}') {
      add(open.join('\n'))
      open = undefined
    }
  }
  const read = found.slice(-maxRead)
  return { objects: read.map(parseObject).filter((json) => json !== undefined), unread: found.length - read.length }
}
