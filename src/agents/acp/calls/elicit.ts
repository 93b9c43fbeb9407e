import type { CreateElicitationRequest, CreateElicitationResponse } from '@agentclientprotocol/sdk'
import { isObject, parseJson, type Json } from '../../../core/model/base/json.ts'
import { answerText } from '../../../shared/gate/form.ts'
import { questionsOfSchema } from '../../../shared/gate/form-schema.ts'
import type { Live } from '../live.ts'

/** The value as the protocol allows it in an answer. */
const contentValue = (value: Json): string | number | boolean | string[] =>
  typeof value === 'number' || typeof value === 'boolean'
    ? value
    : Array.isArray(value)
      ? value.map(answerText)
      : answerText(value)

/**
 * Puts the form of an agent to the people who may answer for it. `cancel`: nobody decided. Rejects on abort.
 */
export const elicit = async (
  request: CreateElicitationRequest,
  { reporter, signal, voice }: Live,
): Promise<CreateElicitationResponse> => {
  // An address of another mode is not offered, because hookgate opens none for anybody.
  if (request.mode !== 'form' || !('requestedSchema' in request)) return { action: 'cancel' }
  voice.speak()
  const schema = parseJson(JSON.stringify(request.requestedSchema))
  const ruling = await reporter.fire(
    'on_user_input',
    { prompt: request.message, questions: [...questionsOfSchema(schema)] },
    signal,
  )
  if (ruling.verdict !== 'allow') return { action: 'decline' }
  const { answers } = ruling.payload
  if (!isObject(answers)) return { action: 'cancel' }
  return {
    action: 'accept',
    content: Object.fromEntries(Object.entries(answers).map(([name, value]) => [name, contentValue(value)])),
  }
}
