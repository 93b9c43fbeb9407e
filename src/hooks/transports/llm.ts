import { contractOf, type EventName } from '../../model/events/event.ts'
import { failedRun, type RunFailureKind, type RunResult } from '../host/protocol.ts'
import { createBudget } from './budget.ts'
import type { ConnectorPorts } from './connector.ts'
import { readPrompt } from '../prompt.ts'
import { questionOf, readReply } from './judge.ts'
import { createPoster } from './post.ts'
import { urlProblem } from './target.ts'
import type { Speech, Transport } from './transport.ts'

/** gate.yaml's `llm`. The owner alone writes it. */
export interface LlmOptions {
  /** Up to `/chat/completions`, which is added. */
  readonly baseUrl: string
  readonly model: string
  /** The variable that holds the key; absent: the endpoint wants none. */
  readonly apiKeyEnv?: string
  /** That variable's value; absent: it is not set. */
  readonly apiKey?: string
  readonly maxCallsPerHour: number
  readonly maxTokens: number
}

export interface LlmPorts extends Omit<ConnectorPorts, 'allowLocal'> {
  readonly speech: Speech
  /** Absent: gate.yaml says nothing of an endpoint. */
  readonly llm?: LlmOptions
  /** For intervals, by a clock that nobody can set. */
  elapsedMs(): number
}

/** Since the gate was started. */
export interface LlmState {
  readonly calls: number
  /** As the endpoint counted them. */
  readonly tokens: number
  /** Questions that were not put: no endpoint, no key, no budget. */
  readonly refused: number
}

export interface LlmTransport extends Required<Transport> {
  state(): LlmState
}

const configFix =
  'Write "llm: {base_url: https://openrouter.ai/api/v1, model: …, api_key_env: OPENROUTER_API_KEY}" into gate.yaml and restart hookgate.'

/** Why the endpoint cannot be asked at all, as words. */
const configFlaw = (llm: LlmOptions | undefined): string | undefined => {
  if (llm === undefined)
    return `Expected gate.yaml to name an endpoint for hooks of type llm, got none. ${configFix}`
  if (llm.apiKeyEnv !== undefined && (llm.apiKey ?? '') === '')
    return `Expected ${llm.apiKeyEnv}, which "llm.api_key_env" in gate.yaml names, to be set, got nothing. Set it where hookgate is started.`
  return undefined
}

/** Where a block sends the agent on, which is no use for what cannot be reached. */
const goesOn: readonly EventName[] = ['on_stop', 'on_completion_claim', 'on_subagent_stop']

/**
 * Asks a model: the entry's prompt is the rule, the payload the case. An endpoint of the owner's own choice, never the
 * agent's loop, so that judging an event causes none. Since gate.yaml is the owner's and no proposal can name the
 * endpoint, it may be on this machine or in a private network; a cloud's metadata service stays closed to it too.
 */
export const createLlmTransport = (ports: LlmPorts): LlmTransport => {
  const { speech, llm, elapsedMs } = ports
  const rules = { ...ports, allowLocal: true }
  const poster = createPoster(rules)
  const budget = createBudget(llm?.maxCallsPerHour ?? 0, elapsedMs)
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
      if (wrong !== undefined) return refuse(`${wrong.message} Mend "llm.base_url" in gate.yaml.`)
      const prompt = readPrompt(hook.entry.command, hook.entry.dialect?.name)
      if ('wrong' in prompt) return refuse(`Expected a prompt that can be filled in, got ${prompt.wrong}.`)
      const waitMs = budget.take()
      if (waitMs !== undefined) {
        const spent = `Expected at most ${llm.maxCallsPerHour} questions to the model in an hour, and they are spent; the next one is free in ${Math.ceil(waitMs / 60_000)} min. Raise "llm.max_calls_per_hour" in gate.yaml, or narrow the hook's matcher.`
        // An agent can spend the budget on purpose: where a person can be asked instead, that opens nothing.
        if (!contractOf(payload.event).gate.includes('ask')) return refuse(spent, 'limit')
        refused += 1
        return {
          exitCode: 0,
          stdout: JSON.stringify({ decision: 'ask', reason: spent }),
          stderr: '',
          isTruncated: false,
          durationMs: 0,
        }
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
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': 'hookgate',
          ...(llm.apiKey === undefined ? {} : { authorization: `Bearer ${llm.apiKey}` }),
        },
      })
      const durationMs = performance.now() - startedAtMs
      // What the event holds can make a model or its server answer anything.
      if ('failure' in posted) {
        const { kind, detail } = posted.failure
        return failedRun(kind === 'output' ? 'broken' : kind, detail, durationMs)
      }
      const { tokens: used, said } = readReply(posted.text)
      tokens += used
      if ('wrong' in said) return failedRun('broken', said.wrong, durationMs)
      // No judgement of what it did not see.
      if ((said.decision === 'allow' || said.decision === 'pass') && omittedChars > 0)
        return failedRun(
          'limit',
          `The model allowed what it saw, but ${omittedChars} characters of the event were too many to show it; narrow the hook's matcher, or judge such events with a program.`,
          durationMs,
        )
      const isGivenUp = said.isImpossible === true && goesOn.includes(payload.event)
      const answer =
        said.decision === 'pass' || isGivenUp ? {} : { decision: said.decision, reason: said.reason }
      return { exitCode: 0, stdout: JSON.stringify(answer), stderr: '', isTruncated: false, durationMs }
    },
    retire: poster.release,
    stop: poster.stop,
    state: () => ({ calls, tokens, refused }),
  }
}
