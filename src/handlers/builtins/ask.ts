import { isObject, type JsonObject } from '../../core/model/base/json.ts'
import { memoizeEach } from '../../core/model/base/memoize.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { asksByPrograms, isRule, ruleOf } from './ask-rules.ts'
import { programsOf } from './guard/judge.ts'

const rulesOf = memoizeEach((args: readonly string[]) => args.flatMap((arg) => ruleOf(arg) ?? []))

const programsIn = ({ tool_name: tool, tool_input: input, cwd }: Payload): ReturnType<typeof programsOf> =>
  typeof tool === 'string' && isObject(input) ? programsOf({ tool, input, cwd }) : undefined

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
  const rules = rulesOf(args)
  const isMeant = programs.some(({ name, words }) =>
    rules.some(
      (rule) =>
        rule.programs.includes(name) &&
        (rule.words === undefined || words.some((word) => rule.words?.includes(word))),
    ),
  )
  return isMeant ? { decision: 'ask', reason } : {}
}
