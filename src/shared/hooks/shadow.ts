import type { Problem, WithProblem } from '../../core/model/gate/problem.ts'
import type { Prepared } from '../../core/model/approval/approved.ts'
import type { ApprovalChoice } from '../../core/model/hooks/fault.ts'
import { handlerOf, type Entry } from '../../core/model/hooks/entry.ts'

/**
 * What a shadow would have done since the gate started. `asked`: the events that it answered, also with a
 * failure. `missed`: the events that it did not get, because too many others waited.
 */
export interface ShadowCounts {
  readonly asked: number
  readonly blocked: number
  readonly rewritten: number
  /** It would have asked a person. */
  readonly questions: number
  readonly failed: number
  readonly missed: number
}

/** Builtins that do something by themselves, whoever reads their answer. */
const builtinsWithEffects: ReadonlySet<string> = new Set(['budget', 'tell_owner', 'snapshot'])

/** The reason why an entry cannot be a shadow; undefined when it can. */
const shadowProblem = (entry: Pick<Entry, 'type' | 'command' | 'isAsync'>): Problem | undefined => {
  if (entry.isAsync)
    return {
      code: 'shadow.async',
      message: 'It is an async hook, which never decides.',
      fix: 'Approve it: nothing waits for it, and it does the same as a shadow.',
    }
  if (entry.type === 'builtin' && builtinsWithEffects.has(entry.command))
    return {
      code: 'shadow.effects',
      message: `${handlerOf(entry)} acts by itself, whoever reads its answer.`,
      fix: 'It cannot be tried as a shadow. Approve it, or leave it.',
    }
  return undefined
}

type Prepare = (entry: Entry) => Promise<Prepared | WithProblem>

/** Prepares an approval of an entry, unless it is one of a shadow that the entry cannot be. */
export const preparingShadows =
  (prepare: Prepare) =>
  async (entry: Entry, choice: ApprovalChoice | undefined): Promise<Prepared | WithProblem> => {
    const problem = choice === 'shadow' ? shadowProblem(entry) : undefined
    return problem === undefined ? prepare(entry) : { problem }
  }
