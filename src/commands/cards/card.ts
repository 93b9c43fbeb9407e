import { rowKey, type FileFacts, type ListedHook } from '../../shared/gate/catalogue.ts'
import type { NoticeFile } from '../../core/model/chat/notice.ts'
import { placesLine } from '../../shared/hooks/hook-world.ts'
import { ofHook, prose, proseText, type Prose, verbatim, proseLines } from '../../core/model/chat/prose.ts'
import { handlerLines, markedLines, optionLines, surroundingLines } from './binding.ts'
import { evidenceLines } from './evidence.ts'
import { exactLines } from './exact.ts'
import { exactly, isText } from '../diff/file-bytes.ts'
import type { CommandContext, CommandPorts } from '../ports.ts'
import { canClose, changedWords, digestOf, eventWords, isWaiting, ownHook, statusOf } from './row.ts'
import { shorten } from '../words.ts'

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
/**
 * A file with more lines or UTF-16 units than a few screens of a phone have is sent beside a whole card, as a
 * document. One that hooks could not judge in the time of a notice is shown by its two ends.
 */
const maxLinesInCard = 60
const maxUnitsInCard = 4000
const maxUnitsBeside = 64 * 1024
const maxLineUnits = 500
const tailLines = 10

const notShown = (count: number): Prose =>
  count === 1 ? prose`  … 1 line not shown …` : prose`  … ${count} lines not shown …`

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
  const gap = notShown(lines.length - maxLines)
  return [...quoted(lines.slice(0, maxLines - tailLines)), gap, ...quoted(lines.slice(-tailLines))]
}

/** The bytes of a program's file, if they are exactly those of the card. */
const fileBytes = (row: ListedHook, file: FileFacts, ports: CardPorts): Buffer | undefined => {
  const read =
    row.proposed === undefined ? ports.sealedBytes(row.live ?? '', file.path) : ports.proposedBytes(file)
  return exactly(read, file)
}

const textOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/\n$/, '')

/** The last part of a path, without the characters that a messenger refuses in the name of a file. */
const safeName = (path: string): string => (path.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '_').slice(-60)

/**
 * The program's file as a document beside the card, where it is long. It is a text in the form of the card,
 * so that nothing in it is invisible; its name ends so that a phone opens it as a text.
 */
const fileBeside = (
  row: ListedHook,
  file: FileFacts,
  ports: CardPorts,
  handle: string,
): NoticeFile | undefined => {
  const bytes = fileBytes(row, file, ports)
  if (bytes === undefined || !isText(bytes)) return undefined
  const text = textOf(bytes)
  const lines = text.split('\n')
  const isShort = lines.length <= maxLinesInCard && text.length <= maxUnitsInCard
  if (isShort || text.length > maxUnitsBeside) return undefined
  return { name: `${safeName(file.path)}.txt`, text: `${exactLines(text).join('\n')}\n`, handle }
}

/** The lines of a program's file, from exactly the bytes of the card. `way` leads to the whole file. */
const fileLines = (
  row: ListedHook,
  file: FileFacts,
  ports: CardPorts,
  isWhole: boolean,
  way: Prose,
): readonly Prose[] => {
  const bytes = fileBytes(row, file, ports)
  if (bytes === undefined) return []
  if (!isText(bytes)) return [prose`  not shown: it is not text`]
  const text = textOf(bytes)
  const lines = text.split('\n')
  if (isWhole) return fileTextLines(lines, '│ ', text.length > maxFileUnits ? 60 : maxLinesWhole, tailLines)
  const left = lines.length - maxLinesAtFirst
  const more =
    left <= 0 ? [] : left === 1 ? [prose`  … 1 more line${way}`] : [prose`  … ${left} more lines${way}`]
  return [...fileTextLines(lines.slice(0, maxLinesAtFirst), '│ ', maxLinesAtFirst, 0), ...more]
}

/** True when the hook runs as a program on this machine. */
const isProgram = ({ entry }: ListedHook): boolean => entry?.type === 'command' || entry?.type === 'process'

/** What the cards of hooks are made of. */
export type CardPorts = Pick<
  CommandPorts,
  'evidenceOf' | 'handle' | 'proposedBytes' | 'sealedBytes' | 'world'
>

/** The chat and the owner of a card. */
export type At = Pick<CommandContext, 'owner' | 'address'>

export interface CardLook {
  /**
   * True when an owner asked for the card. It is shown whole at any length, with as much of its file as fits.
   */
  readonly isWhole: boolean
  /** True when a file can be sent beside the card. */
  readonly takesFiles: boolean
  /** True when the card has buttons. Without them it names the commands to type. */
  readonly canTap: boolean
}

const notNow = (handle: string): Prose => prose`or, not now:\n→ /n ${verbatim(handle)}`

/** The commands that answer a card without buttons. */
const typedLines = (row: ListedHook, handle: string): readonly Prose[] => [
  ...(isWaiting(row)
    ? [
        prose`→ /y ${verbatim(handle)}`,
        ...(canClose(row)
          ? [prose`or, so that it blocks if it fails:\n→ /hooks approve ${verbatim(handle)} closed`]
          : []),
        notNow(handle),
      ]
    : []),
  ...(row.status === 'approved' && row.isShadow === true
    ? [prose`→ /hooks promote ${verbatim(handle)}`]
    : []),
  ...(row.live === undefined ? [] : [prose`→ /hooks revoke ${verbatim(handle)}`]),
]

/** All that an approval would bind. These lines are never shortened. */
const bindingLines = (row: ListedHook): readonly Prose[] => [
  ...handlerLines(row),
  ...optionLines(row),
  ...surroundingLines(row),
]

const unitsOf = (lines: readonly Prose[]): number =>
  lines.reduce((sum, line) => sum + proseText(line).length + 1, 0)

const tooLong = (lines: readonly Prose[], handle: string): readonly Prose[] => {
  const left = lines.length - maxLinesPartly
  return [
    ...(left > 0 ? [notShown(left)] : []),
    prose`⚠ Too long for one message: ${unitsOf(lines)} characters. You can approve it after you have seen all of it.`,
    prose`→ /hooks show ${verbatim(handle)}`,
  ]
}

/** The beginning of each of the first lines, and the total length. */
const partly = (lines: readonly Prose[], handle: string): readonly Prose[] => [
  ...lines.slice(0, maxLinesPartly).map((line) => {
    const text = proseText(line)
    return text.length <= maxLineUnitsPartly ? line : prose`${shorten(text, maxLineUnitsPartly)}`
  }),
  ...tooLong(lines, handle),
]

export interface Drawn {
  readonly text: Prose
  /** True when the text shows all that an approval would bind. */
  readonly isAll: boolean
  /** The program's file, where it is too long for the text. */
  readonly file?: NoticeFile
}

/**
 * The card of one hook: everything that an approval would bind or has bound, and its warnings. A card that is
 * too long and was not asked for shows a part, says so, and cannot be answered with yes.
 */
export const card = (
  row: ListedHook,
  ports: CardPorts,
  { owner, address }: At,
  { isWhole, canTap, takesFiles }: CardLook,
): Drawn => {
  const key = rowKey(row)
  const binding = bindingLines(row)
  const isAll = isWhole || unitsOf(binding) <= maxUnitsAtOnce
  const first = row.files[0] ?? row.watched?.[0]
  const shows = isAll ? (digestOf(row) ?? '') : undefined
  const handle = key === undefined ? '' : ports.handle(owner, address.chat_id, key, shows)
  const head = [
    prose`${statusOf(row, handle)}  ${eventWords(row.event)}`,
    ...(row.status === 'changed' ? [prose`  ${changedWords(row)}`] : []),
    ...evidenceLines(row, ports, handle).map((line) => prose`  ${line}`),
  ]
  const fingerprint = key === undefined ? [] : [prose`fingerprint ${verbatim(key.slice(0, 16))}`]
  if (!isAll) {
    const no = isWaiting(row) ? [notNow(handle)] : []
    const lines = [...head, ...partly(binding, handle), ...fingerprint, ...(canTap ? [] : no)]
    return { text: ofHook(ownHook(row), proseLines(...lines)), isAll }
  }
  const beside =
    isWhole && takesFiles && first !== undefined ? fileBeside(row, first, ports, handle) : undefined
  const way = canTap ? [] : prose` → /hooks show ${verbatim(handle)}`
  const text = proseLines(
    ...head,
    ...binding,
    isWhole && isProgram(row) && placesLine(ports.world),
    ...(first === undefined
      ? []
      : fileLines(
          row,
          first,
          ports,
          isWhole && beside === undefined,
          beside === undefined ? way : prose`, in the file beside this card`,
        )),
    ...fingerprint,
    ...(canTap || key === undefined ? [] : typedLines(row, handle)),
  )
  return { text: ofHook(ownHook(row), text), isAll, file: beside }
}
