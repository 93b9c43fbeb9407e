import type { Client, Ruled } from '../../shared/gate/client.ts'
import type { NativeEvent } from '../../core/model/hooks/dialect.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import { isRefused, joined, refusalOf, settledOf, unlessEmpty, whyOf, type Settled } from '../client-write.ts'
import { nonNullFields } from '../reading/fields.ts'
import { isPascal, plainName, speakerAt } from './names.ts'

/**
 * Returns the refusal for each event that can carry one. At events where Copilot goes on anyway, the model
 * gets the reason as context.
 */
const refusal = ({ name }: NativeEvent, ruled: Ruled): JsonObject | undefined => {
  const event = plainName({ name })
  const why = whyOf(ruled)
  if (event === 'sessionStart' || event === 'subagentStart')
    return { additionalContext: `A hook refused this, and Copilot cannot be stopped here: ${why}` }
  const contexts = event === 'agentStop' ? ruled.contexts : []
  return {
    ...refusalOf('copilot', name, { ...ruled, contexts }, why),
    ...(event === 'permissionRequest' && ruled.stopsTurn === true ? { interrupt: true } : {}),
  }
}

const contextEvents = [
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'userPromptSubmitted',
  'sessionStart',
  'subagentStart',
  'notification',
]

const permit = (
  native: NativeEvent,
  { isConsent, payload }: Ruled,
  { isChanged, input, result, context }: Settled,
): JsonObject | undefined => {
  const event = plainName(native)
  const { tool_error: isError, message } = payload
  if (event === 'userPromptTransformed')
    return (isChanged('message') !== false || context !== '') && typeof message === 'string'
      ? { modifiedTransformedPrompt: joined(message, context) }
      : undefined
  const added: JsonObject =
    context !== '' && contextEvents.includes(event) ? { additionalContext: context } : {}
  if (event === 'permissionRequest') return isConsent ? { behavior: 'allow' } : undefined
  if (event === 'postToolUse' && result !== undefined)
    return {
      modifiedResult: { resultType: isError === true ? 'failure' : 'success', textResultForLlm: result },
      ...added,
    }
  if (event !== 'preToolUse') return added
  const decision: JsonObject = isConsent ? { permissionDecision: 'allow' } : {}
  if (!isPascal(native)) return nonNullFields({ ...decision, modifiedArgs: input, ...added })
  const specific = nonNullFields({ ...decision, updatedInput: input })
  return {
    ...decision,
    ...added,
    ...(unlessEmpty(specific) === undefined
      ? {}
      : { hookSpecificOutput: { hookEventName: native.name, ...specific } }),
  }
}

/**
 * Writes our verdict as Copilot reads it at exit 0. A question becomes a refusal. `asked` holds the fields as
 * they were reported, to tell whether hooks changed them; without it the settled fields are written. Copilot
 * has no place for notes.
 */
export const writeCopilot: Client['write'] = (native, ruled, asked) => {
  if (isRefused(ruled)) return unlessEmpty(refusal(native, ruled) ?? {})
  const settled = settledOf({ speaker: speakerAt(native), title: 'GitHub Copilot' }, ruled, asked)
  // Under this name Copilot has no second event that could replace a message, and a message that hooks
  // rewrote must not pass unchanged.
  return native.name === 'UserPromptSubmit' && settled.noPrompt !== undefined
    ? refusalOf('copilot', native.name, ruled, settled.noPrompt)
    : unlessEmpty(permit(native, ruled, settled) ?? {})
}
