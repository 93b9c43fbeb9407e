import type { JsonObject } from '../../core/model/base/json.ts'
import { answerIn, head, type OutputFlaw } from './output.ts'

const maxRead = 1000

/** Only an object with one of these words can refuse, ask or permit. Most lines of a long log have none. */
const mayDecide = /deny|block|ask|defer|allow|approve|false/i

/** A field name that decides something, in single or double quotes. */
const steers =
  /["'](?:decision|permission_?decision|behavior|permission|action|ok|allow|allowed|approved|continue)["']\s*:/i

/**
 * The colours that `jq -C` and others print around an answer and within it. The pattern takes no other escape
 * sequences, because one that an agent writes could take a part of the hook's own words with it.
 */
const colours = /\u001B\[[\d;]*[mK]/g

/**
 * Returns whether a text that is not an answer holds the beginning of one: a line opens an object, and a
 * field name that decides something follows.
 */
const hasBroken = (text: string): boolean => {
  const from = text.search(/^[ \t]*\{/m)
  return from !== -1 && steers.test(text.slice(from))
}

/**
 * Finds the JSON objects in a text, in order. An object is one line, or it reaches from a line `{` to a line
 * `}`, as jq prints it. Colours do not count. An object inside a longer line is a quotation and is skipped.
 * `unread` counts earlier candidates that were not read. `isBroken` is true if an unreadable answer begins
 * beside the objects.
 */
export const objectsIn = (
  printed: string,
): { readonly objects: readonly JsonObject[]; readonly unread: number; readonly isBroken: boolean } => {
  const stdout = printed.replaceAll(colours, '')
  const lines = mayDecide.test(stdout) ? stdout.split(/\r\n?|\n/) : []
  const found: { readonly from: number; readonly to: number; readonly text: string }[] = []
  // The number of the last line that is only `{`.
  let open: number | undefined
  const add = (from: number, to: number): void => {
    const text = lines.slice(from, to).join('\n')
    if (mayDecide.test(text)) found.push({ from, to, text })
  }
  for (const [at, line] of lines.entries()) {
    const words = line.trim()
    // An indented line may be a part of the open object.
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
  const printed = head(stdout.trim())
  const words = isBroken
    ? `It printed an answer that cannot be read: ${printed}. Write it with a JSON tool such as jq: text that is put together by hand breaks at a quotation mark, and no name may stand twice.`
    : `It printed text that is no answer: ${printed}. Print one JSON object or nothing to stdout, and logs to stderr.`
  return { kind: isBroken ? 'garbled' : 'output', detail: words }
}

/** The error for a text in which an answer begins and cannot be read. It may have been a refusal. */
export const brokenAnswer = (stdout: string): OutputFlaw => flawOf(stdout, true)

/** The error for a text that is not an answer. */
export const notJson = (stdout: string): OutputFlaw => flawOf(stdout, objectsIn(stdout).isBroken)
