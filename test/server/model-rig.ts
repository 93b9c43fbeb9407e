import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach } from 'vitest'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import {
  createModelProxy,
  type ModelEndpoint,
  type ModelProxyOptions,
} from '../../src/server/model-proxy/model-proxy.ts'
import type { AgentPorts } from '../../src/server/ports.ts'
import { startAgentServer } from '../../src/server/server.ts'

export const key = 'sk-secret-of-the-endpoint'
export const modelPath = '/v1/model/chat/completions'
export const question = JSON.stringify({
  model: 'another',
  messages: [{ role: 'user', content: 'hello' }],
  stream: true,
})

export interface Asked {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: JsonObject
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

interface More extends Partial<Omit<ModelProxyOptions, 'endpoint'>> {
  readonly endpoint?: Partial<ModelEndpoint>
  /** What the hooks say to an event; nothing: they allow it. */
  readonly hooks?: (
    event: string,
    body: JsonObject,
  ) => JsonObject | undefined | Promise<JsonObject | undefined>
}

export const piece = (content: string, more: JsonObject = {}): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more })}\n\n`

export const streamed =
  (...pieces: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const each of pieces) response.write(each)
    response.end('data: [DONE]\n\n')
  }

/** What an answer said in the end, put together as a client does. */
export const saidIn = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => {
      const { choices = [] } = JSON.parse(line.slice(6)) as {
        choices?: readonly { delta?: { content?: string } }[]
      }
      return choices.map(({ delta }) => delta?.content ?? '').join('')
    })
    .join('')

/** An endpoint that answers as it is told, and the socket of an agent whose model is there. */
export const useModel = () => {
  const asked: Asked[] = []
  const fired: { readonly event: string; readonly body: JsonObject }[] = []
  const ends: (() => unknown)[] = []
  let folder = ''
  const endAll = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hookgate-model-'))
    asked.length = 0
    fired.length = 0
  })
  afterEach(async () => {
    await endAll()
    await rm(folder, { recursive: true, force: true })
  })

  const place = async (answer: Answer, { endpoint: own, hooks, ...more }: More = {}): Promise<string> => {
    const endpoint = createServer((request, response) => {
      void buffer(request)
        .then((body) => {
          asked.push({
            url: String(request.url),
            headers: request.headers,
            body: JSON.parse(body.toString()) as JsonObject,
          })
          return answer(response, request)
        })
        .catch(() => undefined)
    }).listen(0, '127.0.0.1')
    await once(endpoint, 'listening')
    const model = createModelProxy({
      endpoint: {
        baseUrl: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/api/v1/`,
        model: 'm',
        apiKey: key,
        perHour: { calls: 1000, tokens: 1_000_000 },
        ...own,
      },
      tellSpent: () => undefined,
      ...more,
    })
    const ports: AgentPorts = {
      fire: async (_, event, body) => {
        fired.push({ event, body })
        const said = await hooks?.(event, body)
        return { status: 200, body: { verdict: 'allow', payload: body, hooks: [], event_id: 'e', ...said } }
      },
      push: () => Promise.resolve({ status: 200, body: {} }),
      subscribe: () => () => undefined,
    }
    const socketPath = join(folder, 'main.sock')
    const server = await startAgentServer({ agentId: 'main', socketPath, log: () => undefined, model, ports })
    ends.push(
      () => endpoint.close(),
      () => endpoint.closeAllConnections(),
      () => server.stop(),
      () => model.stop(),
    )
    return socketPath
  }

  return {
    asked,
    fired,
    place,
    endAll,
    inFolder: (name: string) => join(folder, name),
    onEnd: (end: () => unknown) => void ends.push(end),
  }
}

/** Asks as a tool would: any program that can open the socket. */
export const ask = (
  socketPath: string,
  body: string | Buffer | JsonObject = question,
  { path = modelPath, method = 'POST', leave }: { path?: string; method?: string; leave?: AbortSignal } = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      authorization: 'Bearer from-the-agent',
      'x-other': 'x',
    }
    const request = httpRequest(
      { socketPath, path, method, agent: false, headers, ...(leave && { signal: leave }) },
      (response) => {
        buffer(response)
          .then((bytes) =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: bytes.toString() }),
          )
          .catch(reject)
      },
    )
    request.on('error', reject)
    request.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
  })
