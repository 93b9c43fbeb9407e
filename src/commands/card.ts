import { failsHow, rowKey, statusWords, type FileFacts, type Row } from '../model/catalogue.ts'
import type { Entry } from '../model/entry.ts'
import { blocksBeforehand } from '../model/event.ts'
import { placesLine } from '../model/hook-world.ts'
import { formatProblem } from '../model/problem.ts'
import { fixed, joinProse, prose, type Prose } from '../model/prose.ts'
import { exactly, isText } from './file-bytes.ts'
import { fileWords, wholeHandler } from './handler.ts'
import type { CommandContext, CommandPorts } from './ports.ts'
import { powers } from './powers.ts'
import { canClose, changedWords, eventWords, isWaiting } from './row.ts'
import { oneLine, plural, shorten } from './words.ts'

const maxLines = 60
/** Of what waits: enough to know it by. All of it is a tap away. */
const maxLinesAtFirst = 8
const maxLineUnits = 500
const tailLines = 10

/** Lines of a text of somebody else's, each behind a mark, so that none passes for one of ours. What is too long for a chat is cut in the middle. */
const quotedLines = (lines: readonly string[], mark: string, maxLines: number, tailLines: number): readonly Prose[] => {
  const isCut = lines.length > maxLines
  const quoted = (line: string): Prose => prose`${fixed(mark)}${shorten(line, maxLineUnits)}`
  return [
    ...(isCut ? lines.slice(0, maxLines - tailLines) : lines).map(quoted),
    ...(isCut ? [fixed(`  … ${plural(lines.length - maxLines, 'line')} not shown …`), ...lines.slice(-tailLines).map(quoted)] : []),
  ]
}

/** A handler whole, with its length where it is not. */
const handlerLines = (row: Row, maxLines: number, tailLines: number): readonly Prose[] => {
  const whole = wholeHandler(row)
  const lines = whole.trim().split(/\r?\n/)
  const isWhole = lines.length <= maxLines && lines.every((line) => line.length <= maxLineUnits)
  return [...quotedLines(lines, lines.length === 1 ? '  ' : '  │ ', maxLines, tailLines), ...(isWhole ? [] : [fixed(`  (${lines.length} lines, ${whole.length} chars)`)])]
}

/** What a program's file says, in the very bytes that the card is about: its first lines, or as much as a chat can show. `way`: to all of it. */
const fileLines = (row: Row, file: FileFacts, ports: CardPorts, isWhole: boolean, way: string): readonly Prose[] => {
  const bytes = exactly(row.proposed === undefined ? ports.sealedBytes(row.live ?? '', file.path) : ports.proposedBytes(file.path), file)
  if (bytes === undefined) return []
  if (!isText(bytes)) return [fixed('  not shown: it is no text')]
  const lines = bytes.toString('utf8').replace(/\n$/, '').split('\n')
  if (isWhole) return quotedLines(lines, '│ ', maxLines, tailLines)
  const left = lines.length - maxLinesAtFirst
  return [...quotedLines(lines.slice(0, maxLinesAtFirst), '│ ', maxLinesAtFirst, 0), ...(left > 0 ? [fixed(`  … ${plural(left, 'more line')}${way}`)] : [])]
}

const matcherWords = ({ entry }: Row): string => {
  const { matcher: { tool, pattern, field } = {}, condition } = entry ?? {}
  const words = [
    ...(tool === undefined ? [] : [`tool ${tool}`]), ...(pattern === undefined ? [] : [pattern]),
    ...(field === undefined ? [] : [`in ${field}`]), ...(condition === undefined ? [] : [`if ${condition}`]),
  ]
  return words.length === 0 ? 'everything' : words.join(' · ')
}

/** Whether such a failure means more for this hook than its `on_error` says. */
const isShellToBlock = ({ failsClosed }: Row, { type, event, onError }: Entry): boolean =>
  failsClosed !== true && onError !== 'block' && ['command', 'process'].includes(type) && blocksBeforehand(event)

/** One option a line; what the entry does not say has none. */
const optionLines = (row: Row): readonly Prose[] => {
  const { entry } = row
  if (entry === undefined) return []
  const { args, cwd, dialect, description, model, signWith } = entry
  const env = Object.entries(entry.env).map(([name, value]) => `${name}=${value}`).join(' ')
  const flags = `${entry.isAsync ? ' · async' : ''}${entry.isWarm === true ? ' · warm' : ''}`
  const some = (title: string, value: string | undefined): readonly Prose[] => (value === undefined || value === '' ? [] : [prose`${fixed(title)}: ${oneLine(value)}`])
  return [
    ...some('says', description),
    prose`asked on: ${matcherWords(row)}`,
    fixed(`may: ${powers(row.event)}`),
    fixed(`if it fails: ${failsHow(row)}`),
    ...(isShellToBlock(row, entry) ? [fixed('if its shell or interpreter fails: blocks')] : []),
    fixed(`takes at most ${entry.timeoutMs / 1000} s · priority ${entry.priority}${flags}`),
    ...some('args', args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : JSON.stringify(arg))).join(' ')),
    ...(row.under === undefined ? [] : [fixed(`runs under: ${row.under}`)]),
    ...some('runs in', cwd),
    ...some('env', env),
    ...Object.entries(entry.headers ?? {}).flatMap(([name, value]) => some('header', `${name}: ${value}`)),
    ...some('signs with', signWith),
    ...some('model', model),
    ...(dialect === undefined ? [] : [prose`speaks ${fixed(dialect.name)}: ${dialect.event}`]),
    ...some('from', entry.origin),
  ]
}

/** Only what runs as a program here finds these places. */
const isProgram = ({ entry }: Row): boolean => entry?.type === 'command' || entry?.type === 'process'

type CardPorts = Pick<CommandPorts, 'world' | 'handle' | 'proposedBytes' | 'sealedBytes'>

/** Where a card is shown, and to whom. */
export type At = Pick<CommandContext, 'owner' | 'address'>

export interface CardLook {
  /** Its handler and its file as far as a chat can show them; else the first lines. */
  readonly isWhole: boolean
  /** Buttons stand under it; else it names what to type. */
  readonly canTap: boolean
}

/** What answers a card where nothing can be tapped. */
const typedLines = (row: Row, handle: string): readonly Prose[] => [
  ...(isWaiting(row) ? [fixed(`→ /y ${handle}`), ...(canClose(row) ? [fixed(`or, so that it blocks if it fails:\n→ /hooks approve ${handle} closed`)] : []), fixed(`or, not now:\n→ /n ${handle}`)] : []),
  ...(row.live === undefined ? [] : [fixed(`→ /hooks revoke ${handle}`)]),
]

/** One hook, whole: everything that an approval would bind or bound, and what is not as it seems. */
export const card = (row: Row, ports: CardPorts, { owner, address }: At, { isWhole, canTap }: CardLook): Prose => {
  const key = rowKey(row)
  const { watched = [], remarks = [], missing = [], uses = [] } = row
  const first = row.files[0] ?? watched[0]
  const handle = key === undefined ? '' : ports.handle(owner, address.chat_id, key)
  return joinProse([
    prose`${fixed(`${handle} ${statusWords[row.status]}`.trim())}  ${eventWords(row.event)}`,
    ...(row.status === 'changed' ? [fixed(`  ${changedWords(row)}`)] : []),
    ...(isWhole ? handlerLines(row, maxLines, tailLines) : handlerLines(row, maxLinesAtFirst, 2)),
    ...optionLines(row),
    ...(isWhole && isProgram(row) ? [fixed(placesLine(ports.world))] : []),
    ...row.files.map((file) => prose`file: ${fileWords(file, 12)}`),
    ...watched.map((file) => prose`watched: ${fileWords(file, 12)}`),
    ...row.unsealed.map((words) => prose`not sealed: ${words}`),
    ...(uses.length === 0 ? [] : [prose`uses: ${oneLine(uses.join(' · '))}`]),
    ...[...missing, ...remarks].map((words) => prose`⚠ ${oneLine(words)}`),
    ...(row.problem === undefined ? [] : [prose`⚠ ${formatProblem(row.problem)}`]),
    ...(first === undefined ? [] : fileLines(row, first, ports, isWhole, canTap ? '' : ` → /hooks show ${handle}`)),
    ...(key === undefined ? [] : [fixed(`fingerprint ${key.slice(0, 16)}`)]),
    ...(canTap || key === undefined ? [] : typedLines(row, handle)),
  ], '\n')
}
