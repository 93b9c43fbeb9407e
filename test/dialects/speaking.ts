import { decodeFor } from '../../src/dialects/dialects.ts'
import { faultAnswer, type Answer, type FaultKind } from '../../src/core/model/hooks/answer.ts'
import type { ForeignDialect } from '../../src/core/model/hooks/dialect.ts'
import type { Dialect, NativeEvent } from '../../src/shared/hooks/dialect.ts'
import type { ArmedHook } from '../../src/core/model/hooks/entry.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import { syntheticPayload } from '../../src/shared/events/synthetic.ts'
import { armed } from '../handlers/armed.ts'

/** A hook of that system at one of its events. Throws for an event that is none of ours. */
export const speaking = (name: ForeignDialect, { name: event, event: ours }: NativeEvent): ArmedHook => {
  if (ours === undefined) throw new Error(`${name} has no event ${event} that maps to ours`)
  return armed('hook', { event: ours, dialect: { name, event } })
}

/** What is told of a refusal that its own system would not have heard. */
export const inOtherWords = (path: string, system: ForeignDialect, what = 'refusal'): string =>
  `Its ${what} ("${path}") is not in the words of ${system}; here it counts all the same.`

export const besideText = (path: string, head: string, what = 'refusal'): string =>
  `Its ${what} ("${path}") stood beside other text (${JSON.stringify(head)}), which is no answer and was dropped.`

/** The fault of a program that ended like this, where its own words are no answer. */
export const endOf = (how: string): FaultKind => {
  if (how === 'a signal') return 'killed'
  return /^exit code 1(?::|$)/.test(how) ? 'exit' : 'crash'
}

/** The fault of a text that begins as an answer; `head`: how it begins, as it is quoted. */
export const garbled = (head: string): Answer =>
  faultAnswer(
    'garbled',
    `It printed an answer that cannot be read: ${head}. Write it with a JSON tool such as jq: text that is put together by hand breaks at a quotation mark, and no name may stand twice.`,
  )

/** What a hook left behind: nothing, at exit 0, unless it says otherwise. */
export interface Printed {
  readonly event?: string
  readonly exitCode?: number | null
  readonly stderr?: string
  readonly isTruncated?: boolean
}

/**
 * One system's events by name, samples of them, and its hooks' output as answers; `usual` is the event that
 * is meant when none is named.
 */
export const readerOf = (dialect: Dialect, usual: string) => {
  const named = (name: string): NativeEvent => {
    const found = dialect.events.find((event) => event.name === name)
    if (found === undefined) throw new Error(`no event ${name}`)
    return found
  }
  const payloadFor = ({ event = 'on_notification' }: NativeEvent): Payload =>
    syntheticPayload(event, '/work', new Date('2026-11-20T10:00:00Z'))
  const decode = (
    stdout: string,
    { event = usual, exitCode = 0, stderr = '', isTruncated = false }: Printed = {},
  ): Answer =>
    decodeFor(speaking(dialect.name, named(event)), payloadFor(named(event)), {
      exitCode,
      stdout,
      stderr,
      isTruncated,
    })
  return { named, payloadFor, decode }
}
