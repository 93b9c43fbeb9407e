import type { RunFailureKind, RunResult } from '../../core/model/hooks/run-result.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import { contractOf, type EventName } from '../../core/model/events/event.ts'
import { answeredRun, failedRun } from '../host/protocol.ts'
import type { ConnectorPorts } from './connector.ts'
import { readPrompt } from '../prompt.ts'
import { questionOf, readReply } from './judge.ts'
import { createPoster } from './post.ts'
import { urlProblem } from './target.ts'
import type { Speech, Transport } from './transport.ts'

/** The `llm` section of gate.yaml, which only the owner writes. */
export interface LlmOptions {
  /** The URL without `/chat/completions`, which is added. */
  readonly baseUrl: string
  readonly model: string
  /** The variable that holds the key. Absent: the endpoint needs none. */
  readonly apiKeyEnv?: string
  /** The value of that variable. Absent: it is not set. */
  readonly apiKey?: string
  readonly maxCallsPerHour: number
  readonly maxTokens: number
}

export interface LlmPorts extends Omit<ConnectorPorts, 'allowLocal'> {
  readonly speech: Speech
  /** Absent: gate.yaml names no endpoint. */
  readonly llm?: LlmOptions
  /** The time for intervals, from a monotonic clock. */
  elapsedMs(): number
}

/** Counters since the gate was started. */
export interface LlmState {
  readonly calls: number
  /** As the endpoint counted them. */
  readonly tokens: number
  /** Requests that were not sent: no endpoint, no key or no budget. */
  readonly refused: number
}

export interface LlmTransport extends Required<Transport> {
  state(): LlmState
}

const windowMs = 3_600_000
/**
 * Counts calls over a sliding hour, in memory, so a restart resets it. Each call of it counts one. When the
 * limit is reached, it gives the time until the next call is free, in milliseconds.
 */
const createRateLimit = (maxPerHour: number, elapsedMs: () => number): (() => number | undefined) => {
  let takenAtMs: readonly number[] = []
  return () => {
    const nowMs = elapsedMs()
    takenAtMs = takenAtMs.filter((atMs) => nowMs - atMs < windowMs)
    const [oldest] = takenAtMs
    if (oldest !== undefined && takenAtMs.length >= maxPerHour) return oldest + windowMs - nowMs
    takenAtMs = [...takenAtMs, nowMs]
    return undefined
  }
}

const configFix =
  'Write "llm: {base_url: https://openrouter.ai/api/v1, model: …, api_key_env: OPENROUTER_API_KEY}" into gate.yaml and restart hookgate.'

/** Why the endpoint cannot be asked, as sentences; undefined when it can. */
const configFlaw = (llm: LlmOptions | undefined): string | undefined => {
  if (llm === undefined) return `gate.yaml names no endpoint for hooks of type llm. ${configFix}`
  if (llm.apiKeyEnv !== undefined && (llm.apiKey ?? '') === '')
    return `${llm.apiKeyEnv}, which "llm.api_key_env" in gate.yaml names, is not set. Set it where hookgate is started.`
  return undefined
}

/** Events on which a block makes the agent continue. A condition that cannot be met must not do that. */
const goesOn: readonly EventName[] = ['on_stop', 'on_completion_claim', 'on_subagent_stop']

/**
 * Asks a model: the entry's prompt is the rule and the payload is the case. The owner chooses the endpoint
 * and it is never the agent's own loop, so judging an event causes no other event. gate.yaml belongs to the
 * owner and no proposal can name the endpoint, so it may be on this machine or in a private network. A
 * cloud's metadata service stays closed.
 */
export const createLlmTransport = (ports: LlmPorts): LlmTransport => {
  const { speech, llm, elapsedMs } = ports
  const rules = { ...ports, allowLocal: true }
  const poster = createPoster(rules)
  const newLimit = () => createRateLimit(llm?.maxCallsPerHour ?? 0, elapsedMs)
  // A shadow takes no call from a hook that decides.
  const limits = { deciding: newLimit(), shadows: newLimit() }
  let calls = 0
  let tokens = 0
  let refused = 0
  const refuse = (words: string, kind: RunFailureKind = 'refused'): RunResult => {
    refused += 1
    return failedRun(kind, words)
  }

  return {
    ask: async (hook, payload, { timeoutMs, signal }) => {
      const startedAtMs = performance.now()
      const flaw = configFlaw(llm)
      if (llm === undefined || flaw !== undefined) return refuse(flaw ?? configFix)
      const url = `${llm.baseUrl.replace(/\/+$/, '')}/chat/completions`
      const wrong = urlProblem(url, rules)
      if (wrong !== undefined) return refuse(`${wrong.message} Correct "llm.base_url" in gate.yaml.`)
      const prompt = readPrompt(hook.entry.command, hook.entry.dialect?.name)
      if ('wrong' in prompt) return refuse(`Its prompt cannot be filled in: ${prompt.wrong}. Correct it.`)
      const waitMs = (hook.isShadow === true ? limits.shadows : limits.deciding)()
      if (waitMs !== undefined) {
        const spent = `All ${llm.maxCallsPerHour} questions to the model of this hour are used. The next one is free in ${Math.ceil(waitMs / 60_000)} min. Raise "llm.max_calls_per_hour" in gate.yaml, or narrow the hook's matcher.`
        // An agent can use up the budget on purpose. Where a person can be asked instead, that opens nothing.
        if (!contractOf(payload.event).gate.includes('ask')) return refuse(spent, 'limit')
        refused += 1
        return answeredRun({ decision: 'ask', reason: spent })
      }
      calls += 1
      const { model = llm.model } = hook.entry
      const { body, omittedChars } = questionOf({
        model,
        maxTokens: llm.maxTokens,
        prompt,
        event: await speech.stdin(hook, payload),
      })
      const posted = await poster.post({
        url,
        body,
        timeoutMs,
        signal,
        headers: llm.apiKey === undefined ? {} : { authorization: `Bearer ${llm.apiKey}` },
      })
      const durationMs = performance.now() - startedAtMs
      // The content of an event can make a model or its server answer anything.
      if ('failure' in posted) {
        const { kind, detail } = posted.failure
        return failedRun(kind === 'output' ? 'broken' : kind, detail, durationMs)
      }
      const { tokens: used, said } = readReply(posted.text)
      tokens += used
      if ('wrong' in said) return failedRun('broken', said.wrong, durationMs)
      // An allow does not cover text that the model did not see.
      if ((said.decision === 'allow' || said.decision === 'pass') && omittedChars > 0)
        return failedRun(
          'limit',
          `The model allowed what it saw, but ${omittedChars} characters of the event were too many to show it. Narrow the hook's matcher, or judge such events with a program.`,
          durationMs,
        )
      const isGivenUp = said.isImpossible === true && goesOn.includes(payload.event)
      const answer: JsonObject =
        said.decision === 'pass' || isGivenUp ? {} : { decision: said.decision, reason: said.reason }
      return answeredRun(answer, durationMs)
    },
    retire: poster.release,
    stop: poster.stop,
    state: () => ({ calls, tokens, refused }),
  }
}
