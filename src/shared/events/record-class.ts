import type { EventRecord } from '../../core/model/events/record.ts'
import type { budgets } from '../base/budgets.ts'

/**
 * The class of a record for its owner. No class uses another's space, so that a flood cannot remove what the
 * owner has to read.
 */
export type RecordClass = keyof typeof budgets.records
/** A query selects the records of one event, of one class, or all. */
export interface RecordQuery {
  readonly limit: number
  readonly kinds?: readonly EventRecord['kind'][]
  readonly eventId?: string
  readonly ofClass?: RecordClass
}

const isFault = ({ hooks = [] }: EventRecord): boolean => hooks.some(({ answer }) => answer?.kind === 'fault')
const stopped: ReadonlySet<string> = new Set(['block', 'denied', 'withheld'])
/** A person decides, or has decided by now. A record of its own says how. */
const asked: ReadonlySet<string> = new Set(['ask', 'parked', 'held'])
const failed: ReadonlySet<string> = new Set(['failed', 'unknown'])
/** The class of a record. An agent can cause all classes but `acts` and `alarms`. */
export const classOf = (record: EventRecord): RecordClass => {
  const { kind, subject, outcome } = record
  switch (kind) {
    case 'gate':
      return 'acts'
    case 'alarm':
      return subject === 'login' ? 'logins' : 'alarms'
    case 'refusal':
      return 'refused'
    case 'trouble':
      return 'faults'
    case 'shadow':
      return 'shadows'
    case 'event':
    case 'push':
    case 'notice':
    case 'question':
      if (stopped.has(outcome)) return 'blocked'
      if (asked.has(outcome)) return 'asked'
      return failed.has(outcome) || isFault(record) ? 'faults' : 'rest'
  }
}
