import type { Mark, TextField } from '../../core/model/chat/content.ts'

const maxMarks = 500
const maxLinks = 100
const maxAddressUnits = 4096
/** The deepest indentation of lists, in characters. */
const maxIndent = 20

/** A text in the format of a push. */
export interface MarkedText {
  readonly text: string
  readonly marks: readonly Mark[]
  readonly parts: readonly TextField[]
}

/** A mark that was opened. It starts at the next text that is written. */
export interface OpenMark {
  readonly type: Mark['type']
  readonly field?: string
  start?: number
}

const isAddress = (address: string): boolean =>
  /^https?:\/\//i.test(address) && address.length <= maxAddressUnits && URL.canParse(address)

const isSpace = (unit: string | undefined): boolean => unit !== undefined && /\s/.test(unit)

/** Removes the space at both ends of a mark, so that no mark covers only space. */
const shrunk = (text: string, mark: Mark): Mark => {
  let [from, to] = [mark.offset, Math.min(mark.offset + mark.length, text.length)]
  if (mark.type !== 'pre') while (from < to && isSpace(text[from])) from++
  while (to > from && isSpace(text[to - 1])) to--
  return { ...mark, offset: from, length: to - from }
}

/** Shortens marks so that none crosses another, because no messenger allows that. */
const nested = (marks: readonly Mark[]): readonly Mark[] => {
  const around: number[] = []
  // Inner marks end first. Of two marks with equal length the outer one comes first.
  return marks
    .toReversed()
    .toSorted((a, b) => a.offset - b.offset || b.length - a.length)
    .map((mark) => {
      while ((around.at(-1) ?? Infinity) <= mark.offset) around.pop()
      const end = Math.min(mark.offset + mark.length, around.at(-1) ?? Infinity)
      around.push(end)
      return { ...mark, length: end - mark.offset }
    })
}

/** Builds a text block by block, and records its marks. */
export const createMarkedText = (links = maxLinks) => {
  const pieces: string[] = []
  const marks: Mark[] = []
  const parts: TextField[] = []
  const unstarted: OpenMark[] = []
  const isOpen = new Set<Mark['type']>()
  const indents: string[] = []
  let length = 0
  let breaks = 0
  let isLineStart = true

  const add = (text: string): void => {
    pieces.push(text)
    length += text.length
  }
  const indent = (): string => indents.join('').slice(0, maxIndent)

  const write = (text: string): void => {
    if (text === '') return
    if (breaks > 0 && length > 0) {
      add('\n'.repeat(breaks))
      isLineStart = true
    }
    breaks = 0
    const before = indent()
    if (isLineStart) add(before)
    for (const opened of unstarted.splice(0)) opened.start = length
    add(before === '' ? text : text.replaceAll('\n', `\n${before}`))
    isLineStart = before === '' && text.endsWith('\n')
  }

  /** Opens a mark. Returns undefined when a mark of this type is already open. */
  const begin = (type: Mark['type'], field?: string): OpenMark | undefined => {
    if (isOpen.has(type)) return undefined
    isOpen.add(type)
    const opened: OpenMark = { type, field }
    unstarted.push(opened)
    return opened
  }

  const end = (opened: OpenMark | undefined): void => {
    if (opened === undefined) return
    const { type, field, start } = opened
    isOpen.delete(type)
    if (start === undefined) unstarted.splice(unstarted.indexOf(opened), 1)
    // Links are kept when there are too many marks, because only they hold their address.
    else if (type === 'link' || marks.length < maxMarks - maxLinks)
      marks.push({ type, offset: start, length: length - start, field })
  }

  return {
    write,
    begin,
    end,
    /** Puts at least `count` line breaks before the next text. */
    gap: (count: number): void => {
      breaks = Math.max(breaks, count)
    },
    /** Opens a link. Returns undefined when the address cannot be a link. */
    beginLink: (address: string): OpenMark | undefined => {
      if (parts.length >= links || !isAddress(address) || isOpen.has('link')) return undefined
      const field = `link.${parts.length}`
      parts.push({ field, text: address })
      return begin('link', field)
    },
    beginItem: (bullet: string): void => {
      write(bullet)
      indents.push(' '.repeat(Math.min(bullet.length, maxIndent)))
    },
    endItem: (): void => {
      indents.pop()
    },
    isInItem: (): boolean => indents.length > 0,
    finish: (): MarkedText => {
      const text = pieces.join('').trimEnd()
      const all = nested(marks.map((mark) => shrunk(text, mark)).filter((mark) => mark.length > 0))
      return {
        text,
        marks: all,
        parts: parts.filter(({ field }) => all.some((mark) => mark.field === field)),
      }
    },
  }
}

export type MarkedTextWriter = ReturnType<typeof createMarkedText>
