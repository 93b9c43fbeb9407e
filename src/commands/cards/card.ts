import { rowKey, statusWords, type FileFacts, type ListedHook } from '../../model/gate/catalogue.ts'
import { placesLine } from '../../model/hooks/hook-world.ts'
import { fixed, heading, joinProse, prose, proseText, type Prose } from '../../model/chat/prose.ts'
import { handlerLines, markedLines, optionLines, surroundingLines } from './binding.ts'
import { exactLines } from './exact.ts'
import { exactly, isText } from '../diff/file-bytes.ts'
import type { CommandContext, HandlePorts, HousePorts, SealPorts } from '../ports.ts'
import { canClose, changedWords, digestOf, eventWords, isWaiting } from './row.ts'
import { plural, shorten } from '../words.ts'

/** The length that every messenger shows in one message, in UTF-16 units, less the first lines of a file. */
const maxUnitsAtOnce = 2400
/** The part that is shown of a card that does not fit, in lines and UTF-16 units per line. */
const maxLinesPartly = 24
const maxLineUnitsPartly = 200
/**
 * The part of a program's file that is shown, in lines and UTF-16 units: in a first card, and in a whole one.
 */
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

/** The lines of a program's file, from exactly the bytes of the card. `way` leads to the whole file. */
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
  if (!isText(bytes)) return [fixed('  not shown: it is not text')]
  const text = bytes.toString('utf8').replace(/\n$/, '')
  const lines = text.split('\n')
  if (isWhole) return fileTextLines(lines, '│ ', text.length > maxFileUnits ? 60 : maxLinesWhole, tailLines)
  const left = lines.length - maxLinesAtFirst
  const more = left > 0 ? [fixed(`  … ${plural(left, 'more line')}${way}`)] : []
  return [...fileTextLines(lines.slice(0, maxLinesAtFirst), '│ ', maxLinesAtFirst, 0), ...more]
}

/** True when the hook runs as a program on this machine. */
const isProgram = ({ entry }: ListedHook): boolean => entry?.type === 'command' || entry?.type === 'process'

/** The ports that a card needs. */
export type CardPorts = Pick<HandlePorts, 'handle'> &
  Pick<HousePorts, 'world'> &
  Pick<SealPorts, 'proposedBytes' | 'sealedBytes'>

/** The chat and the owner of a card. */
export type At = Pick<CommandContext, 'owner' | 'address'>

export interface CardLook {
  /**
   * True when an owner asked for the card. It is shown whole at any length, with as much of its file as fits.
   */
  readonly isWhole: boolean
  /** True when the card has buttons. Without them it names the commands to type. */
  readonly canTap: boolean
}

/** The commands that answer a card without buttons. */
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

/** All that an approval would bind. These lines are never shortened. */
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
      'You can approve it after you have seen all of it.',
    `→ /hooks show ${handle}`,
  ]
}

/** The beginning of each of the first lines, and the total length. */
const partly = (lines: readonly Prose[], handle: string): readonly Prose[] => [
  ...lines.slice(0, maxLinesPartly).map((line) => {
    const text = proseText(line)
    return text.length <= maxLineUnitsPartly ? line : prose`${shorten(text, maxLineUnitsPartly)}`
  }),
  fixed(tooLong(lines, handle).join('\n')),
]

export interface Drawn {
  readonly text: Prose
  /** True when the text shows all that an approval would bind. */
  readonly isAll: boolean
}

/**
 * The card of one hook: everything that an approval would bind or has bound, and its warnings. A card that is
 * too long and was not asked for shows a part, says so, and cannot be answered with yes.
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
