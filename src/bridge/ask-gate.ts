import type { IncomingMessage } from 'node:http'
import { request } from '../shared/base/http.ts'

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
export const askGate = ({
  socketPath,
  client,
  event,
  bytes,
  patienceMs,
  chain,
  canPark,
}: GateQuestion): Promise<GateReply> =>
  new Promise((resolve) => {
    const sent = request(
      {
        ...nameless,
        socketPath,
        method: 'POST',
        agent: false,
        path: `/v1/bridge/${encodeURIComponent(client)}/${encodeURIComponent(event)}`,
        headers: {
          'content-type': 'application/json',
          'content-length': bytes.length,
          'x-hookgate-deadline-ms': patienceMs,
          // No person answers in less than a second.
          ...(patienceMs < 1000 ? {} : { 'x-hookgate-ask-ms': patienceMs }),
          ...(canPark ? { 'x-hookgate-park': '1' } : {}),
          ...(chain.length === 0 ? {} : { 'x-hookgate-chain': chain.join(',') }),
        },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          if (text.length > maxAnswerBytes) resolve({ kind: 'refused', why: 'its answer is too large' })
        })
        // The answer was incomplete, so the gate has died.
        response.on('error', () => resolve({ kind: 'away', code: 'ECONNRESET' }))
        response.on('end', () => resolve(readAnswer(response, text)))
      },
    )
    sent.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ kind: 'away', code: error.code ?? 'unknown' }),
    )
    sent.end(bytes)
  })
