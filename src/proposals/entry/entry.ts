import type { z } from 'zod'
import type { Entry } from '../../core/model/hooks/entry.ts'
import { readDuration } from '../../shared/base/duration.ts'
import { SCOPES, UNITS } from '../../core/model/hooks/budget.ts'
import { isObject, type Json } from '../../core/model/base/json.ts'
import { got, type Problem } from '../../core/model/gate/problem.ts'
import {
  builtinFlaw,
  commandFlaw,
  judgeFlaw,
  matcherFlaw,
  meantEvent,
  nearestFix,
  toMatcher,
  urlFlaw,
  type EventPorts,
} from './entry-check.ts'
import {
  belongsTo,
  entrySchema,
  entryShape,
  isOption,
  subjectOption,
  type Option,
  type RawEntry,
} from './entry-shape.ts'

/** A problem of an entry. `path` leads to the option, so that a reader can find the line. */
export interface EntryProblem {
  readonly problem: Problem
  readonly path: readonly (string | number)[]
}

const matcherKeys = ['tool', 'pattern', 'field']

const problem = (path: EntryProblem['path'], code: string, message: string, fix: string): EntryProblem => ({
  path,
  problem: { code, message, fix },
})

/** A problem of one option. */
const wrong = (option: Option, message: string, fix: string): EntryProblem =>
  problem([option], `entry.${option}`, message, fix)

const unknownKey = (
  where: string,
  path: EntryProblem['path'],
  key: string,
  known: readonly string[],
): EntryProblem =>
  problem(
    [...path, key],
    'entry.unknown',
    `Expected "${where}" to have only the options ${known.join(', ')}, got "${key.slice(0, 60)}".`,
    nearestFix(key, known),
  )

/**
 * A rejected value for a message. A URL and a header's value are never shown, because they may hold a secret.
 */
const shown = (option: Option, value: Json | undefined): string => {
  if (option === 'url' && typeof value === 'string') return `${value.length} characters`
  return option === 'headers' && isObject(value) ? `some for ${got(Object.keys(value))}` : got(value)
}

/** The names that the option at a path may have. */
const knownKeys = ([option, scope]: readonly PropertyKey[]): readonly string[] => {
  if (option === undefined) return Object.keys(entryShape)
  if (option === 'limits') return scope === undefined ? SCOPES : UNITS
  return option === 'price' ? ['input', 'output'] : matcherKeys
}

const describeIssue = (where: string, value: Json, issue: z.core.$ZodIssue): EntryProblem => {
  const option = issue.path[0]
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(issue.path)
    return unknownKey(
      [where, ...issue.path].join('.'),
      issue.path.filter((key) => typeof key !== 'symbol'),
      issue.keys[0] ?? '',
      known,
    )
  }
  if (!isOption(option)) {
    return problem(
      [],
      'entry.shape',
      `Expected "${where}" to be a hook with event and command, got ${got(value)}.`,
      'Write it as "- event: …" with "command: …" under it.',
    )
  }
  const at = isObject(value) ? value[option] : undefined
  const fix = at === undefined ? `Add "${option}: …".` : `Correct or remove "${option}".`
  const expected = entryShape[option].description ?? 'something else'
  return wrong(option, `Expected "${where}.${option}" to be ${expected}, got ${shown(option, at)}.`, fix)
}

/** The event that an entry names, or what was expected. Undefined: it names none, or its dialect is wrong. */
const meantIn = (raw: Json, ports: EventPorts): ReturnType<typeof meantEvent> | undefined => {
  const { event, dialect: said } = isObject(raw) ? raw : {}
  const dialect = entryShape.dialect.safeParse(said)
  return event === undefined || !dialect.success
    ? undefined
    : meantEvent(typeof event === 'string' ? event : '', dialect.data, ports)
}

/** Reports an option that the entry's type does not use, or the required option that is missing. */
const typeProblem = (raw: Json, { type, ...data }: RawEntry, where: string): EntryProblem | undefined => {
  const stray = Object.keys(isObject(raw) ? raw : {}).find(
    (key) => isOption(key) && belongsTo[key]?.includes(type) === false,
  )
  if (isOption(stray)) {
    const types = belongsTo[stray] ?? []
    const instead = stray === 'command' ? ` Write "${subjectOption[type]}: …" instead.` : ''
    return problem(
      [stray],
      `entry.${stray}`,
      `Expected "${where}" of type ${type} to have no "${stray}", got one.`,
      `"${stray}" belongs to ${types.length > 1 ? 'the types' : 'type'} ${types.join(', ')}.${instead}`,
    )
  }
  const option = subjectOption[type]
  if (data[option] !== undefined) return undefined
  const expected = type === 'builtin' ? 'the name of a builtin' : (entryShape[option].description ?? '')
  return wrong(option, `Expected "${where}.${option}" to be ${expected}, got nothing.`, `Add "${option}: …".`)
}

const subjectProblem = (
  { type, command = '', url = '' }: RawEntry,
  where: string,
): EntryProblem | undefined => {
  if (type === 'llm') return undefined
  const [option, expected, flaw, fix] =
    type === 'http'
      ? (['url', 'an http or https address', urlFlaw(url), 'Write it as https://host/path.'] as const)
      : type === 'builtin'
        ? (['command', 'the name of a builtin', builtinFlaw(command), 'Correct the command.'] as const)
        : ([
            'command',
            'words that run without a shell',
            commandFlaw(command),
            'Correct the command.',
          ] as const)
  return flaw === undefined
    ? undefined
    : wrong(option, `Expected "${where}.${option}" to be ${expected}, but ${flaw}.`, fix)
}

/** Reads one proposed hook. Gives an entry with every default applied, or the first problem. */
export const readEntry = (
  raw: Json,
  where: string,
  origin: string,
  ports: EventPorts,
): { readonly entry: Entry } | EntryProblem => {
  const parsed = entrySchema.safeParse(raw)
  const issues = parsed.error?.issues ?? []
  const unknown = issues.find(({ code }) => code === 'unrecognized_keys')
  if (unknown !== undefined) return describeIssue(where, raw, unknown)
  // The event is checked before the other options, because it decides what they may say.
  const meant = meantIn(raw, ports)
  if (meant !== undefined && !('event' in meant)) {
    const event = isObject(raw) ? raw['event'] : undefined
    return wrong('event', `Expected "${where}.event" to be ${meant.expected}, got ${got(event)}.`, meant.fix)
  }
  if (!parsed.success || meant === undefined)
    return issues[0] === undefined
      ? problem(
          [],
          'entry.shape',
          `"${where}" is not a hook.`,
          'See config/context/references/agent-hooks.md.',
        )
      : describeIssue(where, raw, issues[0])
  const { data } = parsed
  const misplaced = judgeFlaw(data.type, meant.event)
  if (misplaced !== undefined) {
    const expected = `a type other than llm at ${meant.event}`
    return wrong(
      'type',
      `Expected "${where}.type" to be ${expected}, since ${misplaced.flaw}.`,
      misplaced.fix,
    )
  }
  const misused = typeProblem(raw, data, where) ?? subjectProblem(data, where)
  if (misused !== undefined) return misused
  const matcher = toMatcher(data.matcher)
  const unmatched = matcherFlaw(meant.event, data.matcher, matcher)
  if (unmatched !== undefined) {
    const expected = 'a regular expression that can match'
    const message = `Expected "${where}.matcher" to be ${expected}, but ${unmatched.flaw}.`
    return wrong('matcher', message, unmatched.fix)
  }
  const { native } = meant
  const isUnsaid = isObject(raw) && raw['on_error'] === undefined
  const busyMs = data.busy === undefined ? undefined : readDuration(data.busy)
  const entry: Entry = {
    event: meant.event,
    type: data.type,
    command: data[subjectOption[data.type]] ?? '',
    args: data.args,
    dialect:
      native === undefined || data.dialect === 'native'
        ? undefined
        : { name: data.dialect, event: native.name },
    agents: data.agents && [...new Set(data.agents)].toSorted(),
    nodes: data.nodes,
    matcher,
    timeoutMs: data.timeout * 1000,
    // A foreign guard that its own system closes on a fault also fails closed here, unless the file says
    // otherwise.
    onError: isUnsaid && native?.failsClosed === true ? 'block' : data.on_error,
    priority: data.priority,
    isAsync: data.async,
    isWarm: data.warm || undefined,
    cwd: data.cwd,
    env: data.env,
    files: data.files,
    headers: data.headers,
    signWith: data.sign_with,
    model: data.model,
    limits: data.limits,
    price: data.price,
    quiet: data.quiet,
    busyMs,
    origin,
    description: data.description,
    name: data.name,
  }
  return { entry }
}
