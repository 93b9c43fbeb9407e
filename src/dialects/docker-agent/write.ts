import type { Client, Ruled } from '../../shared/gate/client.ts'
import type { NativeEvent } from '../../core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { noRewrite, settledOf, unlessEmpty, whyOf, type Settled } from '../client-write.ts'
import { denial } from '../gates.ts'
import { objectIn } from '../table.ts'

/** The events at which a verdict is a permission decision. At other events a block is a block. */
const permissions = ['pre_tool_use', 'tool_guard', 'permission_request']

/** The field of ours that docker-agent lets hooks rewrite, its name there, and whether it fits there. */
const rewritten: Readonly<
  Record<string, { readonly here: string; readonly there: string; readonly isFit: (value: Json) => boolean }>
> = {
  pre_tool_use: { here: 'tool_input', there: 'updated_input', isFit: isObject },
  tool_input_transform: { here: 'tool_input', there: 'updated_input', isFit: isObject },
  before_llm_call: {
    here: 'messages',
    there: 'updated_messages',
    isFit: (value) => Array.isArray(value) && value.length > 0,
  },
  tool_response_transform: {
    here: 'tool_result',
    there: 'updated_tool_response',
    isFit: (value) => typeof value === 'string',
  },
  before_compaction: {
    here: 'summary',
    there: 'summary',
    isFit: (value) => typeof value === 'string' && value !== '',
  },
}

/** Returns the rewritten field in docker-agent's words. */
const placed = (name: string, { payload }: Ruled, { isChanged, input }: Settled): JsonObject => {
  const place = rewritten[name]
  if (place === undefined || isChanged(place.here) === false) return {}
  const value = place.here === 'tool_input' ? input : payload[place.here]
  return value !== undefined && place.isFit(value) ? { [place.there]: value } : {}
}

/**
 * Returns the reason of a refusal if hooks rewrote something that this event cannot replace, because the
 * original must not pass unchanged.
 */
const unplaced = (
  { name, event }: NativeEvent,
  { isChanged, input, noPrompt }: Settled,
): string | undefined =>
  event === 'pre_tool_call' &&
  rewritten[name] === undefined &&
  isChanged('tool_input') === true &&
  input !== undefined
    ? noRewrite('docker-agent', input)
    : noPrompt

export const writeDocker: Client['write'] = (native, ruled, asked) => {
  const { verdict, isConsent, contexts, notes, stopsTurn } = ruled
  const { name } = native
  const settled = settledOf({ speaker: 'docker-agent', title: 'docker-agent' }, ruled, asked)
  const why = verdict === 'allow' ? unplaced(native, settled) : whyOf(ruled)
  const refused = why === undefined ? undefined : denial('docker-agent', name, why)
  const isEnd = stopsTurn === true && native.isGate === true
  const added = contexts.join('\n')
  const isPlaced = added !== '' && native.isTextContext === true
  const { hook_specific_output: denied, ...top } = refused ?? {}
  const specific: JsonObject =
    refused === undefined
      ? {
          ...(isConsent && permissions.includes(name) ? { permission_decision: 'allow' } : {}),
          ...placed(name, ruled, settled),
          ...(isPlaced ? { additional_context: added } : {}),
        }
      : objectIn(denied)
  const personNotes = [
    ...notes,
    ...(why !== undefined && refused === undefined
      ? [`hookgate: a hook wanted to block here, but ${name} cannot be refused: ${why}`]
      : []),
    ...(stopsTurn === true && !isEnd
      ? [`hookgate: a hook wanted to end the turn, which ${name} cannot.`]
      : []),
    ...(added !== '' && !isPlaced && refused === undefined
      ? [`hookgate: a hook had context for the model, for which ${name} has no place.`]
      : []),
  ]
  return unlessEmpty({
    ...top,
    ...(isEnd ? { continue: false, stop_reason: why ?? whyOf(ruled) } : {}),
    ...(personNotes.length === 0 ? {} : { system_message: personNotes.join('\n') }),
    ...(unlessEmpty(specific) === undefined
      ? {}
      : { hook_specific_output: { hook_event_name: name, ...specific } }),
  })
}
