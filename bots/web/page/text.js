// @ts-check
import { h } from 'preact'

/**
 * A text with its code ranges as `<code>`. Every piece is a text node; nothing is ever parsed as markup.
 * @param {string} text @param {readonly { readonly offset: number, readonly length: number }[]} code
 */
export const withCode = (text, code) => {
  /** @type {(string | import('preact').VNode)[]} */
  const pieces = []
  let at = 0
  for (const { offset, length } of code.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < at || length <= 0 || offset >= text.length) continue
    pieces.push(text.slice(at, offset), h('code', { key: offset }, text.slice(offset, offset + length)))
    at = offset + length
  }
  return [...pieces, text.slice(at)]
}

/**
 * What somebody is asked to approve, with every invisible or reordering character spelt out as `\u{…}`:
 * two texts that differ must look different.
 * @param {string} text
 */
export const visible = (text) =>
  text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{DI}]|\p{Zs}(?<! )/gu,
    (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`,
  )
