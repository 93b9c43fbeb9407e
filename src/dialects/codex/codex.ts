import type { Client, Ruled } from '../../shared/gate/client.ts'
import type { Dialect } from '../../shared/hooks/dialect.ts'
import { interrupt, postCompact, ran, request, shared, subagents } from '../claude-code/alike.ts'
import { decodeAs } from '../claude-code/answer.ts'
import { encodeAs } from '../claude-code/claude-code.ts'
import {
  isRefused,
  noRewrite,
  refusalOf,
  replyOf,
  resultOf,
  settledOf,
  whyOf,
  type Reply,
  type Settled,
} from '../client-write.ts'
import { eventsOf, field, readerOf, reportsOf, type Rows } from '../table.ts'

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
      tool_response: { ...field.content('tool_result'), out: ({ tool_result: result }) => result ?? '' },
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
const permit = (
  name: string,
  { payload, isConsent, contexts }: Ruled,
  { input, result, noPrompt }: Settled,
): Reply & { readonly refused?: string | undefined } => {
  const { tool_name: tool } = payload
  if (name === 'PermissionRequest') return isConsent ? { inner: { decision: { behavior: 'allow' } } } : {}
  if (name === 'PreToolUse' && input !== undefined) {
    const isShell = tool === 'bash' || tool === 'edit_file'
    return isShell && typeof input['command'] !== 'string'
      ? { refused: noRewrite('Codex', input) }
      : { inner: { permissionDecision: 'allow', updatedInput: input } }
  }
  // The model sees the reason as the tool's result.
  return name === 'PostToolUse' && result !== undefined
    ? { top: { decision: 'block', reason: resultOf(result, ...contexts) } }
    : { refused: noPrompt }
}

/**
 * Codex ignores an answer with an unknown field, and goes on. So only the fields of its schema are written.
 */
const write: Client['write'] = ({ name }, ruled, asked) => {
  const { notes, stopsTurn } = ruled
  const settled = settledOf({ speaker: 'codex', title: 'Codex' }, ruled, asked)
  const { context } = settled
  const { refused, top, inner }: ReturnType<typeof permit> = isRefused(ruled)
    ? { refused: whyOf(ruled) }
    : permit(name, ruled, settled)
  const refusal = refused === undefined ? undefined : refusalOf('codex', name, ruled, refused)
  if (refusal !== undefined) return replyOf(name, { top: refusal, notes })
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
