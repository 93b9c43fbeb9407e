import type { ClientName } from '../shared/gate/client.ts'
import { isObject, type Json, type JsonObject } from '../core/model/base/json.ts'

/**
 * These tables tell for each client which events can be refused, in which words, and how long the client
 * waits. The bridge needs them before it asks the gate, and when it cannot reach the gate. It loads this file
 * for every event, so the file imports very little.
 */

type FailClosedForm = (why: string, event: string) => JsonObject
type Forms = Readonly<Record<string, FailClosedForm>>

interface Gates {
  /**
   * How long the client waits if its entry sets no timeout, in milliseconds. After that the client continues
   * as if there were no hook.
   */
  readonly timeoutMs: number
  readonly timeoutsMs?: Readonly<Record<string, number>>
  /** The answers that refuse an event. */
  readonly deny: Forms
  /** The answers that make the agent go on at the end of a turn. */
  readonly goOn?: Forms
  /** The answers for no opinion, where the client would take silence for something else. */
  readonly quiet?: Readonly<Record<string, JsonObject>>
}

const each = (names: readonly string[], form: FailClosedForm): Forms =>
  Object.fromEntries(names.map((name) => [name, form]))

const blocks: FailClosedForm = (why) => ({ decision: 'block', reason: why })
const denies: FailClosedForm = (why) => ({ decision: 'deny', reason: why })
const specific: FailClosedForm = (why, event) => ({
  hookSpecificOutput: { hookEventName: event, permissionDecision: 'deny', permissionDecisionReason: why },
})
const request: FailClosedForm = (why, event) => ({
  hookSpecificOutput: { hookEventName: event, decision: { behavior: 'deny', message: why } },
})
const displayed: FailClosedForm = (why, event) => ({
  hookSpecificOutput: { hookEventName: event, displayContent: `[withheld by a hook: ${why}]` },
})
const flat: FailClosedForm = (why) => ({ permissionDecision: 'deny', permissionDecisionReason: why })
const behavior: FailClosedForm = (why) => ({ behavior: 'deny', message: why })
/** Copilot cannot refuse this prompt, but it can replace it. So the model does not get the refused text. */
const withheld: FailClosedForm = (why) => ({
  modifiedTransformedPrompt: `This message was withheld by a hook: ${why}`,
})
const snake: FailClosedForm = (why, event) => ({
  hook_specific_output: {
    hook_event_name: event,
    permission_decision: 'deny',
    permission_decision_reason: why,
  },
})
const permission: FailClosedForm = (why) => ({ permission: 'deny', user_message: why, agent_message: why })
const seen: FailClosedForm = (why) => ({ permission: 'deny', user_message: why })
const verdictDeny: FailClosedForm = (why) => ({ decision: 'deny', reason: 'hookgate:blocked', message: why })
/**
 * Nobody has read the request here, so its identity cannot go back. An agent that has one refuses the answer
 * for that alone.
 */
const rejected: FailClosedForm = (why, event) => ({
  outcome: 'reject',
  context_identity: null,
  verdict: verdictDeny(why, event),
})
const thrown: FailClosedForm = (why) => ({ deny: why })

const aiPoints = [
  'agent_startup',
  'input',
  'pre_model_call',
  'post_model_call',
  'pre_tool_call',
  'post_tool_call',
  'output',
  'agent_shutdown',
]
const cursorCalls = ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution']
const cursorOthers = ['beforeReadFile', 'beforeTabFileRead', 'subagentStart']

export const GATES: Readonly<Record<ClientName, Gates>> = {
  'claude-code': {
    timeoutMs: 600_000,
    timeoutsMs: { UserPromptSubmit: 30_000, MessageDisplay: 10_000, SessionEnd: 1500 },
    deny: {
      PreToolUse: specific,
      PermissionRequest: request,
      UserPromptSubmit: blocks,
      PreCompact: blocks,
      MessageDisplay: displayed,
    },
    goOn: each(['Stop', 'SubagentStop', 'TaskCompleted'], blocks),
  },
  codex: {
    timeoutMs: 600_000,
    timeoutsMs: { SessionEnd: 1000, Interrupt: 1000 },
    deny: { PreToolUse: specific, PermissionRequest: request, UserPromptSubmit: blocks },
    goOn: each(['Stop', 'SubagentStop'], blocks),
  },
  copilot: {
    timeoutMs: 30_000,
    deny: {
      preToolUse: flat,
      // At this name Copilot reads both forms.
      PreToolUse: (why, event) => ({ ...flat(why, event), ...specific(why, event) }),
      ...each(['permissionRequest', 'PermissionRequest'], behavior),
      ...each(['userPromptSubmitted', 'UserPromptSubmit'], blocks),
      userPromptTransformed: withheld,
    },
    goOn: each(['agentStop', 'Stop', 'subagentStop', 'SubagentStop'], blocks),
  },
  gemini: {
    timeoutMs: 60_000,
    deny: each(['BeforeTool', 'BeforeModel', 'BeforeAgent'], denies),
    goOn: { AfterAgent: denies },
  },
  kimi: {
    timeoutMs: 30_000,
    deny: each(['PreToolUse', 'UserPromptSubmit'], specific),
    goOn: { Stop: specific },
  },
  'docker-agent': {
    timeoutMs: 60_000,
    deny: {
      ...each(['pre_tool_use', 'tool_guard', 'permission_request'], snake),
      ...each(
        [
          'tool_input_transform',
          'post_tool_use',
          'user_prompt_submit',
          'user_steering_messages_submit',
          'user_followup_submit',
          'before_llm_call',
          'pre_compact',
          'before_compaction',
        ],
        blocks,
      ),
    },
  },
  cursor: {
    // Cursor does not document its default; other clients use this value.
    timeoutMs: 60_000,
    deny: {
      ...each(cursorCalls, permission),
      ...each(cursorOthers, seen),
      beforeSubmitPrompt: (why) => ({ continue: false, user_message: why }),
    },
    goOn: each(['stop', 'subagentStop'], (why) => ({ followup_message: why })),
    // With `failClosed`, Cursor takes silence for a fault.
    quiet: {
      ...Object.fromEntries([...cursorCalls, ...cursorOthers].map((name) => [name, { permission: 'allow' }])),
      beforeSubmitPrompt: { continue: true },
    },
  },
  // Our own plugin asks, and waits as long as it takes.
  opencode: {
    timeoutMs: 600_000,
    deny: {
      ...each(['tool.execute.before', 'chat.message'], thrown),
      'text.complete': (why) => ({ text: `[withheld by a hook: ${why}]` }),
    },
    goOn: { 'session.idle': (why) => ({ prompt: why }) },
  },
  'agent-hooks': {
    timeoutMs: 30_000,
    deny: each(
      [
        'before_tool',
        'pre-tool-call',
        'before_agent',
        'pre-agent-turn',
        'session_start',
        'pre-session',
        'subagent_start',
        'pre-subagent',
        'pre_compact',
        'pre-context-compact',
      ],
      denies,
    ),
    goOn: each(['before_stop', 'pre-agent-turn-stop', 'subagent_stop', 'post-subagent'], denies),
  },
  // The specification recommends 5 s for an interceptor, and names no time for an approval.
  'responsibleai-agent-hooks': {
    timeoutMs: 5000,
    timeoutsMs: { approval_request: 600_000 },
    deny: {
      // No hook refuses what a model answered. What cannot be read is refused there too.
      ...each(
        aiPoints.filter((point) => point !== 'agent_shutdown'),
        verdictDeny,
      ),
      approval_request: rejected,
    },
    // Every interceptor has to give a verdict.
    quiet: Object.fromEntries(aiPoints.map((name) => [name, { decision: 'allow' }])),
  },
}

const formIn = (forms: Forms | undefined, event: string): FailClosedForm | undefined =>
  forms !== undefined && Object.hasOwn(forms, event) ? forms[event] : undefined

/** Returns whether a refusal makes the agent go on, at the end of a turn. */
export const isGoOn = (client: ClientName, event: string): boolean =>
  formIn(GATES[client].goOn, event) !== undefined

/**
 * Returns a refusal in the client's words; undefined if the event cannot be refused. At the end of a turn a
 * refusal makes the agent go on. The reason is never empty, because Codex ignores a refusal with an empty
 * reason.
 */
export const denial = (client: ClientName, event: string, why: string): JsonObject | undefined => {
  const { deny, goOn } = GATES[client]
  return (formIn(deny, event) ?? formIn(goOn, event))?.(why.trim() === '' ? 'blocked by hook' : why, event)
}

/** Returns the client's answer for no opinion. Undefined means that nothing is printed. */
export const noOpinion = (client: ClientName, event: string): JsonObject | undefined => {
  const { quiet = {} } = GATES[client]
  return Object.hasOwn(quiet, event) ? quiet[event] : undefined
}

/**
 * Returns the answer when the gate cannot be reached: a refusal, except at the end of a turn. There a refusal
 * would make the agent go on again and again: Codex and Gemini CLI set no limit, and every step that the
 * agent could take is refused anyway.
 */
export const failClosed = (client: ClientName, event: string, why: string): JsonObject | undefined =>
  isGoOn(client, event) ? noOpinion(client, event) : (denial(client, event, why) ?? noOpinion(client, event))

/** Returns how long the client waits for this event if its entry sets no timeout, in milliseconds. */
export const timeoutOf = (client: ClientName, event: string): number => {
  const { timeoutMs, timeoutsMs = {} } = GATES[client]
  return (Object.hasOwn(timeoutsMs, event) ? timeoutsMs[event] : undefined) ?? timeoutMs
}

/**
 * Finds out which client really asks. Copilot also runs the hooks in a project's `.claude/settings.json`,
 * with its own payload. Either client may have started the other, and then the environment has the marks of
 * both. In this case the payload decides.
 */
export const callerOf = (
  client: ClientName,
  env: Readonly<Record<string, string | undefined>>,
  stdin?: Json,
): ClientName => {
  if (client !== 'claude-code') return client
  const isCopilots =
    isObject(stdin) && (Object.hasOwn(stdin, 'timestamp') || Object.hasOwn(stdin, 'sessionId'))
  return isCopilots || (env['COPILOT_CLI'] === '1' && env['CLAUDECODE'] !== '1') ? 'copilot' : client
}
