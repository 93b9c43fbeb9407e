import { split } from 'shlex'
import { z } from 'zod'
import type { Entry, Matcher } from '../model/entry.ts'
import { contractOf, EVENT_NAMES, isEventName, type EventName } from '../model/event.ts'
import { isObject, type Json } from '../model/json.ts'
import { nearest } from '../model/nearest.ts'
import { got, type Problem } from '../model/problem.ts'
import { compilePattern } from './pattern.ts'

/** Variables that would let an entry replace the program it names. Source: DESIGN section 6, the environment of a hook. */
const refusedVariable = /^(LD_|DYLD_|PYTHON|GIT_|HOOKGATE_)|^(NODE_OPTIONS|BASH_ENV|ENV|PATH|IFS|SHELLOPTS|PERL5OPT|RUBYOPT)$/

const relative = z.string().min(1).max(1000).refine((path) => !path.includes('\0'))

/** What a file may say about one hook. Each description is what an error message expects. */
export const entryShape = {
  event: z.string().refine(isEventName).describe('the name of an event'),
  type: z.literal('command').default('command').describe('"command" (other kinds come with a later version)'),
  command: z.string().trim().min(1).max(4000).describe('a command: a path or a program with its words, at most 4000 characters'),
  args: z.array(z.string().max(4000)).max(100).default([]).describe('a list of strings'),
  matcher: z.union([z.string(), z.strictObject({ tool: z.string().optional(), pattern: z.string().optional(), field: z.string().min(1).max(200).optional() })])
    .optional().describe('a regular expression (write alternatives as "a|b"), "*", or {tool, pattern, field}'),
  timeout: z.number().min(1).max(120).default(20).describe('a number from 1 to 120 (seconds)'),
  on_error: z.enum(['warn', 'block', 'ignore']).default('warn').describe('warn, block or ignore'),
  priority: z.int().min(0).max(1000).default(100).describe('a whole number from 0 to 1000'),
  async: z.boolean().default(false).describe('true or false'),
  cwd: relative.optional().describe('a folder, relative to the workspace'),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/).refine((name) => !refusedVariable.test(name)), z.string().max(4000))
    .default({}).describe('names and strings (LD_*, DYLD_*, PYTHON*, GIT_*, NODE_OPTIONS, BASH_ENV, PATH, HOOKGATE_* and the like are refused)'),
  files: z.array(relative).max(50).default([]).describe('a list of files, relative to the workspace'),
  name: z.string().trim().min(1).max(80).optional().describe('a name of at most 80 characters'),
} as const

const matcherKeys = ['tool', 'pattern', 'field']

const entrySchema = z.strictObject(entryShape)
type Raw = z.infer<typeof entrySchema>

/** What is wrong with an entry, and where in it: the path of the option, so that a reader can find the line. */
export interface EntryProblem {
  readonly problem: Problem
  readonly path: readonly (string | number)[]
}

const shellWords = /^(\|[|&]?|&&?|;|<{1,3}|\d*>.*|&>.*)$/

/** Words that split, no shell: what a shell would have read is refused where it could mean something else. */
const commandFlaw = (command: string): string | undefined => {
  if (/[\0\n\r]/.test(command)) return 'it holds a line break or a NUL'
  if (/\$['"]/.test(command)) return `it uses $'…' or $"…", which only a shell reads`
  try {
    const words = split(command)
    const operator = words.find((word) => shellWords.test(word))
    return operator === undefined ? undefined : `"${operator}" is a shell's operator and no shell runs here: put it into a script, or say sh -c '…'`
  } catch {
    return 'a quote is not closed'
  }
}

const isAll = (pattern: string | undefined): boolean => pattern === undefined || pattern === '' || pattern === '*'

const toMatcher = (raw: Raw['matcher']): Matcher | undefined => {
  const { tool, pattern, field } = typeof raw === 'object' ? raw : { pattern: raw }
  if (isAll(tool) && isAll(pattern)) return undefined
  return {
    ...(isAll(tool) || tool === undefined ? {} : { tool }),
    ...(isAll(pattern) || pattern === undefined ? {} : { pattern, ...(field === undefined ? {} : { field }) }),
  }
}

const baseFields = ['event', 'event_id', 'timestamp', 'session_id', 'agent_id', 'cwd', 'attempt', 'parent_session_id']

/** Why a matcher could never match, or is no regular expression; each with what to do. A hook must not be silenced by a typo. */
const matcherFlaw = (event: EventName, raw: Raw['matcher'], matcher: Matcher | undefined): { readonly flaw: string; readonly fix: string } | undefined => {
  const { search, fields } = contractOf(event)
  const known = [...Object.keys(fields), ...baseFields]
  const named = typeof raw === 'object' ? raw.field : undefined
  if (named !== undefined && matcher?.pattern === undefined) return { flaw: `it names the field "${named}" without a pattern`, fix: 'Add "pattern: …" or remove "field".' }
  const first = matcher?.field?.split('.')[0]
  if (first !== undefined && !known.includes(first)) {
    const meant = nearest(first, known)
    return { flaw: `${event} has no field "${first}"`, fix: meant === undefined ? `Its fields are ${known.join(', ')}.` : `Did you mean "${meant}"?` }
  }
  if (matcher?.tool !== undefined && !known.includes('tool_name')) return { flaw: `${event} has no tool to match`, fix: 'Remove "tool".' }
  if (matcher?.pattern !== undefined && matcher.field === undefined && search.length === 0) {
    return { flaw: `${event} has nothing that is searched by itself`, fix: `Write {pattern, field}; its fields are ${Object.keys(fields).join(', ')}.` }
  }
  for (const pattern of [matcher?.tool, matcher?.pattern]) {
    const compiled = pattern === undefined ? undefined : compilePattern(pattern)
    if (compiled !== undefined && 'wrong' in compiled) return { flaw: `${got(pattern)} is none: ${compiled.wrong}`, fix: 'Mend the pattern.' }
  }
  return undefined
}

const problem = (path: EntryProblem['path'], code: string, message: string, fix: string): EntryProblem => ({ path, problem: { code, message, fix } })

const unknownKey = (where: string, path: EntryProblem['path'], key: string, known: readonly string[]): EntryProblem => {
  const meant = nearest(key.slice(0, 40), known)
  return problem([...path, key], 'entry.unknown', `Expected "${where}" to have only the options ${known.join(', ')}, got "${key.slice(0, 60)}".`, meant === undefined ? 'Remove it.' : `Did you mean "${meant}"?`)
}

const describeIssue = (where: string, value: Json, issue: z.core.$ZodIssue): EntryProblem => {
  const option = issue.path[0]
  if (issue.code === 'unrecognized_keys') {
    const known = option === undefined ? Object.keys(entryShape) : matcherKeys
    return unknownKey([where, ...issue.path].join('.'), issue.path.filter((key) => typeof key !== 'symbol'), issue.keys[0] ?? '', known)
  }
  if (typeof option !== 'string' || !(option in entryShape)) {
    return problem([], 'entry.shape', `Expected "${where}" to be a hook with event and command, got ${got(value)}.`, 'Write it as "- event: …" with "command: …" under it.')
  }
  const at = isObject(value) ? value[option] : undefined
  const expected = entryShape[option as keyof typeof entryShape].description ?? 'something else'
  const meant = option === 'event' && typeof at === 'string' ? nearest(at, EVENT_NAMES) : undefined
  const fix = at === undefined ? `Add "${option}: …".` : option !== 'event' ? `Mend or remove "${option}".` : meant === undefined ? `The events are ${EVENT_NAMES.join(', ')}.` : `Did you mean "${meant}"?`
  return problem([option], `entry.${option}`, `Expected "${where}.${option}" to be ${expected}, got ${got(at)}.`, fix)
}

/** Reads one proposed hook: an entry with every default applied, or the first thing that is wrong with it. */
export const readEntry = (raw: Json, where: string, origin: string): { readonly entry: Entry } | EntryProblem => {
  const parsed = entrySchema.safeParse(raw)
  if (!parsed.success) {
    const first = parsed.error.issues.find(({ code }) => code === 'unrecognized_keys') ?? parsed.error.issues[0]
    return first === undefined ? problem([], 'entry.shape', `"${where}" is not a hook.`, 'See config/context/references/agent-hooks.md.') : describeIssue(where, raw, first)
  }
  const { data } = parsed
  const flaw = commandFlaw(data.command)
  if (flaw !== undefined) return problem(['command'], 'entry.command', `Expected "${where}.command" to be words that run without a shell, but ${flaw}.`, 'Mend the command.')
  const matcher = toMatcher(data.matcher)
  const wrong = matcherFlaw(data.event, data.matcher, matcher)
  if (wrong !== undefined) return problem(['matcher'], 'entry.matcher', `Expected "${where}.matcher" to be a regular expression that can match, but ${wrong.flaw}.`, wrong.fix)
  const entry: Entry = {
    event: data.event,
    type: data.type,
    command: data.command,
    args: data.args,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs: data.timeout * 1000,
    onError: data.on_error,
    priority: data.priority,
    isAsync: data.async,
    ...(data.cwd === undefined ? {} : { cwd: data.cwd }),
    env: data.env,
    files: data.files,
    origin,
    ...(data.name === undefined ? {} : { name: data.name }),
  }
  return { entry }
}
