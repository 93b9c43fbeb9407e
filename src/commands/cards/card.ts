import { rowKey, statusWords, type FileFacts, type ListedHook } from '../../model/gate/catalogue.ts'
import { placesLine } from '../../model/hooks/hook-world.ts'
import { fixed, heading, joinProse, prose, proseText, type Prose } from '../../model/chat/prose.ts'
import { handlerLines, markedLines, optionLines, surroundingLines } from './binding.ts'
import { exactLines } from './exact.ts'
import { exactly, isText } from '../diff/file-bytes.ts'
import type { CommandContext, HandlePorts, HousePorts, SealPorts } from '../ports.ts'
import { canClose, changedWords, digestOf, eventWords, isWaiting } from './row.ts'
import { plural, shorten } from '../words.ts'

/** What one message of any messenger shows, in UTF-16 units, with room for the first lines of a file. */
const maxUnitsAtOnce = 2400
/** Of what does not fit: enough to know it by. */
const maxLinesPartly = 24
const maxLineUnitsPartly = 200
/** Of a program's file, in lines: enough to know it by, and what somebody may read in a chat. */
const maxLinesAtFirst = 8
const maxLinesWhole = 400
const maxFileUnits = 24_000
const maxLineUnits = 500
const tailLines = 10

/** A file's lines as far as a chat can show them. */
const fileTextLines = (
  lines: readonly string[],
  mark: string,
  maxLines: number,
  tailLines: number,
): readonly Prose[] => {
  const isCut = lines.length > maxLines
  const quoted = (some: readonly string[]): readonly Prose[] =>
    markedLines(
      exactLines(some.join('\n')).map((line) => shorten(line, maxLineUnits)),
      mark,
    )
  if (!isCut) return quoted(lines)
  const gap = fixed(`  … ${plural(lines.length - maxLines, 'line')} not shown …`)
  return [...quoted(lines.slice(0, maxLines - tailLines)), gap, ...quoted(lines.slice(-tailLines))]
}

/** What a program's file says, in the very bytes that the card is about. `way`: to all of it. */
const fileLines = (
  row: ListedHook,
  file: FileFacts,
  ports: CardPorts,
  isWhole: boolean,
  way: string,
): readonly Prose[] => {
  const read =
    row.proposed === undefined ? ports.sealedBytes(row.live ?? '', file.path) : ports.proposedBytes(file.path)
  const bytes = exactly(read, file)
  if (bytes === undefined) return []
  if (!isText(bytes)) return [fixed('  not shown: it is no text')]
  const text = bytes.toString('utf8').replace(/\n$/, '')
  const lines = text.split('\n')
  if (isWhole) return fileTextLines(lines, '│ ', text.length > maxFileUnits ? 60 : maxLinesWhole, tailLines)
  const left = lines.length - maxLinesAtFirst
  const more = left > 0 ? [fixed(`  … ${plural(left, 'more line')}${way}`)] : []
  return [...fileTextLines(lines.slice(0, maxLinesAtFirst), '│ ', maxLinesAtFirst, 0), ...more]
}

/** Only what runs as a program here finds these places. */
const isProgram = ({ entry }: ListedHook): boolean => entry?.type === 'command' || entry?.type === 'process'

/** What of the gate a card shows. */
export type CardPorts = Pick<HandlePorts, 'handle'> &
  Pick<HousePorts, 'world'> &
  Pick<SealPorts, 'proposedBytes' | 'sealedBytes'>

/** Where a card is shown, and to whom. */
export type At = Pick<CommandContext, 'owner' | 'address'>

export interface CardLook {
  /** It was asked for: however long it is, it is shown whole, and its file as far as a chat can show it. */
  readonly isWhole: boolean
  /** Buttons stand under it; else it names what to type. */
  readonly canTap: boolean
}

/** What answers a card where nothing can be tapped. */
const typedLines = (row: ListedHook, handle: string): readonly Prose[] => [
  ...(isWaiting(row)
    ? [
        fixed(`→ /y ${handle}`),
        ...(canClose(row)
          ? [fixed(`or, so that it blocks if it fails:\n→ /hooks approve ${handle} closed`)]
          : []),
        fixed(`or, not now:\n→ /n ${handle}`),
      ]
    : []),
  ...(row.live === undefined ? [] : [fixed(`→ /hooks revoke ${handle}`)]),
]

/** What approving it would bind, all of it: a line that stands here is never shortened. */
const bindingLines = (row: ListedHook): readonly Prose[] => [
  ...handlerLines(row),
  ...optionLines(row),
  ...surroundingLines(row),
]

const unitsOf = (lines: readonly Prose[]): number =>
  lines.reduce((sum, line) => sum + proseText(line).length + 1, 0)

const tooLong = (lines: readonly Prose[], handle: string): readonly string[] => {
  const left = lines.length - maxLinesPartly
  return [
    ...(left > 0 ? [`  … ${plural(left, 'line')} not shown …`] : []),
    `⚠ Too long for one message: ${unitsOf(lines)} characters. ` +
      'It can be approved once you were shown all of it.',
    `→ /hooks show ${handle}`,
  ]
}

/** The beginning of each of the first lines, and how much there is in all. */
const partly = (lines: readonly Prose[], handle: string): readonly Prose[] => [
  ...lines.slice(0, maxLinesPartly).map((line) => {
    const text = proseText(line)
    return text.length <= maxLineUnitsPartly ? line : prose`${shorten(text, maxLineUnitsPartly)}`
  }),
  fixed(tooLong(lines, handle).join('\n')),
]

export interface Drawn {
  readonly text: Prose
  /** All that an approval would bind stands in it. */
  readonly isAll: boolean
}

/**
 * One hook: everything that an approval would bind or bound, and what is not as it seems. What is too long
 * to come unasked comes in part, says so, and cannot be answered with yes.
 */
export const card = (
  row: ListedHook,
  ports: CardPorts,
  { owner, address }: At,
  { isWhole, canTap }: CardLook,
): Drawn => {
  const key = rowKey(row)
  const binding = bindingLines(row)
  const isAll = isWhole || unitsOf(binding) <= maxUnitsAtOnce
  const first = row.files[0] ?? row.watched?.[0]
  const shows = isAll ? (digestOf(row) ?? '') : undefined
  const handle = key === undefined ? '' : ports.handle(owner, address.chat_id, key, shows)
  const head = [
    prose`${heading(handle, statusWords[row.status])}  ${eventWords(row.event)}`,
    ...(row.status === 'changed' ? [fixed(`  ${changedWords(row)}`)] : []),
  ]
  const fingerprint = key === undefined ? [] : [fixed(`fingerprint ${key.slice(0, 16)}`)]
  if (!isAll) {
    const no = isWaiting(row) ? [fixed(`or, not now:\n→ /n ${handle}`)] : []
    const lines = [...head, ...partly(binding, handle), ...fingerprint, ...(canTap ? [] : no)]
    return { text: joinProse(lines, '\n'), isAll }
  }
  const text = joinProse(
    [
      ...head,
      ...binding,
      ...(isWhole && isProgram(row) ? [fixed(placesLine(ports.world))] : []),
      ...(first === undefined
        ? []
        : fileLines(row, first, ports, isWhole, canTap ? '' : ` → /hooks show ${handle}`)),
      ...fingerprint,
      ...(canTap || key === undefined ? [] : typedLines(row, handle)),
    ],
    '\n',
  )
  return { text, isAll }
}
