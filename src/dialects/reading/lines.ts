import type { JsonObject } from '../../model/base/json.ts'
import { answerIn, head, type OutputFlaw } from './output.ts'

const maxRead = 1000

/** Only an object with such a word in it can refuse, ask or permit; a long log has many that cannot. */
const mayDecide = /deny|block|ask|defer|allow|approve|false/i

/** A word that steers, as the name of a field, in quotation marks of either kind. */
const steers =
  /["'](?:decision|permission_?decision|behavior|permission|action|ok|allow|allowed|approved|continue)["']\s*:/i

/** Whether an answer begins in a text that is no answer: from a line that opens an object on, a word steers. */
const hasBroken = (text: string): boolean => {
  const from = text.search(/^[ \t]*\{/m)
  return from !== -1 && steers.test(text.slice(from))
}

/**
 * The objects that stand in a text by themselves, in order: one line each, or, as jq prints them, from a line `{` to a
 * line `}`. Words within a longer line are a quotation. `unread`: how many more there may be, before those. `isBroken`:
 * beside them an answer begins that cannot be read.
 */
export const objectsIn = (
  stdout: string,
): { readonly objects: readonly JsonObject[]; readonly unread: number; readonly isBroken: boolean } => {
  const lines = mayDecide.test(stdout) ? stdout.split(/\r\n?|\n/) : []
  const found: { readonly from: number; readonly to: number; readonly text: string }[] = []
  // Where the last `{` that stands alone is.
  let open: number | undefined
  const add = (from: number, to: number): void => {
    const text = lines.slice(from, to).join('\n')
    if (mayDecide.test(text)) found.push({ from, to, text })
  }
  for (const [at, line] of lines.entries()) {
    const words = line.trim()
    // Indented, it may be a part of what is open.
    if (words.startsWith('{') && words.endsWith('}') && (open === undefined || line.startsWith('{')))
      add(at, at + 1)
    if (line.trimEnd() === '{') open = at
    if (open !== undefined && line.trimEnd() === '}') {
      add(open, at + 1)
      open = undefined
    }
  }
  const objects: JsonObject[] = []
  for (const { from, to, text } of found.slice(-maxRead)) {
    const json = answerIn(text)
    if (json === undefined) continue
    objects.push(json)
    lines.fill('', from, to)
  }
  return {
    objects,
    unread: Math.max(0, found.length - maxRead),
    isBroken: hasBroken(found.length === 0 ? stdout : lines.join('\n')),
  }
}

const flawOf = (stdout: string, isBroken: boolean): OutputFlaw => {
  const said = `Expected one JSON object or nothing on stdout, got ${head(stdout.trim())}.`
  const more =
    ' An answer that is put together as text breaks at a quotation mark, and a name that stands twice makes it none.'
  return { kind: isBroken ? 'garbled' : 'output', detail: isBroken ? said + more : said }
}

/** Of a text in which an answer begins and breaks off: it may have been a refusal. */
export const brokenAnswer = (stdout: string): OutputFlaw => flawOf(stdout, true)

/** Why a text is no answer. */
export const notJson = (stdout: string): OutputFlaw => flawOf(stdout, objectsIn(stdout).isBroken)
