import { failsHow, type FileFacts, type ListedHook } from '../../model/gate/catalogue.ts'
import type { Entry } from '../../model/hooks/entry.ts'
import { blocksBeforehand } from '../../model/events/event.ts'
import { isLoadingVariable } from '../../model/hooks/hook-world.ts'
import { formatProblem } from '../../model/gate/problem.ts'
import { fixed, inEnglish, prose, type Prose, whole } from '../../model/chat/prose.ts'
import { exactLines, exactly, exactText, exactWords } from './exact.ts'
import { wholeHandler } from './handler.ts'
import { powers } from '../powers.ts'
import { kilobytes, oneLine } from '../words.ts'

/** Marks each line of a foreign text, so that none looks like a line of hookgate. */
export const markedLines = (lines: readonly string[], mark: string): readonly Prose[] =>
  lines.map((line) => [...fixed(mark), ...whole(line)])

/** The whole handler: its command, URL or prompt. */
export const handlerLines = (row: ListedHook): readonly Prose[] => {
  const lines = exactLines(wholeHandler(row))
  return markedLines(lines, lines.length === 1 ? '  ' : '  │ ')
}

const agentsWays = 'if the agent makes it fail (time, load, memory, disk space, its own input)'

/** The effect of a failure that the agent can cause, when it differs from the entry's option for failures. */
const agentsLines = (row: ListedHook, { event, onError, isAsync }: Entry): readonly Prose[] => {
  if (row.failsClosed === true || onError === 'block' || isAsync || !blocksBeforehand(event)) return []
  if (row.failsOpen === true && row.status !== 'changed')
    return [fixed(`${agentsWays}: goes on, your choice`)]
  return [fixed(`${agentsWays}: blocks (approved as “open” it would go on)`)]
}

/** The word for a hook without a matcher. A matcher with this text is quoted, so that the two differ. */
const everything = 'everything'
const pattern = (source: string): Prose => (source === everything ? whole(`⟪${source}⟫`) : exactly(source))

/** The payloads that the hook is asked about. A change that narrows them to none disarms the hook. */
const matcherLines = ({ matcher = {}, condition }: Entry): readonly Prose[] => {
  const some = (title: string, source: string | undefined): readonly Prose[] =>
    source === undefined ? [] : [prose`${fixed(title)}: ${pattern(source)}`]
  const lines = [
    ...some('asked on', matcher.pattern),
    ...some('asked on tool', matcher.tool),
    ...some('searched in', matcher.field),
    ...some('asked if', condition),
  ]
  return lines.length === 0 ? [fixed(`asked on: ${everything}`)] : lines
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1)

const variableLines = ({ env, headers = {} }: Entry): readonly Prose[] => {
  const variables = Object.entries(env).toSorted(byName)
  const loading = variables.filter(([name]) => isLoadingVariable(name))
  const line = (title: string, [name, value]: readonly [string, string], equals: string): Prose =>
    prose`${fixed(`${title}: `)}${exactly(`${name}${equals}${value}`)}`
  return [
    ...loading.map((one) => line('⚠ env', one, '=')),
    ...(loading.length === 0 ? [] : [fixed('  such a variable can make a program load other code')]),
    ...variables.filter((one) => !loading.includes(one)).map((one) => line('env', one, '=')),
    ...Object.entries(headers)
      .toSorted(byName)
      .map((one) => line('header', one, ': ')),
  ]
}

/** Every option that an approval binds, one on each line, the matcher first. An absent option has no line. */
export const optionLines = (row: ListedHook): readonly Prose[] => {
  const { entry, under, interpreter } = row
  if (entry === undefined) return []
  const { agents = [], args, cwd, dialect, description, model, signWith, root, shell, files, type } = entry
  const some = (title: string, value: string | undefined): readonly Prose[] =>
    value === undefined ? [] : [prose`${fixed(title)}: ${exactly(value)}`]
  const words = (title: string, values: readonly string[]): readonly Prose[] =>
    values.length === 0 ? [] : [prose`${fixed(title)}: ${exactWords(values)}`]
  const flags = [
    ...(type === 'command' ? [] : [type]),
    ...(entry.isAsync ? ['async'] : []),
    ...(entry.isWarm === true ? ['warm'] : []),
  ]
  return [
    ...matcherLines(entry),
    ...words('for the agents', agents),
    fixed(`may: ${powers(row.event)}`),
    fixed(`if it fails: ${failsHow(row)}`),
    ...agentsLines(row, entry),
    fixed([`takes at most ${entry.timeoutMs / 1000} s`, `priority ${entry.priority}`, ...flags].join(' · ')),
    ...words('args', args),
    ...variableLines(entry),
    ...some('runs under', under),
    ...some('written for', shell === under ? undefined : shell),
    ...some('runs with', interpreter),
    ...some('runs in', cwd),
    ...some('its folder', root),
    ...words('lists', files),
    ...some('signs with', signWith),
    ...some('model', model),
    ...(dialect === undefined ? [] : [prose`speaks ${fixed(dialect.name)}: ${exactly(dialect.event)}`]),
    ...some('from', entry.origin),
    ...some('says', description),
  ]
}

const fileLine = (title: string, { path, bytes, sha256, isExecutable }: FileFacts): Prose => {
  const facts = [kilobytes(bytes), sha256.slice(0, 12), ...(isExecutable === false ? ['not executable'] : [])]
  return prose`${fixed(`${title}: `)}${exactly(path)} ${fixed(facts.join(' · '))}`
}

/** The hook's files and its warnings. `title` names the files: as proposed, or as sealed. */
export const surroundingLines = (row: ListedHook, title: 'file' | 'sealed' = 'file'): readonly Prose[] => {
  const { watched = [], remarks = [], missing = [], uses = [] } = row
  return [
    ...row.files.map((file) => fileLine(title, file)),
    ...(title === 'sealed' && row.files.length === 0 ? [fixed('sealed: no file')] : []),
    ...watched.map((file) => fileLine('watched', file)),
    ...row.unsealed.map((words) => prose`not sealed: ${exactly(oneLine(words))}`),
    ...(uses.length === 0 ? [] : [prose`uses: ${exactly(uses.join(' · '))}`]),
    ...[...missing, ...remarks].map((words) => prose`⚠ ${exactly(oneLine(words))}`),
    ...(row.problem === undefined ? [] : [prose`⚠ ${formatProblem(row.problem)}`]),
  ]
}

/** The same line as plain text, for the web page. */
export const plainLine = (line: Prose): string =>
  inEnglish(line)
    .map((span) => {
      if ('fixed' in span) return span.fixed
      return span.isWhole === true ? span.quoted : exactText(span.quoted)
    })
    .join('')
