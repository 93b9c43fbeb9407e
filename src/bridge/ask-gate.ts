import type { IncomingMessage } from 'node:http'
import { request } from '../model/base/http.ts'

/** A socket has no name to look at; whether its name were an address is otherwise found out, in 4 ms. */
const nameless = { servername: '' }

const maxAnswerBytes = 16 * 1024 * 1024

/** What became of one event: the gate's answer, its refusal to answer, or that there is no gate. */
export type GateReply =
  | { readonly kind: 'answer'; readonly body: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'away'; readonly code: string }

export interface GateQuestion {
  readonly socketPath: string
  readonly client: string
  readonly event: string
  readonly bytes: Buffer
  /** How long the gate may take, a person's answer included. */
  readonly patienceMs: number
  readonly chain: readonly string[]
  /** The client can end and make the same call again. */
  readonly canPark: boolean
}

const refusalIn = (status: number | undefined, text: string): GateReply => {
  try {
    const { error }: { error: { code: string; message: string } } = JSON.parse(text)
    // It is going down: whatever decides while it is away decides now.
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

/** Puts a client's own words to the running gate. Never rejects; how long to wait is the caller's to say. */
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
          // Sooner than within a second nobody answers.
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
        // Ended before it was whole: the gate died.
        response.on('error', () => resolve({ kind: 'away', code: 'ECONNRESET' }))
        response.on('end', () => resolve(readAnswer(response, text)))
      },
    )
    sent.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ kind: 'away', code: error.code ?? 'unknown' }),
    )
    sent.end(bytes)
  })
