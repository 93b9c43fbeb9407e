import type { PersonChange } from '../shared/gate/permission.ts'
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
  /** The person said no, and that the agent's turn ends. */
  readonly stopsTurn?: true
}

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

/** One agent may have so many questions at once. */
export const maxWaiting = 32

type Undecided = Exclude<Ended['kind'], 'once' | 'session' | 'edit' | 'form' | 'elsewhere' | 'deny'>

/** What an end without an answer says in the record, and to the agent. */
const undecided: Readonly<Record<Undecided, readonly [how: string, reason: string]>> = {
  expired: ['because nobody answered in time', 'Nobody answered in time, so the call is denied.'],
  gone: ['because the caller stopped waiting', 'The caller stopped waiting.'],
  full: [
    'because too many questions waited',
    `${maxWaiting} questions wait for a person already. Wait until some are answered.`,
  ],
  nobody: ['because nobody owns this gate', 'Nobody owns this gate yet, so nobody can say yes.'],
  parked: [
    'because nobody answered in time; an answer counts when the call comes again',
    'Nobody answered yet. It is asked again when this session is resumed.',
  ],
}

/** The decision that a question's end stands for. */
export const decided = (ending: Ended): Decision => {
  const yes = { isAllowed: true, source: 'person', outcome: 'allowed' } as const
  const no = { isAllowed: false, source: 'person', by: 'hookgate' } as const
  switch (ending.kind) {
    case 'once':
      return { ...yes, how: `once by ${ending.by}` }
    case 'session':
      return { ...yes, how: `for this session by ${ending.by}` }
    case 'edit': {
      const { field, text, by } = ending
      return { ...yes, how: `once with another "${field.slice(0, 100)}" by ${by}`, change: { field, text } }
    }
    case 'form':
      return { ...yes, outcome: 'answered', how: `by ${ending.by}` }
    case 'elsewhere': {
      const how = `to be answered at the terminal by ${ending.by}`
      return { ...no, outcome: 'left', how, reason: 'The person answers elsewhere.' }
    }
    case 'deny': {
      const { words, by, isStop } = ending
      const denied = { ...no, outcome: 'denied', by } as const
      if (isStop === true)
        return {
          ...denied,
          how: `by ${by}, who stopped the agent`,
          reason: 'The person said no and stopped this turn.',
          stopsTurn: true,
        }
      const isSilent = words === ''
      const reason = isSilent ? 'The person said no.' : `The person said no: ${words}`
      const how = isSilent ? `by ${by}` : `by ${by}: ${words}`
      return { ...denied, how, reason }
    }
    case 'expired':
    case 'gone':
    case 'full':
    case 'nobody':
    case 'parked': {
      const { kind } = ending
      const [how, reason] = undecided[kind]
      return { ...no, source: kind, outcome: kind === 'parked' ? 'parked' : 'denied', how, reason }
    }
  }
}
