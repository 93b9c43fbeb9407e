import { failWords, type FileFacts, type ListedHook } from '../../shared/gate/catalogue.ts'
import { durationWords } from '../../core/model/base/clock.ts'
import { limitWords } from '../../shared/hooks/budget.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import { prose, proseText, type Prose, verbatim, whole } from '../../core/model/chat/prose.ts'
import { exactText } from '../cards/exact.ts'
import { fitting } from '../columns.ts'
import { exactly, isText } from './file-bytes.ts'
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

const json = (value: unknown): string => JSON.stringify(value)
const pairs = (title: string, values: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(values)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => (value === undefined ? [] : [`${title} ${name}: ${json(value)}`]))

const some = (title: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`${title}: ${value}`]

/** The text of every option. By its type, a new option without a text is a compile error. */
const words: Readonly<{ [Key in keyof Required<Entry>]: (entry: Entry) => readonly string[] }> = {
  event: ({ event }) => [`event: ${event}`],
  type: ({ type }) => [`type: ${type}`],
  command: ({ command }) => [`command: ${command}`],
  args: ({ args }) => args.map((arg) => `argument: ${json(arg)}`),
  shell: ({ shell }) => some('shell', shell),
  dialect: ({ dialect }) =>
    some('speaks', dialect === undefined ? undefined : `${dialect.name}: ${dialect.event}`),
  agents: ({ agents = [] }) => (agents.length === 0 ? [] : [`for the agents: ${agents.join(' ')}`]),
  matcher: ({ matcher = {} }) => pairs('asked on', { ...matcher }),
  condition: ({ condition }) => some('asked if', condition),
  timeoutMs: ({ timeoutMs }) => [`timeout: ${timeoutMs / 1000} s`],
  onError: ({ onError }) => [`if it fails: ${proseText(failWords[onError])}`],
  priority: ({ priority }) => [`priority: ${priority}`],
  isAsync: ({ isAsync }) => (isAsync ? ['async'] : []),
  isWarm: ({ isWarm }) => (isWarm === true ? ['warm'] : []),
  cwd: ({ cwd }) => some('runs in', cwd),
  env: ({ env }) => pairs('env', env),
  files: ({ files }) => files.map((file) => `listed file: ${file}`),
  root: ({ root }) => some('its folder', root),
  headers: ({ headers = {} }) => pairs('header', headers),
  signWith: ({ signWith }) => some('signs with', signWith),
  model: ({ model }) => some('model', model),
  limits: ({ limits = {} }) => limitWords(limits).map((limit) => `limit ${limit}`),
  price: ({ price }) =>
    price === undefined
      ? []
      : [`price of a million tokens: input ${price.input}, output ${price.output} dollars`],
  quiet: ({ quiet = {} }) => (typeof quiet === 'string' ? [`quiet: ${quiet}`] : pairs('quiet', quiet)),
  busyMs: ({ busyMs }) => some('busy after', busyMs === undefined ? undefined : durationWords(busyMs)),
  node: ({ node }) => some('runs on the node', node),
  nodes: ({ nodes }) => some('runs on the machines', nodes),
  origin: ({ origin }) => [`from: ${origin}`],
  description: ({ description }) => some('says', description),
  name: () => [],
}

/** `shared`: the files of both states. */
const optionsOf = (
  { entry, under, interpreter, unsealed, files, watched = [] }: Side,
  shared: ReadonlySet<string>,
): readonly string[] => [
  ...Object.values(words).flatMap((of) => of(entry)),
  ...some('runs under', under),
  ...some('runs with', interpreter),
  ...unsealed.map((sentence) => `not sealed: ${sentence}`),
  ...[...files, ...watched].flatMap(({ path, isExecutable }) =>
    isExecutable === undefined || !shared.has(path)
      ? []
      : [`${path} is ${isExecutable ? '' : 'not '}executable`],
  ),
]

/** One line of the answer: a title with quotes in it, or a marked line of a foreign text. */
type DifferenceLine = { readonly title: Prose; readonly units: number } | DiffLine
const title = (text: Prose): DifferenceLine => ({ title: text, units: proseText(text).length })

/** Options in which two states differ, each whole. */
const differingOptions = (before: Side, after: Side): readonly (readonly [string, '-' | '+'])[] => {
  const pathsOf = ({ files, watched = [] }: Side): readonly string[] =>
    [...files, ...watched].flatMap(({ path, isExecutable }) => (isExecutable === undefined ? [] : [path]))
  const later = new Set(pathsOf(after))
  const shared = new Set(pathsOf(before).filter((path) => later.has(path)))
  const [old, now] = [optionsOf(before, shared), optionsOf(after, shared)]
  const missingIn = (lines: readonly string[], mark: '-' | '+', others: readonly string[]) =>
    lines.filter((line) => !others.includes(line)).map((line) => [line, mark] as const)
  return [...missingIn(old, '-', now), ...missingIn(now, '+', old)]
}

/** The differing options as lines. An option of several lines is compared line by line. */
const optionLines = (before: Side, after: Side): readonly DifferenceLine[] => {
  const lines = differingOptions(before, after)
  const keyOf = (line: string): string => line.split(':', 1)[0] ?? ''
  const keys = [...new Set(lines.map(([line]) => keyOf(line)))]
  return keys.flatMap((key): readonly DifferenceLine[] => {
    const mine = lines.filter(([line]) => keyOf(line) === key)
    const [[was] = [''], [is] = ['']] = mine
    const isLong = was.includes('\n') || is.includes('\n') || was.length + is.length > 200
    if (mine.length === 2 && isLong) return [title(prose`${key}:`), ...diffText(was, is)]
    return mine.flatMap(([line, mark]) =>
      line.split('\n').map((text): DifferenceLine => ({ mark, text: shorten(text, 300) })),
    )
  })
}

/** The length of an option that a difference shows in full, in UTF-16 units, and the number of options. */
const maxOptionUnits = 150
const maxOptions = 20

/** True when the difference shows each changed option in full. */
export const showsAllOptions = (before: Side, after: Side): boolean => {
  const lines = differingOptions(before, after)
  const isShown = (line: string): boolean => line.length <= maxOptionUnits && !line.includes('\n')
  return lines.length <= maxOptions && lines.every(([line]) => isShown(line))
}

const factsOf = ({ bytes, sha256 }: FileFacts): string => `${kilobytes(bytes)} · ${sha256.slice(0, 8)}`
const named = ({ path }: FileFacts): string => shorten(path, 60)

const readBytes = (side: Side, file: FileFacts | undefined): Buffer | undefined =>
  file === undefined ? Buffer.alloc(0) : exactly(side.bytes(file), file)

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

const unitsOf = (line: DifferenceLine): number => {
  if ('title' in line) return line.units
  return ('note' in line ? proseText(line.note) : line.text).length + 4
}

const render = (line: DifferenceLine): Prose => {
  if ('title' in line) return line.title
  return 'note' in line ? prose`│ @ ${line.note}` : prose`${verbatim(`│ ${line.mark}`)}${line.text}`
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
  const isChange = (line: DifferenceLine): line is Extract<DiffLine, { readonly mark: string }> =>
    'mark' in line && (line.mark === '+' || line.mark === '-')
  const changes = lines.filter(isChange)
  const shown = changes.slice(0, briefLines)
  const left = changes.length - shown.length
  return [
    head,
    ...shown.map(
      ({ mark, text }) =>
        prose`${verbatim(`│ ${mark}`)}${whole(fitting(text, briefColumns, exactLine).shown)}`,
    ),
    ...(left > 0 || way.length > 0 ? [moreLines(left, way)] : []),
  ]
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
