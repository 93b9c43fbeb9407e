import { createHash, createPrivateKey, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import https from 'node:https'
import { Agent, request as httpRequest, textOf, type IncomingMessage } from '../shared/base/http.ts'
import { parseJson } from '../core/model/base/json.ts'
import type { Problem } from '../core/model/gate/problem.ts'
import { refusalIn } from '../shared/base/problem.ts'
import { nodeProtocol } from '../shared/nodes/protocol.ts'
import type { Identity } from './identity.ts'

export interface LinkOptions {
  readonly key: Identity['key']
  readonly gates: Identity['gates']
  readonly version: string
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: Buffer
  readonly signal?: AbortSignal
}

/** The connection of a node to its gate. A request rejects when the gate cannot be reached. */
export interface Link {
  /** The address that is used now. */
  readonly gate: () => string
  /** Uses the next address of the gate from now on. True: it is the first one again. */
  turn(): boolean
  /**
   * Ends every connection to the gate, also those on which somebody waits. It is called when one of them
   * carries nothing any more, because then the others do not either.
   */
  cut(): void
  /** Takes the time of the gate from its answer, where the clocks of the two machines differ. */
  setClock(answer: IncomingMessage): void
  send(asked: Asked): Promise<IncomingMessage>
  /** Sends a value as JSON. */
  post(path: string, value: object, signal?: AbortSignal): Promise<IncomingMessage>
}

const maxRefusalChars = 64 * 1024

/** Reads the refusal in an answer. An answer that is longer, or breaks off, is none of a gate. */
export const refusalFrom = async (answer: IncomingMessage): Promise<Problem> => {
  const refusal = refusalIn(parseJson(await textOf(answer, maxRefusalChars).catch(() => '')))
  return refusal === undefined || Object.values(refusal).includes('')
    ? {
        code: 'gate.other',
        message: `Expected an answer of a gate, got the status ${answer.statusCode ?? 0} of something else.`,
        fix: 'Look at the address of the gate.',
      }
    : refusal
}

const partOf = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Sends requests of a node, each with a proof as RFC 9449 describes it: the key signs method, address, time
 * and an id, and the hash of the body, too.
 */
export const createLink = ({ key, gates, version }: LinkOptions): Link => {
  const instance = randomUUID()
  const agents = { http: new Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) }
  let at = 0
  let offsetMs = 0
  const gate = (): string => gates[at % gates.length] ?? ''

  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.x }
  const privateKey = createPrivateKey({ key: { ...jwk, d: key.d }, format: 'jwk' })
  const header = partOf({ typ: 'dpop+jwt', alg: 'EdDSA', jwk })
  const proofOf = (htm: string, url: URL, sent: Buffer): string => {
    const body = createHash('sha256').update(sent).digest('base64url')
    const iat = Math.floor((Date.now() + offsetMs) / 1000)
    const claims = { htm, htu: `${url.origin}${url.pathname}`, jti: randomUUID(), body, iat }
    const said = `${header}.${partOf(claims)}`
    return `${said}.${sign(null, Buffer.from(said), privateKey).toString('base64url')}`
  }

  const send = async ({
    method,
    path,
    headers,
    body = Buffer.alloc(0),
    signal,
  }: Asked): Promise<IncomingMessage> => {
    const url = new URL(`${gate().replace(/\/+$/, '')}${path}`)
    const options = {
      method,
      headers: {
        ...headers,
        dpop: proofOf(method, url, body),
        'x-hookgate-protocol': nodeProtocol,
        'x-hookgate-instance': instance,
        'x-hookgate-version': version,
      },
      signal,
    }
    const sent =
      url.protocol === 'https:'
        ? https.request(url, { ...options, agent: agents.https })
        : httpRequest(url, { ...options, agent: agents.http })
    // An error after the answer has begun ends the answer, too.
    sent.on('error', () => undefined)
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>
    sent.end(body)
    const [answer] = await answered
    return answer
  }

  return {
    gate,
    turn: () => ++at % gates.length === 0,
    cut: () => {
      agents.http.destroy()
      agents.https.destroy()
    },
    setClock: ({ headers }) => {
      const theirMs = Date.parse(headers.date ?? '')
      if (!Number.isNaN(theirMs)) offsetMs = theirMs - Date.now()
    },
    send,
    post: (path, value, signal) => {
      const body = Buffer.from(JSON.stringify(value))
      const headers = { 'content-type': 'application/json', 'content-length': body.length }
      return send({ method: 'POST', path, headers, body, signal })
    },
  }
}
