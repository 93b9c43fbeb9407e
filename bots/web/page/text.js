// @ts-check
import { h } from 'preact'
import { useState } from 'preact/hooks'

/**
 * @typedef {import('preact').ComponentChildren} Children
 * @typedef {import('../stream.ts').ShownLink} ShownLink
 * @typedef {{ type: import('../stream.ts').ShownMark['type'] | 'file', offset: number, length: number, link?: ShownLink }} Run
 */

/**
 * Lines of a file, each by itself, so that one that is folded shows where it goes on.
 * @param {string} text
 */
const linesOf = (text) => text.split(/(?<=\n)/).map((line, index) => h('span', { key: index }, line))

/** An address is never opened in this tab: the session lives here. @param {ShownLink} link @param {string} look @param {Children} words */
export const anchor = ({ url, host }, look, words) =>
  h(
    'a',
    { class: look, href: url, title: url, target: '_blank', rel: 'noopener noreferrer nofollow' },
    h('span', { class: 'words' }, words),
    host !== undefined && ' ',
    host !== undefined && h('bdi', { class: 'host' }, host),
  )

/** Hidden until it is tapped. @param {{ children?: Children }} props */
const Spoiler = ({ children }) => {
  const [isOpen, setOpen] = useState(false)
  if (isOpen) return h('span', { class: 'spoiler open' }, children)
  const open = (/** @type {Event} */ event) => {
    // It may stand in a link: this tap only opens the words.
    event.preventDefault()
    setOpen(true)
  }
  return h(
    'span',
    {
      class: 'spoiler',
      role: 'button',
      tabIndex: 0,
      'aria-label': 'Show the hidden words',
      onClick: open,
      onKeyDown: (/** @type {KeyboardEvent} */ event) =>
        (event.key === 'Enter' || event.key === ' ') && open(event),
    },
    h('span', { class: 'hidden' }, children),
  )
}

/** @type {Readonly<Record<'bold' | 'italic' | 'strike' | 'code' | 'pre' | 'quote', string>>} */
const tags = { bold: 'b', italic: 'i', strike: 's', code: 'code', pre: 'pre', quote: 'blockquote' }
/** What holds the others, when several begin and end together. */
const ranks = ['quote', 'pre', 'file', 'spoiler', 'link', 'bold', 'italic', 'strike', 'code']
const blocks = new Set(['quote', 'pre', 'file'])

/** @param {Run} run @param {string} text @param {Children} inner */
const dressed = ({ type, offset, link }, text, inner) => {
  if (type === 'link') return link === undefined ? inner : anchor(link, 'address', inner)
  if (type === 'spoiler') return h(Spoiler, { key: offset }, inner)
  if (type === 'file') return h('code', { key: offset, class: 'file' }, linesOf(text))
  return h(tags[type], { key: offset, dir: blocks.has(type) ? 'auto' : undefined }, inner)
}

/**
 * What stands from one place to another, in elements one in another. Runs that cross are cut, and none stands in
 * one of its own kind, so that their depth is bounded whatever an agent sends.
 * @param {string} text @param {number} from @param {number} to @param {readonly Run[]} runs @param {readonly string[]} open
 * @returns {Children[]}
 */
const pieces = (text, from, to, runs, open) => {
  /** @type {Children[]} */
  const all = []
  const here = runs.filter(
    ({ type, offset, length }) => offset < to && offset + length > from && !open.includes(type),
  )
  let at = from
  for (const run of here) {
    const begin = Math.max(run.offset, at)
    const end = Math.min(run.offset + run.length, to)
    if (begin >= end) continue
    const inner = pieces(
      text,
      begin,
      end,
      here.filter((other) => other !== run),
      [...open, run.type],
    )
    all.push(text.slice(at, begin), dressed({ ...run, offset: begin }, text.slice(begin, end), inner))
    at = end
  }
  return [...all, text.slice(at, to)]
}

/**
 * A text with its marks and its code. Every piece is a text node; nothing is ever parsed as markup.
 * @param {string} text @param {readonly Run[]} marks @param {readonly { readonly offset: number, readonly length: number }[]} code
 */
export const rich = (text, marks, code) => {
  /** @param {{ offset: number, length: number }} range @returns {Run} */
  const codeRun = ({ offset, length }) => ({
    type: /^ {0,2}│/.test(text.slice(offset, offset + 3)) ? 'file' : 'code',
    offset,
    length,
  })
  const runs = [...marks, ...code.map(codeRun)]
    // The line end behind a block is the block's own.
    .map((run) =>
      blocks.has(run.type) && text[run.offset + run.length] === '\n'
        ? { ...run, length: run.length + 1 }
        : run,
    )
    .toSorted(
      (a, b) => a.offset - b.offset || b.length - a.length || ranks.indexOf(a.type) - ranks.indexOf(b.type),
    )
  return pieces(text, 0, text.length, runs, [])
}

/** @param {string} found */
const codePoint = (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`

/**
 * What somebody is asked to approve, with every invisible or reordering character spelt out as `\u{…}`:
 * two texts that differ must look different.
 * @param {string} text
 */
export const visible = (text) =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{DI}]|\p{Zs}(?<! )/gu, codePoint)

/** The same for a message: its lines stay lines, and an emoji is one. @param {string} text */
export const visibleLines = (text) =>
  text.replace(
    /(\p{RGI_Emoji})|[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{DI}\p{Zs}]--[\n\u0020]]/gv,
    (found, emoji) => emoji ?? codePoint(found),
  )
