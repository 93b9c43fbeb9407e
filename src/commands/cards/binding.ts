import { failsHow, type FileFacts, type ListedHook } from '../../shared/gate/catalogue.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import { isLoadingVariable } from '../../shared/hooks/hook-world.ts'
import type { Address } from '../../core/model/chat/push.ts'
import { inLanguage, joinProse, prose, type Prose, verbatim, whole } from '../../core/model/chat/prose.ts'
import { exactLines, exactly, exactText, exactWords } from './exact.ts'
import { wholeHandler } from './handler.ts'
import { byName, optionsOf } from './option.ts'
import type { CommandPorts } from '../ports.ts'
import { powers } from '../powers.ts'
import { canOpen } from './row.ts'
import { translateInto } from '../text/catalogues.ts'
import { kilobytes, oneLine } from '../words.ts'
import { ourWords, problemWords } from '../../shared/said/our-words.ts'

/** Marks each line of a foreign text, so that none looks like a line of hookgate. */
export const markedLines = (lines: readonly string[], mark: string): readonly Prose[] =>
  lines.map((line) => [...verbatim(mark), ...whole(line)])

/** The whole handler: its command, URL or prompt. */
export const handlerLines = (row: ListedHook): readonly Prose[] => {
  const lines = exactLines(wholeHandler(row))
  return markedLines(lines, lines.length === 1 ? '  ' : '  │ ')
}

/** The effect of a failure that the agent can cause, when it differs from the entry's option for failures. */
const agentsLines = (row: ListedHook): readonly Prose[] => {
  if (row.isShadow === true && row.status !== 'changed') return []
  if (row.failsClosed === true || !canOpen(row)) return []
  if (row.failsOpen === true && row.status !== 'changed')
    return [
      prose`if the agent makes it fail (time, load, memory, disk space, its own input): goes on, your choice`,
    ]
  return [
    prose`if the agent makes it fail (time, load, memory, disk space, its own input): blocks (approved as “open” it would go on)`,
  ]
}

/** The word for a hook without a matcher. A matcher with this text is quoted, so that the two differ. */
const everything = 'everything'
const pattern = (source: string): Prose => (source === everything ? whole(`⟪${source}⟫`) : exactly(source))

/** The lines of these options, in this order. An absent option has none. */
const linesOf = (
  entry: Entry,
  keys: readonly (keyof Entry)[],
  show: (value: string) => Prose = exactly,
): readonly Prose[] =>
  keys.flatMap((key) => optionsOf[key](entry).map(({ value, line }) => line(show(value))))

/** The payloads that the hook is asked about. A change that narrows them to none disarms the hook. */
const matcherLines = (entry: Entry): readonly Prose[] => {
  const lines = linesOf(entry, ['matcher', 'condition'], pattern)
  return lines.length === 0 ? [prose`asked on: everything`] : lines
}

const variableLines = ({ env, headers = {} }: Entry): readonly Prose[] => {
  const variables = Object.entries(env).toSorted(byName)
  const loading = variables.filter(([name]) => isLoadingVariable(name))
  const assigned = ([name, value]: readonly [string, string]): Prose => exactly(`${name}=${value}`)
  return [
    ...loading.map((one) => prose`⚠ env: ${assigned(one)}`),
    ...(loading.length === 0 ? [] : [prose`  such a variable can make a program load other code`]),
    ...variables.filter((one) => !loading.includes(one)).map((one) => prose`env: ${assigned(one)}`),
    ...Object.entries(headers)
      .toSorted(byName)
      .map(([name, value]) => prose`header: ${exactly(`${name}: ${value}`)}`),
  ]
}

/** The machines on which a hook runs, where it is not the machine of the gate alone. */
export const machineLines = (entry: Entry): readonly Prose[] => linesOf(entry, ['nodes', 'node'])

/** The hook without its description, which is shown elsewhere. */
export const withoutDescription = (row: ListedHook): ListedHook => {
  if (row.entry === undefined) return row
  const { description: _, ...entry } = row.entry
  return { ...row, entry }
}

/** Every option that an approval binds, one on each line, the matcher first. An absent option has no line. */
export const optionLines = (row: ListedHook): readonly Prose[] => {
  const { entry, under, interpreter } = row
  if (entry === undefined) return []
  const { agents = [], args, files, shell, type } = entry
  const flags = [
    ...(type === 'command' ? [] : [type]),
    ...(entry.isAsync ? ['async'] : []),
    ...(entry.isWarm === true ? ['warm'] : []),
  ]
  return [
    ...matcherLines(entry),
    ...(agents.length === 0 ? [] : [prose`for the agents: ${exactWords(agents)}`]),
    prose`may: ${powers(row.event)}`,
    prose`if it fails: ${failsHow(row) ?? []}`,
    ...agentsLines(row),
    joinProse(
      [
        prose`takes at most ${entry.timeoutMs / 1000} s`,
        prose`priority ${entry.priority}`,
        ...flags.map((flag) => verbatim(flag)),
      ],
      ' · ',
    ),
    ...(args.length === 0 ? [] : [prose`args: ${exactWords(args)}`]),
    ...variableLines(entry),
    ...(under === undefined ? [] : [prose`runs under: ${exactly(under)}`]),
    ...(shell === under ? [] : linesOf(entry, ['shell'])),
    ...(interpreter === undefined ? [] : [prose`runs with: ${exactly(interpreter)}`]),
    ...linesOf(entry, ['cwd', 'root']),
    ...(files.length === 0 ? [] : [prose`lists: ${exactWords(files)}`]),
    ...linesOf(entry, ['signWith', 'model', 'limits', 'price', 'quiet', 'busyMs', 'dialect', 'origin']),
    ...machineLines(entry),
    ...linesOf(entry, ['description']),
  ]
}

const fileFacts = ({ path, bytes, sha256, isExecutable }: FileFacts): Prose => {
  const facts = [
    verbatim(kilobytes(bytes)),
    verbatim(sha256.slice(0, 12)),
    ...(isExecutable === false ? [prose`not executable`] : []),
  ]
  return prose`${exactly(path)} ${joinProse(facts, ' · ')}`
}

/** The hook's files and its warnings. `title` names the files: as proposed, or as sealed. */
export const surroundingLines = (row: ListedHook, title: 'file' | 'sealed' = 'file'): readonly Prose[] => {
  const { watched = [], remarks = [], missing = [], entry } = row
  // What another machine says of its files is no text of ours.
  const said = (words: string): Prose =>
    entry?.node === undefined ? ourWords(oneLine(words), exactly) : exactly(oneLine(words))
  return [
    ...row.files.map((file) =>
      title === 'file' ? prose`file: ${fileFacts(file)}` : prose`sealed: ${fileFacts(file)}`,
    ),
    ...(title === 'sealed' && row.files.length === 0 ? [prose`sealed: no file`] : []),
    ...watched.map((file) => prose`watched: ${fileFacts(file)}`),
    ...row.unsealed.map((words) => prose`not sealed: ${said(words)}`),
    ...[...missing, ...remarks].map((words) => prose`⚠ ${said(words)}`),
    ...(row.problem === undefined ? [] : [prose`⚠ ${problemWords(row.problem)}`]),
  ]
}

/** Makes the same line a plain text for the web page, in the language and the time zone of its reader. */
export const plainLinesFor = ({ readers }: CommandPorts, page: Address): ((line: Prose) => string) => {
  const translate = translateInto(readers.languageOf(page))
  const zone = readers.zoneOf(page)
  return (line) =>
    inLanguage(line, translate, zone)
      .map((span) => {
        if ('fixed' in span) return span.fixed
        return span.isWhole === true ? span.quoted : exactText(span.quoted)
      })
      .join('')
}
