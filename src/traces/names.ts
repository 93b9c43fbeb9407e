import type { EventName } from '../core/model/events/event.ts'

/**
 * The names that spans use. Those of `genAi` are in the GenAI conventions of OpenTelemetry. Those of
 * `guardrail` are a proposal for these conventions that is still open: pull request 427 of
 * open-telemetry/semantic-conventions-genai, in its state of August 2026. When it is settled, only this table
 * changes.
 */
export const genAi = {
  operation: 'gen_ai.operation.name',
  tool: 'gen_ai.tool.name',
  call: 'gen_ai.tool.call.id',
  agent: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  executeTool: 'execute_tool',
} as const

export const guardrail = {
  run: 'run_guardrail',
  component: 'gen_ai.guardrail.component.name',
  targetType: 'gen_ai.guardrail.target.type',
  targetSubtype: 'gen_ai.guardrail.target.subtype',
  targetId: 'gen_ai.guardrail.target.id',
  verdict: 'gen_ai.guardrail.verdict.type',
  reason: 'gen_ai.guardrail.verdict.reason',
  action: 'gen_ai.guardrail.action.type',
  policy: 'gen_ai.guardrail.security.policy.id',
  isModified: 'gen_ai.guardrail.security.content.modified',
  input: 'gen_ai.guardrail.security.content.input.value',
} as const

/** What only hookgate has. */
export const own = {
  event: 'hookgate.event.name',
  id: 'hookgate.event.id',
  revision: 'hookgate.ledger.revision',
} as const

/** What an event judges: what goes into a tool, a model or an agent, or what comes out of it. */
type JudgedTarget = readonly [type: 'input' | 'output', subtype: string]

const targets: Partial<Record<EventName, JudgedTarget>> = {
  pre_tool_call: ['input', 'tool_call'],
  on_permission_request: ['input', 'tool_call'],
  on_permission_decision: ['output', 'tool_call'],
  post_tool_call: ['output', 'tool_call'],
  transform_tool_result: ['output', 'tool_call'],
  on_tool_error: ['output', 'tool_call'],
  pre_llm_call: ['input', 'llm'],
  post_llm_call: ['output', 'llm'],
  on_user_message: ['input', 'message'],
  on_user_input: ['input', 'message'],
  on_outbound_message: ['output', 'message'],
  on_completion_claim: ['output', 'message'],
}

/** Any other event is a step in the agent's life. */
export const targetOf = (event: EventName): JudgedTarget => targets[event] ?? ['input', 'lifecycle']
