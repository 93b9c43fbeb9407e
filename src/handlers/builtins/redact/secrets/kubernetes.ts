import type { Span } from '../span.ts'
import { isWritten } from './assigned.ts'

/** A document that is a Secret of Kubernetes, in YAML or JSON. */
const kind = /\bkind["']?[ \t]{0,4}:[ \t]{0,4}["']?secret(?:List)?["']?[ \t]{0,40}(?=[\r\n,}#]|$)/gi
/** The most characters before and behind the kind that belong to its document. */
const documentUnits = 12_000
const ending = /\n[ \t]{0,20}---[ \t]{0,40}(?:\r?\n|$)/g

/** The beginning of the values, and the indentation of the line. */
const data =
  /(?:^|\n)([ \t]{0,40}(?:- )?)["']?(stringData|data)["']?[ \t]{0,4}:[ \t]{0,40}(?:#[^\n]{0,200})?\r?\n/g
/** A line of the values: its indentation, and the value, which may be the next line of a long one. */
const line =
  /([ \t]{0,60})(#|[^\n:#]{1,200}:[ \t]{1,4}["']?(?=[^\n])|["']?)([^\n"']{0,12000})["']?[^\n]{0,200}(?:\n|$)/y
const jsonData = /\b(stringData|data)["']?\s{0,8}:\s{0,8}\{([^{}]{0,12000})\}/g
const jsonPair = /[^"'\s:]["']?\s{0,4}:\s{0,4}["']?([^"'\s,]{1,12000})/g

/** A value in base64 of at least five bytes. */
const isEncoded = (value: string): boolean =>
  /^[A-Za-z0-9+/]{7,}={0,2}$/.test(value) && !/^(.)\1+$/.test(value)
/** A value that is written as it is, and not as a template. */
const isPlain = (value: string): boolean => value.length >= 8 && !/[{}$<>\s]|^[|>*&!]/.test(value)

const valuesIn = (text: string, from: number, to: number): readonly Span[] => {
  const found: Span[] = []
  const document = text.slice(from, to)
  const add = (name: string, at: number, value: string): void => {
    if (isWritten(value) && (name === 'data' ? isEncoded(value) : isPlain(value)))
      found.push({ start: from + at, end: from + at + value.length, kind: 'kubernetes secret' })
  }
  for (const { 0: head, 1: indentation = '', 2: name = '', index } of document.matchAll(data)) {
    line.lastIndex = index + head.length
    for (let match = line.exec(document); match !== null && match[0] !== ''; match = line.exec(document)) {
      const { 0: whole, 1: space = '', 2: label = '', 3: rest = '', index: at } = match
      if (whole.trim() !== '' && space.length <= indentation.length) break
      const value = rest.replace(/\s#[^]*/, '').trim()
      if (label !== '#') add(name, at + space.length + label.length + rest.indexOf(value), value)
    }
  }
  for (const { 0: whole, 1: name = '', 2: body = '', index } of document.matchAll(jsonData))
    for (const { 0: written, 1: value = '', index: at } of body.matchAll(jsonPair))
      add(name, index + whole.length - 1 - body.length + at + written.length - value.length, value)
  return found
}

/** Finds the values of Secrets. They are in base64, which hides nothing. */
export const findKubernetes = (text: string): readonly Span[] => {
  const found: Span[] = []
  let until = 0
  for (const { index } of text.matchAll(kind)) {
    // A list of Secrets is looked at in steps of half a document.
    if (index < until - documentUnits / 2) continue
    const first = Math.max(0, index - documentUnits)
    const from = first + (Array.from(text.slice(first, index).matchAll(ending)).at(-1)?.index ?? 0)
    const behind = text.slice(index, index + documentUnits)
    const length = behind.search(ending)
    until = index + (length === -1 ? behind.length : length)
    found.push(...valuesIn(text, from, until))
  }
  return found
}
