import { ask, textOf, TooLongError, type IncomingMessage } from '../shared/base/http.ts'

/**
 * A Unix socket has no server name. Without this option Node checks in 4 ms whether the name is an address.
 */
const nameless = { servername: '' }

const maxAnswerBytes = 16 * 1024 * 1024

/** The result of one event: the answer of the gate, a refusal of the gate, or no gate (`away`). */
export type GateReply =
  | { readonly kind: 'answer'; readonly body: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'away'; readonly code: string }

export interface GateQuestion {
  readonly socketPath: string
  readonly client: string
  readonly event: string
  readonly bytes: Buffer
  /** The time limit for the gate, with the answer of a person included. */
  readonly patienceMs: number
  readonly chain: readonly string[]
  /** True when the client can end and make the same call again later. */
  readonly canPark: boolean
}

const refusalIn = (status: number | undefined, text: string): GateReply => {
  try {
    const { error }: { error: { code: string; message: string } } = JSON.parse(text)
    // The gate is stopping, so the rule for a gate that is away applies.
    return error.code === 'gate.stopping'
      ? { kind: 'away', code: 'STOPPING' }
      : { kind: 'refused', why: error.message.slice(0, 500) }
  } catch {
    return { kind: 'refused', why: `it answered ${status ?? 'nothing'}` }
  }
}

const isAnswer = (text: string): boolean => {
  try {
    const answer: unknown = text === '' ? {} : JSON.parse(text)
    return typeof answer === 'object' && answer !== null && !Array.isArray(answer)
  } catch {
    return false
  }
}

const readAnswer = ({ statusCode }: IncomingMessage, text: string): GateReply => {
  if (statusCode !== 200) return refusalIn(statusCode, text)
  return isAnswer(text)
    ? { kind: 'answer', body: text }
    : { kind: 'refused', why: 'its answer cannot be read' }
}

/**
 * Sends an event of a client to the running gate unchanged. Never rejects. The caller sets the time limit.
 */
export const askGate = async ({
  socketPath,
  client,
  event,
  bytes,
  patienceMs,
  chain,
  canPark,
}: GateQuestion): Promise<GateReply> => {
  try {
    const answer = await ask(
      {
        ...nameless,
        socketPath,
        path: `/v1/bridge/${encodeURIComponent(client)}/${encodeURIComponent(event)}`,
        headers: {
          'x-hookgate-deadline-ms': patienceMs,
          // No person answers in less than a second.
          ...(patienceMs < 1000 ? {} : { 'x-hookgate-ask-ms': patienceMs }),
          ...(canPark ? { 'x-hookgate-park': '1' } : {}),
          ...(chain.length === 0 ? {} : { 'x-hookgate-chain': chain.join(',') }),
        },
      },
      bytes,
    )
    return readAnswer(answer, await textOf(answer, maxAnswerBytes))
  } catch (error) {
    if (error instanceof TooLongError) return { kind: 'refused', why: error.message }
    // There is no gate, or it died before its answer was complete.
    return { kind: 'away', code: error instanceof Error && 'code' in error ? String(error.code) : 'unknown' }
  }
}
