import type { Client, Ruled } from '../../shared/gate/client.ts'
import type { Dialect } from '../../shared/hooks/dialect.ts'
import { interrupt, postCompact, ran, request, shared, subagents } from '../claude-code/alike.ts'
import { decodeAs } from '../claude-code/answer.ts'
import { encodeAs } from '../claude-code/claude-code.ts'
import {
  inputOf,
  isRefused,
  joined,
  noPrompt,
  noRewrite,
  refusalOf,
  replyOf,
  resultOf,
  whyOf,
  type Reply,
} from '../client-write.ts'
import { changedSince, type IsChanged } from '../reading/fields.ts'
import { contentText, eventsOf, readerOf, reportsOf, type Rows } from '../table.ts'

/** OpenAI's Codex as of 0.169. */
const rows: Rows = {
  ...shared,
  PreToolUse: {
    ...shared.PreToolUse,
    told: 'an "allow" counts only beside a rewrite, and Codex still asks its own questions',
  },
  UserPromptSubmit: { ...shared.UserPromptSubmit, told: 'a message can be refused, not rewritten' },
  SessionEnd: {
    ...shared.SessionEnd,
    in: ({ reason }) => ({ reason: reason ?? 'other' }),
    told: 'Codex waits 1 s',
  },
  Stop: { ...shared.Stop, told: 'Codex itself sets no limit to further rounds; the gate does' },
  PostToolUse: {
    ...ran,
    // In Codex a result is plain text.
    fields: {
      tool_response: {
        here: 'tool_result',
        out: ({ tool_result: result }) => result ?? '',
        in: contentText,
      },
    },
    told: 'it fires after failures too, and does not say which call failed. A new result replaces the old one as the reason of a refusal',
  },
  ...subagents,
  PostCompact: { ...postCompact, here: { summary: '' } },
  PermissionRequest: {
    ...request,
    here: { suggestions: [] },
    told: 'codex exec never asks for permission; only its terminal does',
  },
  Interrupt: interrupt,
  PostModelRequest: {
    event: 'post_llm_call',
    in: ({ model, token_usage: usage }) => ({ model, response: '', usage }),
    told: 'it does not tell what the model answered',
  },
  PreModelRequest: {
    note: 'it tells nothing that could be judged, and nothing can be refused there',
  },
}

const encode = encodeAs('codex', rows)

export const codexHooks: Dialect = {
  name: 'codex',
  events: eventsOf(rows),
  // The shell by Codex's documentation: `$SHELL -lc`.
  shell: 'bash',
  timeoutMs: { default: 600_000, min: 1, max: 600_000 },
  // hookgate has no turn ids, so the event's id is used.
  encode: (native, payload) => ({
    ...encode(native, payload),
    turn_id: payload.event_id,
    model: payload['model'] ?? '',
  }),
  decode: decodeAs('codex', 'Codex'),
  env: () => ({}),
}

const contextEvents = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SubagentStart']

/**
 * The answer to an allowed step: the rewrites of hooks, and a permission. A bare `allow` is an error in
 * Codex, after which the tool runs.
 */
const permit = (name: string, ruled: Ruled, isChanged: IsChanged): Reply & { readonly refused?: string } => {
  const { payload, isConsent, contexts } = ruled
  const { tool_name: tool, tool_result: result, message } = payload
  if (name === 'PermissionRequest') return isConsent ? { inner: { decision: { behavior: 'allow' } } } : {}
  if (name === 'PreToolUse' && isChanged('tool_input') !== false) {
    const input = inputOf('codex', ruled)
    if (input === undefined) return {}
    const isShell = tool === 'bash' || tool === 'edit_file'
    return isShell && typeof input['command'] !== 'string'
      ? { refused: noRewrite('Codex', input) }
      : { inner: { permissionDecision: 'allow', updatedInput: input } }
  }
  if (name === 'PostToolUse' && typeof result === 'string' && isChanged('tool_result') !== false) {
    // The model sees the reason as the tool's result.
    return { top: { decision: 'block', reason: resultOf(result, ...contexts) } }
  }
  return name === 'UserPromptSubmit' && typeof message === 'string' && isChanged('message') === true
    ? { refused: noPrompt('Codex', message) }
    : {}
}

/**
 * Codex ignores an answer with an unknown field, and goes on. So only the fields of its schema are written.
 */
const write: Client['write'] = ({ name }, ruled, asked) => {
  const { contexts, notes, stopsTurn, payload } = ruled
  const { refused, top, inner }: ReturnType<typeof permit> = isRefused(ruled)
    ? { refused: whyOf(ruled) }
    : permit(name, ruled, changedSince(asked, payload))
  const refusal = refused === undefined ? undefined : refusalOf('codex', name, ruled, refused)
  if (refusal !== undefined) return replyOf(name, { top: refusal, notes })
  const context = joined(...contexts)
  const isTaken = context !== '' && contextEvents.includes(name) && top === undefined
  const isEnd = stopsTurn === true && ['PostToolUse', 'UserPromptSubmit', 'SessionStart'].includes(name)
  return replyOf(name, {
    top: { ...top, ...(isEnd ? { continue: false, stopReason: whyOf(ruled) } : {}) },
    inner: { ...inner, ...(isTaken ? { additionalContext: context } : {}) },
    notes,
  })
}

export const codex: Client = {
  title: 'Codex',
  events: reportsOf(rows),
  read: readerOf({ speaker: 'codex', rows }),
  write,
  hidesFailures: true,
}
