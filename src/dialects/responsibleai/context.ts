import type { Dialect } from '../../shared/hooks/dialect.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { definedFields } from '../reading/fields.ts'
import { approvalRequest, isPoint, points, targetOf } from './events.ts'

/** The version that hooks are told. */
const spec = 'agent-hooks/0.1'

/**
 * Returns a number that grows within a session. An agent behind the bridge counts itself. For others the time
 * takes its place, because an encoder remembers nothing.
 */
const sequenceOf = ({ event, sequence, timestamp }: Payload): number => {
  if (typeof sequence === 'number' && Number.isSafeInteger(sequence) && sequence >= 0) return sequence
  return event === 'on_session_start' ? 0 : Date.parse(timestamp) || 1
}

const withTarget = (point: string, payload: Payload, fields: JsonObject): JsonObject => ({
  spec,
  interception_point: point,
  timestamp: payload.timestamp,
  sequence: sequenceOf(payload),
  agent: {
    id: payload.agent_id,
    framework: typeof payload['framework'] === 'string' ? payload['framework'] : 'hookgate',
  },
  session: { id: payload.session_id },
  ...fields,
  target: targetOf(point, fields) ?? null,
  extensions: { hookgate: { event_id: payload.event_id, cwd: payload.cwd, attempt: payload.attempt } },
})

export const contextOf = (point: string, payload: Payload): JsonObject =>
  withTarget(point, payload, definedFields(points[point]?.out?.(payload) ?? {}))

/** A question about a step that is no tool call has its point as the tool, and its target as arguments. */
const questioned = (point: string, payload: Payload): JsonObject => {
  const target = payload['tool_input'] ?? {}
  const member: Readonly<Record<string, string>> = {
    pre_model_call: 'messages',
    post_model_call: 'response',
    agent_startup: 'agent_init',
  }
  return withTarget(point, payload, { [member[point] ?? point]: target })
}

/** The request of the approval seam, of which a person's question is one. */
const request = (payload: Payload): JsonObject => {
  const { interception_point, context_identity, reason } = payload
  const point = isPoint(interception_point) ? interception_point : 'pre_tool_call'
  const isCall = point === 'pre_tool_call'
  return {
    context_identity: context_identity ?? null,
    interception_point: point,
    verdict: definedFields({ decision: 'deny', message: reason, approval: {} }),
    context: isCall ? contextOf(point, payload) : questioned(point, payload),
  }
}

/** Writes our event as the context of an interception point, or as a request for an approval. */
export const encodeResponsibleAi: Dialect['encode'] = ({ name }, payload) =>
  name === approvalRequest ? request(payload) : contextOf(name, payload)
