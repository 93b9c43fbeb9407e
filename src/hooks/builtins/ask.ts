import { isObject, type JsonObject } from '../../model/base/json.ts'
import type { Payload } from '../../model/events/payload.ts'
import { programsOf, type JudgedCall } from './guard/judge.ts'

const maxChars = 500
const maxRules = 10

/** Programs that the owner is asked about. `words`: it has one of these, too. Absent: whatever it has. */
interface ProgramRule {
  readonly programs: readonly string[]
  readonly words?: readonly string[]
}

const names = String.raw`[^\s,]+(?:,[^\s,]+)*`
const ruleShape = new RegExp(`^runs=(?<programs>${names})(?: (?<words>${names}))?$`)

/** Reads `runs=sudo,doas` or `runs=git push`. Undefined: it is no rule. */
const ruleOf = (arg: string): ProgramRule | undefined => {
  const { programs, words } = ruleShape.exec(arg)?.groups ?? {}
  if (programs === undefined) return undefined
  return { programs: programs.split(','), ...(words === undefined ? {} : { words: words.split(',') }) }
}

const isRule = (arg: string): boolean => arg.startsWith('runs=')

/** True for args that look at what a command runs. */
export const asksByPrograms = (args: readonly string[]): boolean => args.some(isRule)

/** Describes the expected args of `ask_owner`. Undefined when they fit. */
export const askFlaw = (args: readonly string[]): string | undefined => {
  const rules = args.filter(isRule)
  const [reason = '', ...more] = args.filter((arg) => !isRule(arg))
  const isFit =
    more.length === 0 &&
    reason.trim() !== '' &&
    rules.length <= maxRules &&
    rules.every((arg) => ruleOf(arg) !== undefined) &&
    args.every((arg) => arg.length <= maxChars)
  return isFit
    ? undefined
    : `one text of at most ${maxChars} characters, which the owner reads, and at most ${maxRules} texts ` +
        'such as "runs=sudo,doas" or "runs=git push"'
}

let last: (JudgedCall & { readonly programs: ReturnType<typeof programsOf> }) | undefined

/** The programs of a call. They are kept for the next hook that asks about it. Payloads are frozen. */
const programsIn = ({ tool_name: tool, tool_input: input, cwd }: Payload): ReturnType<typeof programsOf> => {
  if (typeof tool !== 'string' || !isObject(input)) return undefined
  if (last?.input !== input || last.tool !== tool || last.cwd !== cwd)
    last = { tool, input, cwd, programs: programsOf({ tool, input, cwd }) }
  return last.programs
}

/**
 * Asks the owner about whatever its matcher lets through. The argument is the reason. With `runs=`, it asks
 * only where the call would run such a program, however that is written, or where that cannot be read.
 */
export const askBuiltin = (args: readonly string[], payload: Payload): JsonObject => {
  const reason = args.find((arg) => !isRule(arg)) ?? ''
  if (!asksByPrograms(args)) return { decision: 'ask', reason }
  const programs = programsIn(payload)
  if (programs === undefined)
    return { decision: 'ask', reason: `Not all of it can be read, so it may do this: ${reason}` }
  const rules = args.flatMap((arg) => ruleOf(arg) ?? [])
  const isMeant = programs.some(({ name, words }) =>
    rules.some(
      (rule) =>
        rule.programs.includes(name) &&
        (rule.words === undefined || words.some((word) => rule.words?.includes(word))),
    ),
  )
  return isMeant ? { decision: 'ask', reason } : {}
}
