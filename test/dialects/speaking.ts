import type { ForeignDialect, NativeEvent } from '../../src/model/dialect.ts'
import type { ArmedHook } from '../../src/model/entry.ts'
import { armed } from '../hooks/armed.ts'

/** A hook of that system at one of its events. Throws for an event that is none of ours. */
export const speaking = (name: ForeignDialect, { name: event, event: ours }: NativeEvent): ArmedHook => {
  if (ours === undefined) throw new Error(`${name} has no event ${event} that maps to ours`)
  return armed('hook', { event: ours, dialect: { name, event } })
}

/** What is told of a refusal that its own system would not have heard. */
export const inOtherWords = (path: string, system: ForeignDialect, what = 'refusal'): string => `Its ${what} ("${path}") is not in the words of ${system}; here it counts all the same.`
export const besideText = (path: string, head: string, what = 'refusal'): string => `Its ${what} ("${path}") stood beside other text (${JSON.stringify(head)}), which is no answer and was dropped.`
