import { faultAnswer, withFault, type Answer } from '../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../core/model/hooks/dialect.ts'
import type { ArmedHook } from '../core/model/hooks/entry.ts'
import { parseJson, type Json, type JsonObject } from '../core/model/base/json.ts'
import type { Payload } from '../core/model/events/payload.ts'
import { createHookEnv, type BaseEnv } from './world/hook-env.ts'
import { createGitWorld } from './host/git/git-world.ts'
import { failedRun } from './host/protocol.ts'
import { startRun } from './host/run.ts'
import { applyRewrite } from '../core/hooks/settle/rewrite.ts'
import type { Speech } from './transports/transport.ts'

export interface TrialOptions {
  /** The hook, armed from a seal like a hook in force. */
  readonly hook: ArmedHook
  readonly payload: Payload
  readonly env: BaseEnv
  readonly speech: Speech
  decode(hook: ArmedHook, payload: Payload, output: HandlerOutput): Answer
}

interface TrialAnswer {
  readonly answer: Answer
  readonly rewrite?: JsonObject
}

/** Applies the answer as the event would. A rewrite that the event does not accept is a fault here too. */
const settled = (payload: Payload, said: Answer): TrialAnswer => {
  const { rewrite, ...answer } = said
  if (rewrite === undefined || answer.kind === 'block') return { answer }
  const done = applyRewrite(payload, rewrite)
  const told = { ...answer, notes: [...answer.notes, ...done.warnings] }
  if (done.fault !== undefined) return { answer: withFault(told, { kind: 'rewrite', detail: done.fault }) }
  const isChanged = (field: string): boolean => done.payload[field] !== payload[field]
  const fields = Object.keys(rewrite).filter(isChanged)
  const changed = fields.map((field): [string, Json] => [field, done.payload[field] ?? null])
  return { answer: told, ...(done.isChanged ? { rewrite: Object.fromEntries(changed) } : {}) }
}

/**
 * Asks one sealed hook once, after the check that also makes the copies of watched files. Gives the payload
 * that was sent and the outcome of its answer. Never rejects.
 */
export const tryHook = async ({ hook, payload, env, speech, decode }: TrialOptions): Promise<JsonObject> => {
  const stdin = await speech.stdin(hook, payload)
  const damaged = hook.checkSeal()
  const git = createGitWorld()
  const run = {
    argv: hook.argv,
    argv0: hook.argv0,
    cwd: hook.cwd,
    env: {
      ...createHookEnv(env)(hook, speech.env(hook, payload)),
      ...git.env(hook.cwd, env.path),
      HOOKGATE_CHAIN: '',
    },
    stdin,
    timeoutMs: hook.entry.timeoutMs,
  }
  const result = damaged === undefined ? await startRun(run).result : failedRun('start', damaged)
  git.end()
  const { failure } = result
  const heard = (): Answer => decode(hook, payload, result)
  const said = failure === undefined ? heard() : faultAnswer(failure.kind, failure.detail)
  const { answer, rewrite } = settled(payload, said)
  return {
    decision: answer.kind,
    ...(answer.reason === undefined ? {} : { reason: answer.reason }),
    ...(rewrite === undefined ? {} : { rewrite }),
    ...(answer.context === undefined ? {} : { context: answer.context }),
    ...(answer.notes.length === 0 ? {} : { notes: [...answer.notes] }),
    ...(answer.stopsTurn === undefined ? {} : { stop_turn: true }),
    ...(answer.fault === undefined ? {} : { fault: { ...answer.fault } }),
    exit_code: result.exitCode,
    duration_ms: Math.round(result.durationMs * 10) / 10,
    sent: parseJson(stdin) ?? null,
  }
}
