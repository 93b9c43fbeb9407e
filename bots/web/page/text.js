// @ts-check
import { h } from 'preact'

/**
 * Lines of a file, each by itself, so that one that is folded shows where it goes on.
 * @param {string} text
 */
const linesOf = (text) => text.split(/(?<=\n)/).map((line, index) => h('span', { key: index }, line))

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
    const isFile = /^ {0,2}│/.test(text.slice(offset, offset + 3))
    // The line end behind a block is the block's own.
    const end = offset + length + (isFile && text[offset + length] === '\n' ? 1 : 0)
    const piece = text.slice(offset, end)
    pieces.push(text.slice(at, offset), isFile ? h('code', { key: offset, class: 'file' }, linesOf(piece)) : h('code', { key: offset }, piece))
    at = end
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
