import type { Entry } from '../../core/model/hooks/entry.ts'
import { contractOf, EVENT_NAMES, type EventName } from '../../core/model/events/event.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { limitWords } from '../../shared/hooks/budget.ts'
import { nearest } from '../../shared/base/nearest.ts'
import { got, type Problem } from '../../core/model/gate/problem.ts'
import { askFlaw, asksByPrograms } from './ask-rules.ts'
import { contextBuiltin, contextFlaw } from './context.ts'
import { dateBuiltin } from './date.ts'
import { guardFlaw } from './guard/settings.ts'
import { iterationsBuiltin, parseLimit } from './iterations.ts'
import { markEvents } from './incoming/mark.ts'
import { publishBuiltin } from './publish.ts'
import { personalEvents, redactedFields } from './redact/redact.ts'

/** The events at which a model gets context that it keeps for a while. */
const contextEvents: readonly EventName[] = [
  'on_session_start',
  'on_user_message',
  'pre_llm_call',
  'on_subagent_start',
]

/** All events that accept context. */
const anyContext = EVENT_NAMES.filter((event) => contractOf(event).contextTo !== undefined)
/** All events at which a person can be asked. */
const askEvents = EVENT_NAMES.filter((event) => contractOf(event).gate.includes('ask'))
const snapshotEvents: readonly EventName[] = [
  'on_session_start',
  'on_user_message',
  'pre_llm_call',
  'pre_tool_call',
  'post_tool_call',
  'on_step_end',
  'on_turn_end',
  'on_session_end',
]

/**
 * The events at which a budget can stop an agent. Clients that report no model calls are stopped at their
 * tool calls.
 */
const budgetEvents: readonly EventName[] = ['pre_llm_call', 'pre_tool_call', 'on_user_message']
const ownerEvents: readonly EventName[] = [
  'on_turn_end',
  'on_stop',
  'on_user_input',
  'on_error',
  'on_user_message',
]

/** The options that only one builtin has. `written` is the name in the file. */
const ownOptions = [
  { option: 'limits', written: 'limits', owner: 'budget' },
  { option: 'price', written: 'price', owner: 'budget' },
  { option: 'quiet', written: 'quiet', owner: 'tell_owner' },
  { option: 'busyMs', written: 'busy', owner: 'tell_owner' },
] as const

export interface Builtin {
  /**
   * The process that answers. `gate`: the gate, because the builtin only needs the payload. `redact` and
   * `mark`: the gate's scanner. `budget`, `owner`: the gate's counts, and its notices to the owners. `host`:
   * the agent host as the agent's user, because the builtin reads files or runs git.
   */
  readonly home: 'gate' | 'redact' | 'mark' | 'budget' | 'owner' | 'host'
  readonly events: readonly EventName[]
  /** Describes the expected args. It is undefined when the args fit. */
  readonly argsFlaw: (args: readonly string[]) => string | undefined
}

const none = (args: readonly string[]): string | undefined => (args.length === 0 ? undefined : 'none')
const wholeNumber =
  (max: number) =>
  (args: readonly string[]): string | undefined =>
    args.length === 0 || (args.length === 1 && /^[1-9]\d{0,3}$/.test(args[0] ?? '') && Number(args[0]) <= max)
      ? undefined
      : `nothing or one whole number from 1 to ${max}`

const maxPromptFiles = 10
const isFileName = (arg: string): boolean =>
  arg !== '' && !arg.startsWith('/') && !arg.includes('\0') && !arg.split('/').includes('..')

const promptFiles = (args: readonly string[]): string | undefined => {
  const names = args.filter((arg) => !arg.startsWith('--'))
  const fits =
    names.length > 0 &&
    names.length <= maxPromptFiles &&
    names.every(isFileName) &&
    args.every((arg) => !arg.startsWith('--') || /^--depth=\d{1,3}$/.test(arg))
  return fits
    ? undefined
    : `1 to ${maxPromptFiles} file names without ".." or a leading "/", and "--depth=N" at most`
}

const host = (argsFlaw: Builtin['argsFlaw'], events: readonly EventName[] = contextEvents): Builtin => ({
  home: 'host',
  events,
  argsFlaw,
})

export const BUILTINS: Readonly<Record<string, Builtin>> = {
  add_context: { home: 'gate', events: anyContext, argsFlaw: contextFlaw },
  add_date: { home: 'gate', events: contextEvents, argsFlaw: none },
  add_environment_info: host(none),
  add_prompt_files: host(promptFiles),
  add_git_status: host(none),
  add_git_diff: host((args) =>
    args.length === 0 || (args.length === 1 && args[0] === 'full') ? undefined : 'nothing or "full"',
  ),
  add_directory_listing: host(none),
  add_user_info: host(none),
  add_recent_commits: host(wholeNumber(100)),
  max_iterations: {
    home: 'gate',
    events: ['pre_llm_call'],
    argsFlaw: (args) => (parseLimit(args) === undefined ? 'one whole number above 0' : undefined),
  },
  ask_owner: { home: 'gate', events: askEvents, argsFlaw: askFlaw },
  check_publish: { home: 'gate', events: ['on_completion_claim'], argsFlaw: none },
  snapshot: host(none, snapshotEvents),
  budget: { home: 'budget', events: budgetEvents, argsFlaw: none },
  tell_owner: { home: 'owner', events: ownerEvents, argsFlaw: none },
  guard_commands: { home: 'gate', events: ['pre_tool_call'], argsFlaw: guardFlaw },
  redact_secrets: { home: 'redact', events: Object.keys(redactedFields) as EventName[], argsFlaw: none },
  redact_pii: { home: 'redact', events: personalEvents, argsFlaw: none },
  mark_instructions: { home: 'mark', events: markEvents, argsFlaw: none },
}

/** The builtins of docker-agent that do not exist here, each with its replacement. */
const elsewhere: Readonly<Record<string, string>> = {
  limit_large_tool_results: 'Tools limit the size of their own results here. Remove it.',
  safer_shell: 'It only labels commands. Write a matcher for pre_tool_call instead.',
  unload: 'hookgate runs no local model. Remove it.',
  http_post: 'Write it as "type: http" with the URL.',
}

export const builtinNamed = (name: string): Builtin | undefined =>
  Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined

/** The fix for a name that no builtin has. */
export const unknownFix = (name: string): string => {
  if (Object.hasOwn(elsewhere, name)) return elsewhere[name] ?? ''
  const meant = nearest(name, Object.keys(BUILTINS))
  return meant === undefined
    ? `The builtins are ${Object.keys(BUILTINS).join(', ')}.`
    : `Did you mean "${meant}"?`
}

type BuiltinEntry = Pick<Entry, 'command' | 'event' | 'args'> &
  Partial<Pick<Entry, 'limits' | 'price' | 'quiet' | 'busyMs'>>

const optionFlaw = (message: string, fix: string): Problem => ({ code: 'entry.builtin_option', message, fix })

/** An option that belongs to another builtin, or a limit that is missing. */
const optionProblem = (entry: BuiltinEntry): Problem | undefined => {
  const { command, event, args, limits = {}, busyMs } = entry
  const stray = ownOptions.find(({ option, owner }) => entry[option] !== undefined && owner !== command)
  if (stray !== undefined)
    return optionFlaw(
      `Expected the builtin ${command} to have no "${stray.written}", got one.`,
      `It belongs to the builtin ${stray.owner}. Remove it.`,
    )
  if (command === 'budget' && limitWords(limits).length === 0)
    return optionFlaw(
      'Expected "limits" of the builtin budget to have a limit, got none.',
      'Write for instance limits: {turn: {steps: 50}, day: {dollars: 5}}.',
    )
  if (command === 'ask_owner' && event !== 'pre_tool_call' && asksByPrograms(args))
    return optionFlaw(
      `Expected "runs=…" only at pre_tool_call, which has a command, got it at ${event}.`,
      'Move it to pre_tool_call, or leave "runs=…" out.',
    )
  if (command === 'tell_owner' && (event === 'on_user_message') !== (busyMs !== undefined))
    return optionFlaw(
      busyMs === undefined
        ? 'Expected tell_owner at on_user_message to have "busy", got none.'
        : `Expected "busy" only at on_user_message, where a turn begins, got it at ${event}.`,
      'Write busy: 10m in an entry at on_user_message.',
    )
  return undefined
}

/**
 * The reason why an entry of type `builtin` can never answer: its name, its event, its args or its options.
 */
export const builtinProblem = (entry: BuiltinEntry): Problem | undefined => {
  const { command, event, args } = entry
  const builtin = builtinNamed(command)
  if (builtin === undefined)
    return {
      code: 'entry.builtin',
      message: `Expected the name of a builtin, got ${got(command)}.`,
      fix: unknownFix(command),
    }
  if (!builtin.events.includes(event)) {
    return {
      code: 'entry.builtin_event',
      message: `Expected the builtin ${command} at one of ${builtin.events.join(', ')}, got ${event}.`,
      fix: `Move it to ${builtin.events[0] ?? 'another event'}.`,
    }
  }
  const expected = builtin.argsFlaw(args)
  return expected === undefined
    ? optionProblem(entry)
    : {
        code: 'entry.builtin_args',
        message: `Expected the args of ${command} to be ${expected}, got ${got(args)}.`,
        fix: 'Correct "args".',
      }
}

/** What an owner has to know of a builtin before they approve it. */
export const builtinRemarks = ({
  type,
  command,
  event,
  limits = {},
  price,
  agents,
}: Entry): readonly string[] => {
  if (type !== 'builtin' || command !== 'budget') return []
  const amounts = Object.values(limits)
  const has = (unit: 'tokens' | 'dollars'): boolean => amounts.some((one) => one[unit] !== undefined)
  const whose = agents === undefined ? 'An agent' : 'Such an agent'
  return [
    ...(has('tokens') || has('dollars')
      ? [`${whose} that reports no tokens, such as Claude Code, is limited by steps and minutes alone.`]
      : []),
    ...(has('dollars') && price === undefined
      ? ['Without "price" it blocks an agent whose model calls state no cost.']
      : []),
    ...(event === 'pre_llm_call'
      ? ['Clients of the bridge report no model calls. For them it needs an entry at pre_tool_call.']
      : []),
  ]
}

const once = <Loaded>(load: () => Promise<Loaded>): (() => Promise<Loaded>) => {
  let loaded: Promise<Loaded> | undefined
  return () => (loaded ??= load())
}

const guard = once(() => import('./guard/guard.ts'))
const asker = once(() => import('./ask.ts'))

/**
 * The builtins that need only the payload. What reads commands takes a twelfth of the gate's memory, so it is
 * loaded when it is first asked; to look for it again would take longer than most of their answers.
 */
export const pureBuiltins = {
  add_context: contextBuiltin,
  add_date: dateBuiltin,
  max_iterations: iterationsBuiltin,
  guard_commands: async (args: readonly string[], payload: Payload) =>
    (await guard()).guardCommands(args, payload),
  ask_owner: async (args: readonly string[], payload: Payload) => (await asker()).askBuiltin(args, payload),
  check_publish: publishBuiltin,
} as const
