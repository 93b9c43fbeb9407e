import { createRequire } from 'node:module'
import type * as Diff from 'diff'
import { prose, type Prose } from '../../core/model/chat/prose.ts'

/** One line of a difference: its mark and its text, or a note of ours. */
export type DiffLine =
  | { readonly mark: '+' | '-' | ' ' | '@'; readonly text: string }
  | { readonly note: Prose }

/** The library is loaded at the first difference, because it takes 4 MB of memory. */
const load = createRequire(import.meta.url) as (name: 'diff') => typeof Diff

const contextLines = 3
/** The bounds of one comparison: the time in milliseconds, and the number of edits. */
const bounds = { timeout: 200, maxEditLength: 2000 } as const
const maxLineUnits = 160
const edgeUnits = 30
/** The number of lines that are shown from the first difference of two texts that are too different. */
const partedLines = 12

const commonLength = (a: string, b: string, from: 'start' | 'end', max: number): number => {
  let length = 0
  while (
    length < max &&
    (from === 'start'
      ? a.charCodeAt(length) === b.charCodeAt(length)
      : a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length))
  )
    length += 1
  return length
}

/** The part of a long line around its difference from the counterpart, with the line's length. */
const cut = (text: string, other: string | undefined): string => {
  if (text.length <= maxLineUnits) return text
  const shortest = Math.min(text.length, other?.length ?? 0)
  const start = other === undefined ? 0 : commonLength(text, other, 'start', shortest)
  const end = text.length - (other === undefined ? 0 : commonLength(text, other, 'end', shortest - start))
  const from = Math.max(0, start - edgeUnits)
  const to = Math.min(text.length, Math.max(end, start) + edgeUnits)
  const middle = text.slice(from, to)
  const shown =
    middle.length <= maxLineUnits
      ? middle
      : `${middle.slice(0, maxLineUnits - 60)}… ${middle.length - maxLineUnits + 10} chars …${middle.slice(-50)}`
  return `${from > 0 ? '…' : ''}${shown}${to < text.length ? '…' : ''} (${text.length} chars)`
}

/** Makes tabs and trailing spaces visible. */
const seen = (text: string): string =>
  text.replace(/\t/g, '⇥').replace(/ +$/, (blanks) => '·'.repeat(blanks.length))
const spelled = (text: string): string =>
  text.replace(/[^\0-\x7F]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)

const changedLine = (mark: '+' | '-', text: string, other: string | undefined): DiffLine => {
  // Two Unicode spellings of one letter look the same, so they are spelled out.
  const isAlike = other !== undefined && text.normalize('NFKC') === other.normalize('NFKC')
  return { mark, text: seen(isAlike ? spelled(cut(text, other)) : cut(text, other)) }
}

/** The lines of a hunk. Each removed line is compared with the added line in the same position. */
const hunkLines = (lines: readonly string[]): readonly DiffLine[] => {
  const done: DiffLine[] = []
  for (let at = 0; at < lines.length;) {
    const runOf = (mark: string): readonly string[] => {
      const from = at
      while (
        at < lines.length &&
        (lines[at]?.startsWith(mark) === true || lines[at]?.startsWith('\\') === true)
      )
        at += 1
      return lines.slice(from, at)
    }
    const [removed, added] = [runOf('-'), runOf('+')]
    for (const [mark, run, others] of [
      ['-', removed, added],
      ['+', added, removed],
    ] as const) {
      for (const [index, line] of run.entries()) {
        done.push(
          line.startsWith('\\')
            ? { note: prose`no newline at the end` }
            : changedLine(mark, line.slice(1), others[index]?.slice(1)),
        )
      }
    }
    const line = lines[at]
    if (line?.startsWith(' ') === true) {
      done.push({ mark: ' ', text: cut(line.slice(1), undefined) })
      at += 1
    }
  }
  return done
}

const parted = (before: string, after: string): readonly DiffLine[] => {
  const [old, now] = [before.split('\n'), after.split('\n')]
  let at = 0
  while (at < old.length && old[at] === now[at]) at += 1
  return [
    {
      note: prose`too different to compare: ${old.length} lines, now ${now.length}; from line ${at + 1} on`,
    },
    ...old.slice(at, at + partedLines).map((line) => changedLine('-', line, undefined)),
    ...now.slice(at, at + partedLines).map((line) => changedLine('+', line, undefined)),
    { note: prose`the rest is not shown` },
  ]
}

/** The first line of a hunk. A hunk without lines names the line before it, as unified diffs do. */
const firstLineOf = (line: number, count: number): number => (count === 0 ? line - 1 : line)

/** The difference of two texts as a unified diff, in bounded time. */
export const diffText = (before: string, after: string): readonly DiffLine[] => {
  const patch = load('diff').structuredPatch('', '', before, after, undefined, undefined, {
    context: contextLines,
    ...bounds,
  })
  if (patch === undefined) return parted(before, after)
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    {
      mark: '@' as const,
      text: `@ -${firstLineOf(oldStart, oldLines)},${oldLines} +${firstLineOf(newStart, newLines)},${newLines} @@`,
    },
    ...hunkLines(lines),
  ])
}
