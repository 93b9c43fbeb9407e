import { methods, type StopReason } from '@agentclientprotocol/sdk'
import { isObject } from '../../core/model/base/json.ts'
import type { Limits } from './limits.ts'
import type { Live } from './live.ts'
import type { Running } from './program.ts'

export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
}

export interface TurnEnd {
  readonly stopReason: StopReason
  /** Absent when the agent does not report it. */
  readonly usage?: Usage
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/** Reads the tokens that a prompt used. Sources: the protocol's draft, and Gemini CLI. */
const usageOf = (response: object): Usage | undefined => {
  const { usage, _meta } = response as { readonly usage?: unknown; readonly _meta?: unknown }
  const quota = isObject(_meta) ? _meta['quota'] : undefined
  const tokens = isObject(usage) ? usage : isObject(quota) ? quota['token_count'] : undefined
  if (!isObject(tokens)) return undefined
  const [input, output] = [
    count(tokens['inputTokens'] ?? tokens['input_tokens']),
    count(tokens['outputTokens'] ?? tokens['output_tokens']),
  ]
  return input === undefined || output === undefined
    ? undefined
    : { input_tokens: input, output_tokens: output }
}

/** Sends one prompt and waits for its end. Rejects on abort, and when the program ends before it answers. */
export const askAgent = async (
  running: Running,
  sessionId: string,
  text: string,
  live: Live,
  limits: Limits,
): Promise<TurnEnd> => {
  const { agent, kill } = running
  const { signal, ending } = live
  const over = AbortSignal.any([signal, ending.signal])
  over.throwIfAborted()
  live.touch()

  let late: NodeJS.Timeout | undefined
  const cancel = (): void => {
    agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined)
    late = setTimeout(() => kill('it did not stop in time'), limits.cancelMs)
  }
  over.addEventListener('abort', cancel, { once: true })
  const idle = setInterval(
    () => {
      if (performance.now() - live.idleSince() > limits.idleMs)
        kill(`it sent nothing for ${limits.idleMs / 1000} s`)
    },
    Math.min(limits.idleMs, 1000),
  )
  try {
    const response = await running.alive(
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    )
    signal.throwIfAborted()
    running.isWell()
    const usage = usageOf(response)
    return { stopReason: response.stopReason, usage }
  } finally {
    clearInterval(idle)
    clearTimeout(late)
    over.removeEventListener('abort', cancel)
  }
}
