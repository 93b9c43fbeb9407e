import type { ClientName } from '../model/gate/client.ts'
import { isObject, type Json, type JsonObject } from '../model/base/json.ts'

/**
 * What the bridge must know of each client before anybody is asked, and when nobody can be: where it can be refused,
 * in which words, and how long it waits. The bridge's process loads this for every event: it imports next to nothing.
 */

type FailClosedForm = (why: string, event: string) => JsonObject
type Forms = Readonly<Record<string, FailClosedForm>>

interface Gates {
  /** How long the client waits when its entry says nothing. After that it goes on as if there were no hook. */
  readonly timeoutMs: number
  readonly timeoutsMs?: Readonly<Record<string, number>>
  /** The words that keep something from happening. */
  readonly deny: Forms
  /** At the end of a turn: the words that send the agent on. */
  readonly goOn?: Forms
  /** No opinion, where silence would be something else. */
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
/** Copilot's prompt cannot be refused here, but it can be replaced: the model does not get what was refused. */
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
const thrown: FailClosedForm = (why) => ({ deny: why })

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
      // Asked for by this name, either form is read.
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
    // Its own default is not told; this is what others give.
    timeoutMs: 60_000,
    deny: {
      ...each(cursorCalls, permission),
      ...each(cursorOthers, seen),
      beforeSubmitPrompt: (why) => ({ continue: false, user_message: why }),
    },
    goOn: each(['stop', 'subagentStop'], (why) => ({ followup_message: why })),
    // With `failClosed`, silence is a fault there.
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
}

const formIn = (forms: Forms | undefined, event: string): FailClosedForm | undefined =>
  forms !== undefined && Object.hasOwn(forms, event) ? forms[event] : undefined

/** A refusal in the client's words; undefined where it cannot be refused. `why` is never empty there: Codex lets an empty one pass. */
export const denial = (client: ClientName, event: string, why: string): JsonObject | undefined => {
  const { deny, goOn } = GATES[client]
  return (formIn(deny, event) ?? formIn(goOn, event))?.(why.trim() === '' ? 'blocked by hook' : why, event)
}

/** No opinion in the client's words; undefined: print nothing. */
export const noOpinion = (client: ClientName, event: string): JsonObject | undefined => {
  const { quiet = {} } = GATES[client]
  return Object.hasOwn(quiet, event) ? quiet[event] : undefined
}

/** True where the client can be refused. At the end of a turn a refusal sends it on instead. */
export const hasGate = (client: ClientName, event: string): boolean =>
  formIn(GATES[client].deny, event) !== undefined || formIn(GATES[client].goOn, event) !== undefined

/**
 * What to answer when nobody could be asked: a refusal, except at the end of a turn. There it would send the agent on
 * and on; Codex and Gemini have no end to that, and every step that it could take is refused anyway.
 */
export const failClosed = (client: ClientName, event: string, why: string): JsonObject | undefined =>
  formIn(GATES[client].goOn, event) === undefined
    ? (denial(client, event, why) ?? noOpinion(client, event))
    : noOpinion(client, event)

/** How long the client waits for this event, in milliseconds, when its entry says nothing. */
export const timeoutOf = (client: ClientName, event: string): number => {
  const { timeoutMs, timeoutsMs = {} } = GATES[client]
  return (Object.hasOwn(timeoutsMs, event) ? timeoutsMs[event] : undefined) ?? timeoutMs
}

/**
 * Who really asks. Copilot runs the hooks in a project's `.claude/settings.json` too, with a payload of its own.
 * Either may have started the other, so that both marks are in the environment: then the payload says who it is.
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
