import type { Client, Ruled } from '../../shared/gate/client.ts'
import type { NativeEvent } from '../../shared/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { inputOf, noPrompt, noRewrite, unlessEmpty, whyOf } from '../client-write.ts'
import { denial } from '../gates.ts'
import { changedSince, type IsChanged } from '../reading/fields.ts'
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

/**
 * Returns the rewritten field in docker-agent's words. If the reported value is not known, the settled value
 * is written.
 */
const settled = (name: string, ruled: Ruled, isChanged: IsChanged): JsonObject => {
  const place = rewritten[name]
  if (place === undefined || isChanged(place.here) === false) return {}
  const value = place.here === 'tool_input' ? inputOf('docker-agent', ruled) : ruled.payload[place.here]
  return value !== undefined && place.isFit(value) ? { [place.there]: value } : {}
}

/**
 * Returns the reason of a refusal if hooks rewrote something that this event cannot replace, because the
 * original must not pass unchanged.
 */
const unplaced = ({ name, event }: NativeEvent, ruled: Ruled, isChanged: IsChanged): string | undefined => {
  const { message } = ruled.payload
  if (event === 'on_user_message')
    return isChanged('message') === true && typeof message === 'string'
      ? noPrompt('docker-agent', message)
      : undefined
  const input =
    event === 'pre_tool_call' && rewritten[name] === undefined && isChanged('tool_input') === true
      ? inputOf('docker-agent', ruled)
      : undefined
  return input === undefined ? undefined : noRewrite('docker-agent', input)
}

export const writeDocker: Client['write'] = (native, ruled, asked) => {
  const { verdict, isConsent, payload, contexts, notes, stopsTurn } = ruled
  const { name } = native
  const isChanged = changedSince(asked, payload)
  const why = verdict === 'allow' ? unplaced(native, ruled, isChanged) : whyOf(ruled)
  const refused = why === undefined ? undefined : denial('docker-agent', name, why)
  const isEnd = stopsTurn === true && native.isGate === true
  const added = contexts.join('\n')
  const isPlaced = added !== '' && native.isTextContext === true
  const { hook_specific_output: denied, ...top } = refused ?? {}
  const specific: JsonObject =
    refused === undefined
      ? {
          ...(isConsent && permissions.includes(name) ? { permission_decision: 'allow' } : {}),
          ...settled(name, ruled, isChanged),
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
