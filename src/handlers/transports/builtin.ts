import type { RunFailureKind, RunResult } from '../../core/model/hooks/run-result.ts'
import type { ArmedHook } from '../../core/model/hooks/entry.ts'
import { parseJson, type JsonObject } from '../../core/model/base/json.ts'
import { memoizeEach } from '../../core/model/base/memoize.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { got, messageOf } from '../../core/model/gate/problem.ts'
import { builtinNamed, builtinProblem, pureBuiltins } from '../builtins/builtins.ts'
import type { SpendingBudget } from '../builtins/budget/budget.ts'
import type { OwnerNews } from '../builtins/owner-news.ts'
import type { CalendarClock } from '../builtins/date.ts'
import type { Marks } from '../builtins/incoming/mark.ts'
import { redact } from '../builtins/redact/redact.ts'
import { createScanner, type Scanner } from '../builtins/redact/scanner.ts'
import { answeredRun, failedRun } from '../host/protocol.ts'
import type { AskOptions, Speech, Transport } from './transport.ts'

/** A request to an agent host: one builtin by name, in a folder. */
export interface HostQuestion {
  readonly name: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly payload: JsonObject
}

/** `answer` is the agent host's reply, unchanged. The agent's user wrote it, so it may hold anything. */
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
  /** The folder of `undo` for an agent without a snapshot in this run of the gate. */
  readonly workspace: string
  readonly speech: Pick<Speech, 'stdin'>
  readonly scanner?: Scanner
  /** Scans for shadows, so that no hook that decides waits for one. */
  readonly shadowScanner?: Scanner
  readonly budget: Pick<SpendingBudget, 'answer'>
  readonly owner: Pick<OwnerNews, 'hear'>
  readonly marks: Pick<Marks, 'answer'>
}

export interface BuiltinTransport extends Transport {
  /**
   * Resets an agent's working tree to its last snapshot that differs. `text` and `why` contain text from the
   * agent's user, so quote them.
   */
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
      'The agent host is not connected, and this builtin reads files as the agent’s user. It starts again by itself.',
    ],
    late: [
      'timeout',
      'The agent host did not answer in time. Look at its disk and its git, or raise the timeout.',
    ],
    stopped: ['killed', 'The hook was stopped before the agent host answered.'],
    busy: ['host', 'Too many requests wait for the agent host. Try again.'],
  }

/** Text from the agent's user, shortened and on one line. */
const wordsOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== ''
    ? value
        .toWellFormed()
        .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
        .slice(0, maxWordsChars)
        .trim()
    : undefined

/** Keeps only the context for the agent's own model from an agent host's reply. */
const reduced = ({ context }: JsonObject): JsonObject =>
  typeof context === 'string' && context !== ''
    ? { context: context.slice(0, maxContextChars).toWellFormed() }
    : {}

const flawOf = memoizeEach(builtinProblem)

/** Runs the handlers that hookgate includes. The agent host runs those that need a file or a program. */
export const createBuiltinTransport = ({
  askHost,
  workspace,
  speech,
  scanner = createScanner(),
  shadowScanner = createScanner(),
  budget,
  owner,
  marks,
  ...clock
}: BuiltinPorts): BuiltinTransport => {
  /** The folder of each agent's last snapshot. */
  const folders = new Map<string, string>()
  const scanners = new Set<string>()

  const askOut = async (
    { command: name, args }: ArmedHook['entry'],
    payload: Payload,
    { timeoutMs, signal }: AskOptions,
  ): Promise<JsonObject | RunResult> => {
    const { agent_id, cwd, event, event_id, session_id } = payload
    if (name === 'snapshot') folders.set(agent_id, cwd)
    // The event's texts are not sent: no builtin of the agent host needs them, and a line of the inbox is
    // bounded.
    const reply = await askHost(
      agent_id,
      { name, args, cwd, payload: { event, event_id, session_id } },
      { timeoutMs, signal },
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
    const flaw = flawOf(entry)
    if (flaw !== undefined) return failedRun('refused', `${flaw.message} ${flaw.fix}`)
    if (builtinNamed(entry.command)?.home === 'host') return askOut(entry, payload, options)
    if (entry.command === 'add_context') {
      return pureBuiltins.add_context(entry.args, parseJson(await speech.stdin(hook, payload)) ?? null)
    }
    if (entry.command === 'add_date') return pureBuiltins.add_date(clock)
    if (entry.command === 'max_iterations' || entry.command === 'guard_commands') {
      const said = await pureBuiltins[entry.command](entry.args, payload)
      return typeof said['wrong'] === 'string' ? failedRun('refused', said['wrong']) : said
    }
    if (entry.command === 'ask_owner') return pureBuiltins.ask_owner(entry.args, payload)
    if (entry.command === 'check_publish') return pureBuiltins.check_publish(payload)
    if (entry.command === 'budget') return budget.answer(entry, payload)
    if (entry.command === 'tell_owner') {
      owner.hear(hook, payload)
      return {}
    }
    scanners.add(hook.fingerprint)
    const ask = entry.command === 'mark_instructions' ? marks.answer : redact
    const said = await ask(payload, hook.isShadow === true ? shadowScanner : scanner, {
      timeoutMs: options.timeoutMs,
      signal: options.signal,
      subject: entry.command === 'redact_pii' ? 'personal' : 'secrets',
    })
    return 'failure' in said ? failedRun(said.failure.kind, said.failure.detail) : said.answer
  }

  const stop = async (): Promise<void> => {
    await Promise.all([scanner.stop(), shadowScanner.stop()])
  }
  const isRun = (said: JsonObject | RunResult): said is RunResult => 'exitCode' in said

  return {
    ask: async (hook, payload, options) => {
      const startedAtMs = performance.now()
      try {
        const said = await answer(hook, payload, options)
        const durationMs = performance.now() - startedAtMs
        return isRun(said) ? { ...said, durationMs } : answeredRun(said, durationMs)
      } catch (error) {
        return failedRun(
          'host',
          `The builtin ${got(hook.entry.command)} failed inside hookgate: ${messageOf(error)}.`,
          performance.now() - startedAtMs,
        )
      }
    },
    // The scanners' threads end when no hook needs them.
    retire: (live) => {
      for (const fingerprint of scanners) if (!live.has(fingerprint)) scanners.delete(fingerprint)
      if (scanners.size === 0) void stop()
    },
    stop,
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
        : { ok: false, why: 'The agent host sent no text; undo may not have happened.' }
    },
  }
}
