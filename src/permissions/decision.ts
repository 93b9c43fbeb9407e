import type { PersonChange } from '../core/model/gate/permission.ts'
import type { Grant } from '../core/model/gate/grant.ts'
import type { Ended } from './questions/waiting-question.ts'

/** What became of one request for permission. */
export interface Decision {
  readonly isAllowed: boolean
  /** Who or what decided, for hooks that watch. */
  readonly source: 'hook' | 'person' | 'session' | 'grant' | 'expired' | 'gone' | 'full' | 'nobody' | 'parked'
  /** For the record: the outcome, and how it came about. */
  readonly outcome: string
  readonly how: string
  /** For the agent. */
  readonly reason?: string
  readonly by?: string
  /** The person said yes to the call with this change. */
  readonly change?: PersonChange
}

const no = (
  source: Decision['source'],
  outcome: string,
  how: string,
  reason: string,
  by = 'hookgate',
): Decision => ({ isAllowed: false, source, outcome, how, reason, by })

/** The decision of an owner's grant. Undefined: there is none. */
export const decidedByGrant = (grant: Pick<Grant, 'id' | 'by'> | undefined): Decision | undefined =>
  grant === undefined
    ? undefined
    : {
        isAllowed: true,
        source: 'grant',
        outcome: 'allowed',
        how: `by the grant ${grant.id} of ${grant.by}`,
      }

/** The decision that a question's end stands for. */
export const decided = (ending: Ended, maxWaiting: number): Decision => {
  switch (ending.kind) {
    case 'once':
      return { isAllowed: true, source: 'person', outcome: 'allowed', how: `once by ${ending.by}` }
    case 'session':
      return {
        isAllowed: true,
        source: 'person',
        outcome: 'allowed',
        how: `for this session by ${ending.by}`,
      }
    case 'edit': {
      const { field, text, by } = ending
      const how = `once with another "${field.slice(0, 100)}" by ${by}`
      return { isAllowed: true, source: 'person', outcome: 'allowed', how, change: { field, text } }
    }
    case 'form':
      return { isAllowed: true, source: 'person', outcome: 'answered', how: `by ${ending.by}` }
    case 'elsewhere':
      return no(
        'person',
        'left',
        `to be answered at the terminal by ${ending.by}`,
        'The person answers elsewhere.',
      )
    case 'deny': {
      const said = ending.words === '' ? '' : `: ${ending.words}`
      return no(
        'person',
        'denied',
        `by ${ending.by}${said}`,
        said === '' ? 'The person said no.' : `The person said no${said}`,
        ending.by,
      )
    }
    case 'expired':
      return no(
        'expired',
        'denied',
        'because nobody answered in time',
        'Nobody answered in time, so the call is denied.',
      )
    case 'gone':
      return no('gone', 'denied', 'because the caller stopped waiting', 'The caller stopped waiting.')
    case 'full':
      return no(
        'full',
        'denied',
        'because too many questions waited',
        `Expected at most ${maxWaiting} questions to wait for a person, got more. Wait until some are answered.`,
      )
    case 'nobody':
      return no(
        'nobody',
        'denied',
        'because nobody owns this gate',
        'Nobody owns this gate yet, so nobody can say yes.',
      )
    case 'parked':
      return no(
        'parked',
        'parked',
        'because nobody answered in time; an answer counts when the call comes again',
        'Nobody answered yet. It is asked again when this session is resumed.',
      )
  }
}
