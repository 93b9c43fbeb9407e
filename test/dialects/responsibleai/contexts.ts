import type { ClientName } from '../../../src/shared/gate/client.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'

const call = { id: 'c', name: 'x', args: {} }

/** The fields of each interception point and its target, with odd values where any may stand. */
const members = (
  odd: JsonObject,
): Readonly<Record<string, readonly [fields: JsonObject, target: JsonObject | readonly JsonObject[]]>> => ({
  agent_startup: [{ agent_init: odd }, odd],
  input: [{ input: odd }, odd],
  pre_model_call: [{ model: odd, messages: [odd] }, [odd]],
  post_model_call: [{ model: odd, response: odd, usage: odd }, odd],
  pre_tool_call: [{ tool_call: call }, call.args],
  post_tool_call: [{ tool_call: call, tool_result: { ...odd, value: odd } }, odd],
  output: [{ output: odd }, odd],
  agent_shutdown: [{ summary: odd }, odd],
})

const contextOf = (point: string, odd: JsonObject): JsonObject => {
  const [fields, target] = members(odd)[point] ?? [{}, {}]
  return {
    spec: 'agent-hooks/0.1',
    interception_point: point,
    agent: { id: 'a' },
    session: { id: 's' },
    ...fields,
    target,
  }
}

/** The least that an agent of Agent Hooks 0.1 has to report at an event; nothing for any other client. */
export const contextFor = (client: ClientName, name: string, odd: JsonObject = {}): JsonObject => {
  if (client !== 'responsibleai-agent-hooks') return {}
  if (name !== 'approval_request') return contextOf(name, odd)
  return {
    context_identity: null,
    interception_point: 'pre_tool_call',
    verdict: { decision: 'deny', ...odd, approval: odd },
    context: contextOf('pre_tool_call', odd),
  }
}
