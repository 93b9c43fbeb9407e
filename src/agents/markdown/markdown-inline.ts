import type { StateInline, Token } from 'markdown-it'
import type { Mark } from '../../core/model/chat/content.ts'
import type { MarkedTextWriter, OpenMark } from './marked-text.ts'

/** The mark of each known tag. `u` is a known tag without a mark. */
const looks: Readonly<Record<string, Mark['type'] | 'u'>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  s: 'strike',
  del: 'strike',
  code: 'code',
  pre: 'pre',
  u: 'u',
  a: 'link',
}
const tag = /<(\/?)(b|strong|i|em|s|del|code|pre|u|a)(?=[\s>])[^<>]*>/iy

/** A parser rule that makes each known tag a token of its own. */
export const readTag = (state: StateInline, isSilent: boolean): boolean => {
  if (state.src[state.pos] !== '<') return false
  tag.lastIndex = state.pos
  const found = tag.exec(state.src)
  if (found === null) return false
  if (!isSilent) {
    const token = state.push(found[1] === '' ? 'tag_open' : 'tag_close', '', 0)
    token.content = found[0]
    token.markup = (found[2] ?? '').toLowerCase()
  }
  state.pos += found[0].length
  return true
}

/**
 * A piece of text, or the start or end of a mark. A `tag` or a `bar` counts only as a pair, and is plain text
 * without its other half.
 */
type Atom =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'bar'; readonly text: string }
  | {
      readonly kind: 'open' | 'close'
      readonly look: Mark['type'] | 'u'
      readonly tag?: string
      readonly text: string
      readonly address?: string
      readonly title?: string
      readonly isAuto?: true
    }

const native: Readonly<Record<string, Mark['type']>> = {
  strong: 'bold',
  em: 'italic',
  s: 'strike',
  link: 'link',
}

const attribute = (token: Token, name: string): string => String(token.attrGet(name) ?? '')

const hrefIn = (text: string): string | undefined => {
  const found = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(text)
  return found?.[1] ?? found?.[2] ?? found?.[3]
}

const atomsOf = (token: Token): readonly Atom[] => {
  const { type, content, markup, info, children } = token
  if (type === 'text')
    return content
      .split(/(\|\|)/)
      .flatMap((text): readonly Atom[] =>
        text === '' ? [] : [{ kind: text === '||' ? 'bar' : 'text', text }],
      )
  if (type === 'code_inline') return [{ kind: 'code', text: content }]
  if (type === 'softbreak' || type === 'hardbreak') return [{ kind: 'text', text: '\n' }]
  if (type === 'image') {
    const address = attribute(token, 'src')
    const words = (children ?? []).flatMap(atomsOf)
    return [
      { kind: 'open', look: 'link', text: '', address, title: attribute(token, 'title') },
      ...(words.length === 0 ? [{ kind: 'text', text: 'image' } as const] : words),
      { kind: 'close', look: 'link', text: '' },
    ]
  }
  const look = looks[markup] ?? 'u'
  if (type === 'tag_open') {
    const address = look === 'link' ? hrefIn(content) : undefined
    return [{ kind: 'open', look, tag: markup, text: content, address }]
  }
  if (type === 'tag_close') return [{ kind: 'close', look, tag: markup, text: content }]
  const [, name = '', edge] = /^(\w+)_(open|close)$/.exec(type) ?? []
  const known = native[name]
  if (known === undefined || (edge !== 'open' && edge !== 'close')) return [{ kind: 'text', text: content }]
  if (known !== 'link' || edge === 'close') return [{ kind: edge, look: known, text: '' }]
  const link = { kind: 'open', look: 'link', text: '', address: attribute(token, 'href') } as const
  return [info === 'auto' ? { ...link, isAuto: true } : { ...link, title: attribute(token, 'title') }]
}

/** Returns the indexes of the tags and bars that form pairs. */
const pairsIn = (atoms: readonly Atom[]): ReadonlySet<number> => {
  const pairs = new Set<number>()
  const waiting = new Map<string, number[]>()
  let bar: number | undefined
  const touches = (atom: Atom | undefined, side: 'starts' | 'ends'): boolean =>
    atom !== undefined &&
    !/^\s*$/.test(
      atom.text === '' ? 'x' : side === 'starts' ? (atom.text[0] ?? '') : (atom.text.at(-1) ?? ''),
    )
  atoms.forEach((atom, at) => {
    if (atom.kind === 'bar') {
      if (bar === undefined) bar = touches(atoms[at + 1], 'starts') ? at : undefined
      else if (touches(atoms[at - 1], 'ends') && at > bar + 1) {
        pairs.add(bar).add(at)
        bar = undefined
      }
    } else if ((atom.kind === 'open' || atom.kind === 'close') && atom.tag !== undefined) {
      const open = waiting.get(atom.tag) ?? []
      waiting.set(atom.tag, open)
      if (atom.kind === 'open') open.push(at)
      else {
        const from = open.pop()
        if (from !== undefined) pairs.add(from).add(at)
      }
    }
  })
  return pairs
}

interface Opening {
  readonly opened: OpenMark | undefined
  /** The text after the marked text. */
  readonly after: string
  readonly address?: string
}

/** Writes the inline content of one block. */
export const writeInline = (tokens: readonly Token[], out: MarkedTextWriter): void => {
  const atoms = tokens.flatMap(atomsOf)
  const pairs = pairsIn(atoms)
  const open = new Map<string, Opening[]>()
  let spoiler: OpenMark | undefined
  let isInSpoiler = false

  const opening = ({ look, address, title, isAuto }: Extract<Atom, { kind: 'open' | 'close' }>): Opening => {
    if (look === 'u') return { opened: undefined, after: '' }
    if (look !== 'link') return { opened: out.begin(look), after: '' }
    if (address === undefined) return { opened: undefined, after: '' }
    const opened = out.beginLink(address)
    // The text of an automatic link is its address.
    if (isAuto === true) return { opened, after: '', address }
    const words = [opened === undefined ? address : '', title ?? ''].filter((word) => word !== '').join(' ')
    return { opened, after: words === '' ? '' : ` (${words})`, address }
  }

  atoms.forEach((atom, at) => {
    if (atom.kind === 'text') out.write(atom.text)
    else if (atom.kind === 'code') {
      const code = out.begin('code')
      out.write(atom.text)
      out.end(code)
    } else if (atom.kind === 'bar') {
      if (!pairs.has(at)) out.write(atom.text)
      else if (isInSpoiler) out.end(spoiler)
      else spoiler = out.begin('spoiler')
      if (pairs.has(at)) isInSpoiler = !isInSpoiler
    } else if (atom.tag !== undefined && !pairs.has(at)) out.write(atom.text)
    else {
      const key = `${atom.look}${atom.tag ?? ''}`
      const stack = open.get(key) ?? []
      open.set(key, stack)
      if (atom.kind === 'open') stack.push(opening(atom))
      else {
        const closing = stack.pop()
        // A link without a text shows its address.
        if (closing?.opened?.field !== undefined && closing.opened.start === undefined)
          out.write(closing.address ?? '')
        out.end(closing?.opened)
        out.write(closing?.after ?? '')
      }
    }
  })
}
