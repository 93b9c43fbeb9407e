import type { FileFacts, ListedHook } from '../../shared/gate/catalogue.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import { prose, proseText, type Prose, verbatim, whole } from '../../core/model/chat/prose.ts'
import { exactly, exactText } from '../cards/exact.ts'
import { optionsOf, ours, some, type EntryOption } from '../cards/option.ts'
import { fitting } from '../columns.ts'
import { ourWords } from '../../shared/said/our-words.ts'
import { unchangedBytes, isText } from './file-bytes.ts'
import { diffText, type DiffLine } from './text-diff.ts'
import { kilobytes, shorten } from '../words.ts'

/** One state of a hook: as approved, as it was shown, or as it is proposed now. */
export interface Side extends Pick<ListedHook, 'files' | 'watched' | 'unsealed' | 'under' | 'interpreter'> {
  readonly entry: Entry
  /** A sealed file's bytes in this state; undefined when nobody has them. */
  bytes(file: FileFacts): Buffer | undefined
}

const maxTextBytes = 128 * 1024
/** The time for all files of a hook together, in milliseconds. A file that has begun is finished. */
const maxComparingMs = 500
/** The most lines and characters of a difference. */
export interface DifferenceLimits {
  readonly maxLines: number
  readonly maxChars: number
}

const chatLimits: DifferenceLimits = { maxLines: 60, maxChars: 3000 }
const [tailLines, tailChars] = [14, 800]

/** `shared`: the files of both states. */
const stateOptions = (
  { entry, under, interpreter, unsealed, files, watched = [] }: Side,
  shared: ReadonlySet<string>,
): readonly EntryOption[] => [
  ...Object.values(optionsOf).flatMap((of) => of(entry)),
  ...some(under, (shown) => prose`runs under: ${shown}`),
  ...some(interpreter, (shown) => prose`runs with: ${shown}`),
  ...unsealed.map((sentence) => ours('unsealed', prose`not sealed: ${ourWords(sentence)}`)),
  ...[...files, ...watched].flatMap(({ path, isExecutable }) => {
    if (isExecutable === undefined || !shared.has(path)) return []
    const line = (shown: Prose): Prose =>
      isExecutable ? prose`${shown} is executable` : prose`${shown} is not executable`
    return [{ about: path, value: path, line }]
  }),
]

/** A marked line about an option. `text` is as much of its value as a chat shows. */
interface OptionLine extends Pick<EntryOption, 'line'> {
  readonly mark: '-' | '+'
  readonly text: string
}

/** One line of the answer: a title with quotes in it, an option, or a marked line of a foreign text. */
type DifferenceLine = { readonly title: Prose; readonly units: number } | OptionLine | DiffLine
const title = (text: Prose): DifferenceLine => ({ title: text, units: proseText(text).length })

/** The whole line of an option, by which two states are compared. */
const textOf = ({ value, line }: EntryOption): string => proseText(line(whole(value)))

/** Options in which two states differ, each whole. */
const differingOptions = (before: Side, after: Side): readonly (EntryOption & Pick<OptionLine, 'mark'>)[] => {
  const pathsOf = ({ files, watched = [] }: Side): readonly string[] =>
    [...files, ...watched].flatMap(({ path, isExecutable }) => (isExecutable === undefined ? [] : [path]))
  const later = new Set(pathsOf(after))
  const shared = new Set(pathsOf(before).filter((path) => later.has(path)))
  const [old, now] = [stateOptions(before, shared), stateOptions(after, shared)]
  const missingIn = (options: readonly EntryOption[], mark: '-' | '+', others: readonly EntryOption[]) => {
    const texts = new Set(others.map(textOf))
    return options.filter((option) => !texts.has(textOf(option))).map((option) => ({ ...option, mark }))
  }
  return [...missingIn(old, '-', now), ...missingIn(now, '+', old)]
}

/** The differing options as lines. An option of several lines is compared line by line. */
const optionLines = (before: Side, after: Side): readonly DifferenceLine[] => {
  const byTitle = Map.groupBy(differingOptions(before, after), ({ about }) => about)
  return [...byTitle.values()].flatMap((mine): readonly DifferenceLine[] => {
    const [was, is] = mine
    if (was !== undefined && is !== undefined && mine.length === 2) {
      const isLong = `${was.value}${is.value}`.includes('\n') || was.value.length + is.value.length > 200
      if (isLong) return [title(was.line([])), ...diffText(was.value, is.value)]
    }
    return mine.flatMap(({ mark, line, value }) => {
      const [first = '', ...rest] = value.split('\n').map((text) => shorten(text, 300))
      return [{ mark, line, text: first }, ...rest.map((text) => ({ mark, text }))]
    })
  })
}

/** The length of an option that a difference shows in full, in UTF-16 units, and the number of options. */
const maxOptionUnits = 150
const maxOptions = 20

/** True when the difference shows each changed option in full. */
export const showsAllOptions = (before: Side, after: Side): boolean => {
  const texts = differingOptions(before, after).map(textOf)
  const isShown = (text: string): boolean => text.length <= maxOptionUnits && !text.includes('\n')
  return texts.length <= maxOptions && texts.every(isShown)
}

const factsOf = ({ bytes, sha256 }: FileFacts): string => `${kilobytes(bytes)} · ${sha256.slice(0, 8)}`
const named = ({ path }: FileFacts): string => shorten(path, 60)

const readBytes = (side: Side, file: FileFacts | undefined): Buffer | undefined =>
  file === undefined ? Buffer.alloc(0) : unchangedBytes(side.bytes(file), file)

const fileLines = (before: Side, after: Side): readonly (readonly DifferenceLine[])[] => {
  const endsAtMs = performance.now() + maxComparingMs
  const paths = [...new Set([...before.files, ...after.files].map(({ path }) => path))]
  return paths.flatMap((path): readonly (readonly DifferenceLine[])[] => {
    const [old, now] = [before, after].map(({ files }) => files.find((file) => file.path === path))
    const file = now ?? old
    if (file === undefined || old?.sha256 === now?.sha256) return []
    const head =
      old === undefined
        ? prose`${named(file)} is new: ${factsOf(file)}`
        : now === undefined
          ? prose`${named(file)} is no longer part of it`
          : prose`${named(file)} ${verbatim(`${factsOf(old)} → ${factsOf(now)}`)}`
    const bare = (why: Prose): readonly (readonly DifferenceLine[])[] => [[title(prose`${head}\n  ${why}`)]]
    if ([old, now].some((one) => (one?.bytes ?? 0) > maxTextBytes))
      return bare(prose`too large to be compared line by line`)
    if (performance.now() > endsAtMs) return bare(prose`not compared: too much changed at once`)
    const [was, is] = [readBytes(before, old), readBytes(after, now)]
    if (was === undefined || is === undefined)
      return bare(
        was === undefined
          ? prose`its older content is not available`
          : prose`it cannot be read now, or is changing`,
      )
    if (!isText(was) || !isText(is)) return bare(prose`not shown: it is not text`)
    return [[title(head), ...diffText(was.toString('utf8'), is.toString('utf8'))]]
  })
}

const watchedLines = (before: Side, after: Side): readonly (readonly DifferenceLine[])[] =>
  (before.watched ?? []).flatMap((old) => {
    const now = after.watched?.find(({ path }) => path === old.path)
    return now === undefined || now.sha256 === old.sha256
      ? []
      : [
          [
            title(
              prose`${named(old)} ${verbatim(`${factsOf(old)} → ${factsOf(now)}`)}\n  it is watched, not sealed, so its older content was not kept`,
            ),
          ],
        ]
  })

/** A marked line with so much of its foreign text. */
const marked = (line: Exclude<DifferenceLine, { title: Prose } | { note: Prose }>, shown: Prose): Prose =>
  prose`${verbatim(`│ ${line.mark}`)}${'line' in line ? line.line(shown) : shown}`

const unitsOf = (line: DifferenceLine): number => {
  if ('title' in line) return line.units
  if ('line' in line) return proseText(line.line(whole(line.text))).length + 4
  return ('note' in line ? proseText(line.note) : line.text).length + 4
}

const render = (line: DifferenceLine): Prose => {
  if ('title' in line) return line.title
  return 'note' in line
    ? prose`│ @ ${line.note}`
    : marked(line, 'line' in line ? exactly(line.text) : prose`${line.text}`)
}

/** The number of lines from one end that stay within both bounds. */
const fittingLines = (lines: readonly DifferenceLine[], max: number, units: number): number => {
  let [count, left] = [0, units]
  for (const line of lines.slice(0, max)) {
    left -= unitsOf(line)
    if (left < 0) break
    count += 1
  }
  return count
}

const changedText = (hasOptions: boolean, files: number): Prose => {
  if (files === 0) return prose`Changed: its options.`
  if (!hasOptions) return files === 1 ? prose`Changed: 1 file.` : prose`Changed: ${files} files.`
  return files === 1
    ? prose`Changed: its options and 1 file.`
    : prose`Changed: its options and ${files} files.`
}

const notShown = (count: number): Prose =>
  count === 1 ? prose`… 1 line not shown …` : prose`… ${count} lines not shown …`

/** What differs between two states, with the number of files that differ. */
const compared = (before: Side, after: Side) => {
  const options = optionLines(before, after)
  const files = [...fileLines(before, after), ...watchedLines(before, after)]
  return { head: changedText(options.length > 0, files.length), lines: [...options, ...files.flat()] }
}

/** A line of a difference, exactly. Its tabs are signs already. */
const exactLine = (text: string): string => {
  const [, tabs = '', rest = ''] = /^(⇥*)(.*)$/.exec(text) ?? []
  return rest === '' ? tabs : tabs + exactText(rest)
}

const moreLines = (count: number, way: Prose): Prose => {
  if (count === 0) return prose`All of it${way}`
  return count === 1 ? prose`… 1 line more${way}` : prose`… ${count} lines more${way}`
}

/** The most lines of a short difference, and the columns of a phone behind its mark. */
const briefLines = 4
const briefColumns = 35

/**
 * The first changed lines of two states of a hook, each on one line of a phone. `way`: where the others are.
 * Empty: nothing differs.
 */
export const briefDifferenceOf = (before: Side, after: Side, way: Prose): readonly Prose[] => {
  const { head, lines } = compared(before, after)
  if (lines.length === 0) return []
  const isChange = (line: DifferenceLine): line is Extract<DifferenceLine, { readonly mark: string }> =>
    'mark' in line && (line.mark === '+' || line.mark === '-')
  const shortened = (line: Extract<DifferenceLine, { readonly mark: string }>): Prose => {
    const title = 'line' in line ? proseText(line.line([])).length : 0
    return marked(line, whole(fitting(line.text, briefColumns - title, exactLine).shown))
  }
  const changes = lines.filter(isChange)
  const shown = changes.slice(0, briefLines)
  const left = changes.length - shown.length
  return [head, ...shown.map(shortened), ...(left > 0 || way.length > 0 ? [moreLines(left, way)] : [])]
}

/**
 * The difference of two states of a hook, in a chat at most 60 lines and 3000 characters. Empty: nothing
 * differs.
 */
export const differenceOf = (
  before: Side,
  after: Side,
  { maxLines, maxChars }: DifferenceLimits = chatLimits,
): readonly Prose[] => {
  const { head: changed, lines } = compared(before, after)
  if (lines.length === 0) return []
  const head = fittingLines(lines, maxLines, maxChars)
  const isCut = head < lines.length
  const shownHead = isCut ? fittingLines(lines, maxLines - tailLines, maxChars - tailChars) : head
  const shownTail = isCut ? fittingLines(lines.slice(shownHead).toReversed(), tailLines - 1, tailChars) : 0
  return [
    changed,
    ...lines.slice(0, shownHead).map(render),
    ...(isCut ? [notShown(lines.length - shownHead - shownTail)] : []),
    ...(shownTail === 0 ? [] : lines.slice(-shownTail).map(render)),
  ]
}
