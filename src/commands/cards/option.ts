import { limitWords } from '../../shared/hooks/budget.ts'
import { durationWords } from '../../core/model/base/clock.ts'
import { prose, proseText, type Prose, verbatim, whole } from '../../core/model/chat/prose.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import { failWords } from '../../shared/gate/catalogue.ts'
import { exactName } from './exact.ts'

/** One option: its value, and the line that it is a part of. `about`: equal for two states of an entry. */
export interface EntryOption {
  readonly about: string
  readonly value: string
  readonly line: (shown: Prose) => Prose
}
/** A line of ours without a foreign value. */
export const ours = (about: string, line: Prose): EntryOption => ({ about, value: '', line: () => line })

export const some = (value: string | undefined, line: EntryOption['line']): readonly EntryOption[] =>
  value === undefined ? [] : [{ about: proseText(line([])), value, line }]

const each = (values: readonly string[], line: EntryOption['line']): readonly EntryOption[] =>
  values.flatMap((value) => some(value, line))

export const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : 1

/** Named values. `sign`: what stands between a name and its value. */
const pairs = (
  values: Readonly<Record<string, string>>,
  sign: '=' | ': ',
  line: EntryOption['line'],
): readonly EntryOption[] =>
  Object.entries(values)
    .toSorted(byName)
    .flatMap(([name, value]) =>
      some(value, (shown) => line([...whole(exactName(name)), ...verbatim(sign), ...shown])),
    )

/**
 * The words for every option, on a card and in a difference. By its type, a new option without words is a
 * compile error.
 */
export const optionsOf: Readonly<{
  [Key in keyof Required<Entry>]: (entry: Entry) => readonly EntryOption[]
}> = {
  event: ({ event }) => some(event, (shown) => prose`event: ${shown}`),
  type: ({ type }) => some(type, (shown) => prose`type: ${shown}`),
  command: ({ command }) => some(command, (shown) => prose`command: ${shown}`),
  args: ({ args }) => each(args, (shown) => prose`argument: ${shown}`),
  shell: ({ shell }) => some(shell, (shown) => prose`written for: ${shown}`),
  dialect: ({ dialect }) =>
    dialect === undefined
      ? []
      : some(dialect.event, (shown) => prose`speaks ${verbatim(dialect.name)}: ${shown}`),
  agents: ({ agents = [] }) =>
    agents.length === 0 ? [] : some(agents.join(' '), (shown) => prose`for the agents: ${shown}`),
  matcher: ({ matcher: { pattern, tool, field } = {} }) => [
    ...some(pattern, (shown) => prose`asked on: ${shown}`),
    ...some(tool, (shown) => prose`asked on tool: ${shown}`),
    ...some(field, (shown) => prose`searched in: ${shown}`),
  ],
  condition: ({ condition }) => some(condition, (shown) => prose`asked if: ${shown}`),
  timeoutMs: ({ timeoutMs }) => [ours('timeoutMs', prose`takes at most ${timeoutMs / 1000} s`)],
  onError: ({ onError }) => [ours('onError', prose`if it fails: ${failWords[onError]}`)],
  priority: ({ priority }) => [ours('priority', prose`priority ${priority}`)],
  isAsync: ({ isAsync }) => (isAsync ? [ours('isAsync', verbatim('async'))] : []),
  isWarm: ({ isWarm }) => (isWarm === true ? [ours('isWarm', verbatim('warm'))] : []),
  cwd: ({ cwd }) => some(cwd, (shown) => prose`runs in: ${shown}`),
  env: ({ env }) => pairs(env, '=', (shown) => prose`env: ${shown}`),
  files: ({ files }) => each(files, (shown) => prose`lists: ${shown}`),
  root: ({ root }) => some(root, (shown) => prose`its folder: ${shown}`),
  headers: ({ headers = {} }) => pairs(headers, ': ', (shown) => prose`header: ${shown}`),
  signWith: ({ signWith }) => some(signWith, (shown) => prose`signs with: ${shown}`),
  model: ({ model }) => some(model, (shown) => prose`model: ${shown}`),
  limits: ({ limits = {} }) =>
    limitWords(limits).map((limit) => ours('limits', prose`limit ${verbatim(limit)}`)),
  price: ({ price }) =>
    price === undefined
      ? []
      : [ours('price', prose`a million tokens: input ${price.input}, output ${price.output} dollars`)],
  quiet: ({ quiet = {} }) =>
    typeof quiet === 'string'
      ? some(quiet, (shown) => prose`quiet: ${shown}`)
      : Object.entries(quiet)
          .toSorted(byName)
          .flatMap(([owner, hours]) =>
            some(hours, (shown) => prose`quiet for ${whole(exactName(owner))}: ${shown}`),
          ),
  busyMs: ({ busyMs }) =>
    busyMs === undefined
      ? []
      : [ours('busyMs', prose`tells of a turn after ${verbatim(durationWords(busyMs))}`)],
  node: ({ node }) => some(node, (shown) => prose`runs on the node: ${shown}`),
  nodes: ({ nodes }) =>
    nodes === undefined ? [] : [ours('nodes', prose`runs on every machine, on the events of that machine`)],
  origin: ({ origin }) => some(origin, (shown) => prose`from: ${shown}`),
  description: ({ description }) => some(description, (shown) => prose`says: ${shown}`),
  name: () => [],
}
