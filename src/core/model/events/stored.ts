import { argumentText } from './blocked-step.ts'
import type { JsonObject } from '../base/json.ts'
import type { EventRecord } from './record.ts'
import type { RecordedHook } from '../hooks/verdict.ts'

/** A trace as it is stored. It names the fields that a hook rewrote, never their values. */
export const storedTrace = (recorded: RecordedHook): RecordedHook => {
  const { askedAtMs: _, ...trace } = recorded
  if (trace.answer === undefined) return trace
  const { rewrite, context, ...answer } = trace.answer
  return {
    ...trace,
    answer: {
      ...answer,
      rewrite: rewrite && Object.fromEntries(Object.keys(rewrite).map((field) => [field, '…'])),
      context: context === undefined ? undefined : `${context.length} characters`,
    },
  }
}

const maxToolUnits = 100

/** The tool call of an event, as its record holds it. */
export const toolOf = ({
  tool_name,
  tool_input,
}: JsonObject): Pick<EventRecord, 'tool_name' | 'argument'> => {
  if (typeof tool_name !== 'string') return {}
  const argument = argumentText(tool_input)
  return {
    tool_name: tool_name.slice(0, maxToolUnits).toWellFormed(),
    ...(argument === '' ? {} : { argument }),
  }
}
