import type { Problem } from '../gate/problem.ts'
import { handlerOf, type Entry } from './entry.ts'

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
export const shadowProblem = (entry: Pick<Entry, 'type' | 'command' | 'isAsync'>): Problem | undefined => {
  if (entry.isAsync)
    return {
      code: 'shadow.async',
      message: 'Expected a hook whose answer decides, got an async hook, which never decides.',
      fix: 'Approve it: nothing waits for it, and it does the same as a shadow.',
    }
  if (entry.type === 'builtin' && builtinsWithEffects.has(entry.command))
    return {
      code: 'shadow.effects',
      message: `Expected a hook that only answers, got ${handlerOf(entry)}, which acts by itself.`,
      fix: 'It cannot be tried as a shadow. Approve it, or leave it.',
    }
  return undefined
}

/** The refusal of a shadow in the place of a hook that decides. */
export const decidesAlready: Problem = {
  code: 'shadow.decides',
  message: 'Expected a hook that does not decide yet, got one that an owner approved and that decides.',
  fix: 'A shadow in its place would end what it guards. If you want that, send "/hooks revoke" with its handle first.',
}
