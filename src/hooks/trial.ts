import { split } from 'shlex'
import { faultAnswer, withFault, type Answer } from '../model/answer.ts'
import type { HandlerOutput, Shell } from '../model/dialect.ts'
import type { ArmedHook, Entry } from '../model/entry.ts'
import { deepFreeze, type Json, type JsonObject } from '../model/json.ts'
import { syntheticPayload, type Payload } from '../model/payload.ts'
import { messageOf } from '../model/problem.ts'
import { startRun } from './host/run.ts'
import { createHookEnv, type BaseEnv } from './hook-env.ts'
import { applyRewrite } from './rewrite.ts'
import { whatRuns } from './what-runs.ts'
import type { Speech } from './transports/transport.ts'

export interface TrialOptions {
  readonly event: Entry['event']
  readonly dialect?: NonNullable<Entry['dialect']>
  /** What the dialect gives a command's text to. */
  readonly shell?: Shell
  readonly command: string
  /** Laid over a sample of the event: what is missing is filled in. */
  readonly fields: JsonObject
  readonly timeoutMs: number
  readonly cwd: string
  readonly env: BaseEnv
  readonly now: number
  readonly speech: Speech
  decode(hook: ArmedHook, payload: Payload, output: HandlerOutput): Answer
}

/** Other systems give a command's text to a shell; ours are words. */
const argvOf = ({ command, dialect, shell = 'sh' }: TrialOptions): readonly string[] =>
  dialect === undefined ? split(command) : [shell, '-c', command]

/** What the event would make of the answer: a rewrite that it does not take is a fault here as it is there. */
const settled = (payload: Payload, { rewrite, ...answer }: Answer): { readonly answer: Answer; readonly rewrite?: JsonObject } => {
  if (rewrite === undefined || answer.kind === 'block') return { answer }
  const done = applyRewrite(payload, rewrite)
  const told = { ...answer, notes: [...answer.notes, ...done.warnings] }
  if (done.fault !== undefined) return { answer: withFault(told, { kind: 'rewrite', detail: done.fault }) }
  const changed = Object.fromEntries(Object.keys(rewrite).filter((field) => done.payload[field] !== payload[field]).map((field): [string, Json] => [field, done.payload[field] ?? null]))
  return { answer: told, ...(done.isChanged ? { rewrite: changed } : {}) }
}

/**
 * Runs one command as a hook once, ungated, with the environment that a hook gets, and says what its answer comes to:
 * the one line of `hookgate test`. Never rejects.
 */
export const tryCommand = async (options: TrialOptions): Promise<JsonObject> => {
  const { event, dialect, command, timeoutMs, cwd, speech, env } = options
  const entry: Entry = { event, type: 'command', command, args: [], timeoutMs, onError: 'warn', priority: 100, isAsync: false, env: {}, files: [], origin: 'hookgate test', ...(dialect === undefined ? {} : { dialect }) }
  const sample = syntheticPayload(event, cwd, new Date(options.now))
  const payload: Payload = deepFreeze({ ...sample, ...options.fields, event })
  let hook: ArmedHook
  try {
    hook = { fingerprint: 'test', entry, argv: argvOf(options), cwd, workspace: cwd, hookDir: cwd, checkSeal: () => undefined }
  } catch (error) {
    return { decision: 'fault', fault: { kind: 'start', detail: `Expected "--command" to be words that can be split, but ${messageOf(error)}.` }, exit_code: null, duration_ms: 0 }
  }
  const envOf = createHookEnv(env)
  const ran = whatRuns(hook.argv, cwd, env.path)
  const run = startRun({ argv: hook.argv, cwd, env: { ...envOf(hook, speech.env(hook, payload)), HOOKGATE_CHAIN: '' }, stdin: speech.stdin(hook, payload), timeoutMs })
  const result = await run.result
  const { answer, rewrite } = settled(payload, result.failure === undefined ? options.decode(hook, payload, result) : faultAnswer(result.failure.kind, result.failure.detail))
  return {
    decision: answer.kind,
    ...(answer.reason === undefined ? {} : { reason: answer.reason }),
    ...(rewrite === undefined ? {} : { rewrite }),
    ...(answer.context === undefined ? {} : { context: answer.context }),
    ...(answer.notes.length === 0 ? {} : { notes: [...answer.notes] }),
    ...(answer.stopsTurn === undefined ? {} : { stop_turn: true }),
    ...(answer.fault === undefined ? {} : { fault: { ...answer.fault } }),
    ran,
    exit_code: result.exitCode,
    duration_ms: Math.round(result.durationMs * 10) / 10,
  }
}
