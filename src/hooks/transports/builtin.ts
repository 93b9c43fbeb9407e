import type { ArmedHook } from '../../model/hooks/entry.ts'
import type { Json, JsonObject } from '../../model/base/json.ts'
import type { Payload } from '../../model/events/payload.ts'
import { got, messageOf } from '../../model/gate/problem.ts'
import { builtinNamed, builtinProblem, pureBuiltins } from '../builtins/builtins.ts'
import type { CalendarClock } from '../builtins/date.ts'
import { redact } from '../builtins/redact/redact.ts'
import { createScanner, type Scanner } from '../builtins/redact/scanner.ts'
import { failedRun, type RunFailureKind, type RunResult } from '../host/protocol.ts'
import type { AskOptions, Speech, Transport } from './transport.ts'

/** What an agent host is asked: one builtin by name, in a folder. */
export interface HostQuestion {
  readonly name: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly payload: JsonObject
}

/** `answer`: what the agent host sent, as it is. The agent's user wrote it: it may hold anything. */
export type HostReply =
  | { readonly kind: 'answer'; readonly body: JsonObject }
  | { readonly kind: 'away' | 'late' | 'stopped' | 'busy' }

export interface BuiltinPorts extends CalendarClock {
  /** Asks the agent host of one agent. Never rejects. */
  askHost(
    agentId: string,
    question: HostQuestion,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<HostReply>
  /** Where `undo` works for an agent that nothing was snapshotted for in this run of the gate. */
  readonly workspace: string
  readonly speech: Pick<Speech, 'stdin'>
  readonly scanner?: Scanner
}

export interface BuiltinTransport extends Transport {
  /** Puts an agent's working tree back to its last snapshot that differs. `text` and `why` hold words of the agent's user: quote them. */
  undo(
    agentId: string,
  ): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }>
}

const maxContextChars = 64_000
const maxWordsChars = 500
const undoWithinMs = 60_000

const unanswered: Readonly<Record<Exclude<HostReply['kind'], 'answer'>, readonly [RunFailureKind, string]>> =
  {
    away: [
      'host',
      'Expected the agent host to be connected, got none; this builtin reads files as the agent’s user. It starts again by itself.',
    ],
    late: [
      'timeout',
      'The agent host did not answer in time; look at its disk and its git, or raise the timeout.',
    ],
    stopped: ['killed', 'It was stopped before the agent host answered.'],
    busy: ['host', 'Expected the agent host to answer sooner, got too many questions that wait for it.'],
  }

/** Words of the agent's user, short and on one line. */
const wordsOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== ''
    ? value
        .toWellFormed()
        .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
        .slice(0, maxWordsChars)
        .trim()
    : undefined

/** Of all that an agent host can say only context for its own model is taken. */
const reduced = ({ context }: JsonObject): JsonObject =>
  typeof context === 'string' && context !== ''
    ? { context: context.slice(0, maxContextChars).toWellFormed() }
    : {}

/** Handlers that hookgate brings itself. What needs a file or a program is answered by the agent host. */
export const createBuiltinTransport = ({
  askHost,
  workspace,
  speech,
  scanner = createScanner(),
  ...clock
}: BuiltinPorts): BuiltinTransport => {
  /** Where each agent's last snapshot was asked for. */
  const folders = new Map<string, string>()
  const scanners = new Set<string>()

  const askOut = async (
    { command: name, args }: ArmedHook['entry'],
    payload: Payload,
    { timeoutMs, signal }: AskOptions,
  ): Promise<JsonObject | RunResult> => {
    const { agent_id, cwd, event, event_id, session_id } = payload
    if (name === 'snapshot') folders.set(agent_id, cwd)
    // The event's texts stay here: no builtin of the agent host needs them, and a line of the inbox is bounded.
    const reply = await askHost(
      agent_id,
      { name, args, cwd, payload: { event, event_id, session_id } },
      { timeoutMs, ...(signal === undefined ? {} : { signal }) },
    )
    if (reply.kind !== 'answer') return failedRun(...unanswered[reply.kind])
    const error = wordsOf(reply.body['error'])
    return error === undefined
      ? reduced(reply.body)
      : failedRun('host', `The agent host could not run ${name}: ${error}`)
  }

  const answer = async (
    hook: ArmedHook,
    payload: Payload,
    options: AskOptions,
  ): Promise<JsonObject | RunResult> => {
    const { entry } = hook
    const flaw = builtinProblem({ command: entry.command, args: entry.args, event: payload.event })
    if (flaw !== undefined) return failedRun('refused', `${flaw.message} ${flaw.fix}`)
    if (builtinNamed(entry.command)?.home === 'host') return askOut(entry, payload, options)
    if (entry.command === 'add_context') {
      return pureBuiltins.add_context(entry.args, JSON.parse(await speech.stdin(hook, payload)) as Json)
    }
    if (entry.command === 'add_date') return pureBuiltins.add_date(clock)
    if (entry.command === 'max_iterations') {
      const said = pureBuiltins.max_iterations(entry.args, payload)
      return typeof said['wrong'] === 'string' ? failedRun('refused', said['wrong']) : said
    }
    scanners.add(hook.fingerprint)
    const said = await redact(payload, scanner, {
      timeoutMs: options.timeoutMs,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
    return 'failure' in said ? failedRun(said.failure.kind, said.failure.detail) : said.answer
  }

  const isRun = (said: JsonObject | RunResult): said is RunResult => 'exitCode' in said

  return {
    ask: async (hook, payload, options) => {
      const startedAtMs = performance.now()
      try {
        const said = await answer(hook, payload, options)
        const durationMs = performance.now() - startedAtMs
        return isRun(said)
          ? { ...said, durationMs }
          : { exitCode: 0, stdout: JSON.stringify(said), stderr: '', isTruncated: false, durationMs }
      } catch (error) {
        return failedRun(
          'host',
          `The builtin ${got(hook.entry.command)} failed inside hookgate: ${messageOf(error)}.`,
          performance.now() - startedAtMs,
        )
      }
    },
    // A gate without the hook keeps no thread.
    retire: (live) => {
      for (const fingerprint of scanners) if (!live.has(fingerprint)) scanners.delete(fingerprint)
      if (scanners.size === 0) void scanner.stop()
    },
    stop: () => scanner.stop(),
    undo: async (agentId) => {
      const reply = await askHost(
        agentId,
        { name: 'undo', args: [], cwd: folders.get(agentId) ?? workspace, payload: {} },
        { timeoutMs: undoWithinMs },
      )
      if (reply.kind !== 'answer') return { ok: false, why: unanswered[reply.kind][1] }
      const error = wordsOf(reply.body['error'])
      if (error !== undefined) return { ok: false, why: error }
      const { context } = reply.body
      return typeof context === 'string'
        ? { ok: true, text: context.slice(0, 4000).toWellFormed() }
        : { ok: false, why: 'The agent host said nothing; undo may not have happened.' }
    },
  }
}
