// @ts-check
import { h } from 'preact'
import { useState } from 'preact/hooks'
import { e } from './elements.js'
import { t } from './language/language.js'

/**
 * @typedef {import('./elements.js').Children} Children
 * @typedef {import('../stream.ts').ShownLink} ShownLink
 * @typedef {{ type: import('../stream.ts').ShownMark['type'] | 'file', offset: number, length: number,
 *   link?: ShownLink }} Run
 */

/**
 * The text of a notice begins with a shield for messengers that show only text. The page shows it elsewhere.
 * @param {string} text
 */
export const withoutShield = (text) => text.replace(/^\u{1F6E1}\uFE0F? /u, '')

/**
 * The lines of a file, each in its own element. A line that wraps is indented, which shows that it continues.
 * @param {string} text
 */
const linesOf = (text) => text.split(/(?<=\n)/).map((line, index) => e('span', { key: index }, line))

/**
 * A link. It opens in a new tab, because this tab holds the session.
 * @param {ShownLink} link @param {string} look @param {Children} words
 */
export const anchor = ({ url, host }, look, words) =>
  e(
    `a.${look}`,
    { href: url, title: url, target: '_blank', rel: 'noopener noreferrer nofollow' },
    e('span.words', words),
    host !== undefined && [' ', e('bdi.host', host)],
  )

/** A text that is hidden until it is tapped. @param {{ children?: Children }} props */
const Spoiler = ({ children }) => {
  const [isOpen, setOpen] = useState(false)
  if (isOpen) return e('span.spoiler.open', children)
  const open = (/** @type {Event} */ event) => {
    // The text may be inside a link. The first tap only shows the text.
    event.preventDefault()
    setOpen(true)
  }
  return e(
    'span.spoiler',
    {
      role: 'button',
      tabIndex: 0,
      'aria-label': t.showHidden,
      onClick: open,
      onKeyDown: (/** @type {KeyboardEvent} */ event) =>
        (event.key === 'Enter' || event.key === ' ') && open(event),
    },
    e('span.hidden', children),
  )
}

/** @type {Readonly<Record<'bold' | 'italic' | 'strike' | 'code' | 'pre' | 'quote', string>>} */
const tags = { bold: 'b', italic: 'i', strike: 's', code: 'code', pre: 'pre', quote: 'blockquote' }
/** Of several runs with the same range, the first in this list is the outer element. */
const nestingOrder = ['quote', 'pre', 'file', 'spoiler', 'link', 'bold', 'italic', 'strike', 'code']
const blocks = new Set(['quote', 'pre', 'file'])

/** @param {Run} run @param {string} text @param {Children} inner */
const elementOf = ({ type, offset, link }, text, inner) => {
  if (type === 'link') return link === undefined ? inner : anchor(link, 'address', inner)
  if (type === 'spoiler') return h(Spoiler, { key: offset }, inner)
  if (type === 'file') return e('code.file', { key: offset }, linesOf(text))
  return e(tags[type], { key: offset, dir: blocks.has(type) ? 'auto' : undefined }, inner)
}

/**
 * The text of a range as nested elements. Runs that overlap in part are cut. No run is inside a run of the
 * same
 * type, which bounds the depth for every text that an agent can send.
 * @param {string} text @param {number} from @param {number} to
 * @param {readonly Run[]} runs @param {readonly string[]} open @returns {Children[]}
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
    all.push(text.slice(at, begin), elementOf({ ...run, offset: begin }, text.slice(begin, end), inner))
    at = end
  }
  return [...all, text.slice(at, to)]
}

/**
 * A text with its marks and its code as elements. Every piece of text is a text node and is never parsed as
 * markup.
 * @param {string} text @param {readonly Run[]} marks @param {import('../stream.ts').ChatMessage['code']} code
 */
export const rich = (text, marks, code) => {
  /** @param {{ offset: number, length: number }} range @returns {Run} */
  const codeRun = ({ offset, length }) => ({
    type: /^ {0,2}│/.test(text.slice(offset, offset + 3)) ? 'file' : 'code',
    offset,
    length,
  })
  const runs = [...marks, ...code.map(codeRun)]
    // The line end after a block belongs to the block.
    .map((run) =>
      blocks.has(run.type) && text[run.offset + run.length] === '\n'
        ? { ...run, length: run.length + 1 }
        : run,
    )
    .toSorted(
      (a, b) =>
        a.offset - b.offset ||
        b.length - a.length ||
        nestingOrder.indexOf(a.type) - nestingOrder.indexOf(b.type),
    )
  return pieces(text, 0, text.length, runs, [])
}

/** @param {string} found */
const codePoint = (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`

/**
 * Writes every invisible or reordering character as `\u{…}`. In a text that somebody has to approve, two
 * different
 * texts must look different.
 * @param {string} text
 */
export const visible = (text) =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{DI}]|\p{Zs}(?<! )/gu, codePoint)

/** Does the same for a message, but keeps line ends and emoji. @param {string} text */
export const visibleLines = (text) =>
  text.replace(
    /(\p{RGI_Emoji})|[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{DI}\p{Zs}]--[\n\u0020]]/gv,
    (found, emoji) => emoji ?? codePoint(found),
  )

/** The longest name of a hook on a button or in a heading, in characters. */
const maxNameUnits = 60

/** A name that a file chose, on one line of bounded length. @param {string} name */
export const shortName = (name) => {
  const head = name.slice(0, 2 * maxNameUnits).toWellFormed()
  const shown = visible(head)
  return shown.length <= maxNameUnits && head === name
    ? shown
    : `${shown.slice(0, maxNameUnits - 1).toWellFormed()}…`
}

/**
 * A text of a file as one can read it: lines and tabs stay, and what is invisible is written out.
 * @param {string} text
 */
export const visibleCode = (text) =>
  text.replace(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{DI}\p{Zs}]--[\n\t\u0020]]/gv, codePoint)
