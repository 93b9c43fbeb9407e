import { failsHow, rowKey, type FileFacts, type ListedHook } from '../../shared/gate/catalogue.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import type { NoticeFile } from '../../core/model/chat/notice.ts'
import { problemWords } from '../../shared/said/our-words.ts'
import { placesLine } from '../../shared/hooks/hook-world.ts'
import { fromTable, ofHook, prose, type Prose, verbatim, proseLines } from '../../core/model/chat/prose.ts'
import { hookName, shippedIn, type ShippedPorts } from '../families/shipped/shipped.ts'
import { powers } from '../powers.ts'
import {
  handlerLines,
  machineLines,
  markedLines,
  optionLines,
  surroundingLines,
  withoutDescription,
} from './binding.ts'
import { evidenceLines } from './evidence.ts'
import { exactLines } from './exact.ts'
import { differenceInBrief } from '../diff/brief.ts'
import { unchangedBytes, isText } from '../diff/file-bytes.ts'
import type { SidePorts } from '../diff/sides.ts'
import type { CommandContext, CommandPorts } from '../ports.ts'
import {
  canClose,
  changedWords,
  digestOf,
  eventWords,
  isWaiting,
  ownHook,
  statusOf,
  whenWords,
} from './row.ts'
import { beginning, oneLine, shorten } from '../words.ts'

/** The part of a program's file that a whole card shows, in lines and UTF-16 units. */
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
/** The part of a file's own description that a short card shows, in characters: two lines of a phone. */
const maxSaysChars = 70

const notShown = (count: number): Prose =>
  count === 1 ? prose`  … 1 line not shown …` : prose`  … ${count} lines not shown …`

/** A file's lines as far as a chat can show them. */
const fileTextLines = (lines: readonly string[], maxLines: number): readonly Prose[] => {
  const isCut = lines.length > maxLines
  const quoted = (some: readonly string[]): readonly Prose[] =>
    markedLines(
      exactLines(some.join('\n')).map((line) => shorten(line, maxLineUnits)),
      '│ ',
    )
  if (!isCut) return quoted(lines)
  const gap = notShown(lines.length - maxLines)
  return [...quoted(lines.slice(0, maxLines - tailLines)), gap, ...quoted(lines.slice(-tailLines))]
}

/** The bytes of a program's file, if they are exactly those of the card. */
const fileBytes = (row: ListedHook, file: FileFacts, ports: CardPorts): Buffer | undefined => {
  const read =
    row.proposed === undefined ? ports.sealedBytes(row.live ?? '', file.path) : ports.proposedBytes(file)
  return unchangedBytes(read, file)
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

/** The lines of a program's file, from exactly the bytes of the card. */
const fileLines = (row: ListedHook, file: FileFacts, ports: CardPorts): readonly Prose[] => {
  const bytes = fileBytes(row, file, ports)
  if (bytes === undefined) return []
  if (!isText(bytes)) return [prose`  not shown: it is not text`]
  const text = textOf(bytes)
  return fileTextLines(text.split('\n'), text.length > maxFileUnits ? 60 : maxLinesWhole)
}

/** True when the hook runs as a program on this machine. */
const isProgram = ({ entry }: ListedHook): boolean => entry?.type === 'command' || entry?.type === 'process'

/** What the cards of hooks are made of. */
export type CardPorts = Pick<CommandPorts, 'evidenceOf' | 'handle' | 'world'> & SidePorts & ShippedPorts

/** The chat and the owner of a card. */
export type At = Pick<CommandContext, 'owner' | 'address'>

export interface CardLook {
  /** True: all that an approval would bind, at any length. False: what a person decides by. */
  readonly isWhole: boolean
  /** True when a file can be sent beside the card. */
  readonly takesFiles: boolean
  /** True when the card has buttons. Without them it names the commands to type. */
  readonly canTap: boolean
}

/** The commands that answer a card without buttons. */
const typedLines = (row: ListedHook, handle: string, isAll: boolean): readonly Prose[] => {
  const name = verbatim(handle)
  const yes = isAll && isWaiting(row)
  return [
    yes && prose`→ /y ${name}`,
    yes && canClose(row) && prose`or, so that it blocks if it fails:\n→ /hooks approve ${name} closed`,
    yes && prose`or, so that it is only asked and recorded:\n→ /hooks shadow ${name}`,
    isWaiting(row) && prose`or, not now:\n→ /n ${name}`,
    isAll && row.status === 'approved' && row.isShadow === true && prose`→ /hooks promote ${name}`,
    isAll && row.live !== undefined && prose`→ /hooks revoke ${name}`,
  ].filter((line) => line !== false)
}

const remarkWords = (count: number): Prose => (count === 1 ? prose`⚠ 1 remark` : prose`⚠ ${count} remarks`)

/** What a person decides by: what the hook does, when it is asked, and what happens when it fails. */
const briefLines = (row: ListedHook, ours: Entry | undefined): readonly Prose[] => {
  const { entry, remarks = [], missing = [], unsealed, problem } = row
  const says = entry?.description
  const when = whenWords(row)
  const known: readonly (Prose | false)[] =
    // Its owner knows what a changed hook did, and has read what changed.
    row.status === 'changed'
      ? []
      : [
          ours?.description !== undefined
            ? fromTable(ours.description)
            : says !== undefined && prose`says: ${beginning(oneLine(says), maxSaysChars)}`,
          when === undefined ? prose`asked at: ${eventWords(row.event)}` : prose`asked ${when}`,
          entry !== undefined && ours === undefined && prose`may: ${powers(row.event)}`,
        ]
  return [
    ...known,
    ...(entry === undefined ? [] : machineLines(entry)),
    entry !== undefined && prose`if it fails: ${failsHow(row) ?? []}`,
    unsealed.length > 0 && row.under === undefined && prose`⚠ not all is sealed`,
    remarks.length + missing.length > 0 && remarkWords(remarks.length + missing.length),
    problem !== undefined && prose`⚠ ${problemWords(problem)}`,
  ].filter((line) => line !== false)
}

/**
 * All that an approval would bind. These lines are never shortened. Our own description is in the language of
 * its reader.
 */
const bindingLines = (row: ListedHook, ours: Entry | undefined): readonly Prose[] => {
  const says = ours?.description
  const isOurs = says !== undefined && row.entry?.description === says
  return [
    ...handlerLines(row),
    ...optionLines(isOurs ? withoutDescription(row) : row),
    ...(isOurs ? [prose`says: ${fromTable(says)}`] : []),
    ...surroundingLines(row),
  ]
}

export interface Drawn {
  readonly text: Prose
  /** True when an owner who read it knows all that an approval would bind. */
  readonly isAll: boolean
  /** The program's file, where it is too long for the text. */
  readonly file?: NoticeFile
}

/**
 * The card of one hook. A short card says what a person decides by. It can be answered with yes only where
 * the hook is one that hookgate ships, unchanged. A whole card shows everything that an approval would bind
 * or has bound.
 */
export const card = (
  row: ListedHook,
  ports: CardPorts,
  { owner, address }: At,
  { isWhole, canTap, takesFiles }: CardLook,
): Drawn => {
  const key = rowKey(row)
  const ours = shippedIn(ports)(row)
  const isAll = isWhole || ours !== undefined
  const shows = isAll ? (digestOf(row) ?? '') : undefined
  const handle = key === undefined ? '' : ports.handle(owner, address.chat_id, key, shows)
  const head = [
    isWhole ? prose`${statusOf(row, handle, isAll)}  ${eventWords(row.event)}` : statusOf(row, handle, isAll),
    // A whole card has the command of a hook without a name on its next lines.
    (!isWhole || row.name !== undefined || ours !== undefined) && hookName(row, ours),
    row.status === 'changed' && changedWords(row),
    ...(isWhole ? [] : differenceInBrief(row, ports, canTap ? '' : handle)),
    ...evidenceLines(row, ports, handle),
  ]
  const typed = canTap || key === undefined ? [] : typedLines(row, handle, isAll)
  if (!isWhole) {
    const details = canTap || key === undefined ? [] : [prose`all of it:\n→ /hooks show ${verbatim(handle)}`]
    return {
      text: ofHook(
        ownHook(row),
        // Where a yes has to wait for all of it, the way to all of it comes first.
        proseLines(
          ...head,
          ...briefLines(row, ours),
          ...(isAll ? [...typed, ...details] : [...details, ...typed]),
        ),
      ),
      isAll,
    }
  }
  const first = row.files[0] ?? row.watched?.[0]
  const beside = takesFiles && first !== undefined ? fileBeside(row, first, ports, handle) : undefined
  const text = proseLines(
    ...head,
    ...bindingLines(row, ours),
    isProgram(row) && placesLine(ports.world),
    ...(first === undefined || beside !== undefined ? [] : fileLines(row, first, ports)),
    beside !== undefined && prose`its text is in the file beside this card`,
    key !== undefined && prose`fingerprint ${verbatim(key.slice(0, 16))}`,
    ...typed,
  )
  return { text: ofHook(ownHook(row), text), isAll, file: beside }
}
