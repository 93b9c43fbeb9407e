import { randomUUID } from 'node:crypto'
import type { Client, HttpInstance } from '@larksuiteoapi/node-sdk'
import { isObject } from '../../../src/model/base/json.ts'
import type { App } from '../app.ts'
import { brokenBy, failed, type Failure } from './failure.ts'
import {
  idForm,
  isMinted,
  routeOf,
  routes,
  type MintedRoute,
  type RouteName,
  type Routed,
} from './methods.ts'

/** A person sends a file of up to 100 MB. hookgate takes as much as from Telegram. */
export const maxFileBytes = 20 * 1000 * 1000
const maxAnswerBytes = 8 * 1024 * 1024
/** How long a request may take, in milliseconds. */
const timeoutsMs: Partial<Readonly<Record<RouteName, number>>> = {
  'v1.image.create': 120_000,
  'v1.file.create': 120_000,
  'v1.messageResource.get': 60_000,
}
const timeoutMs = 20_000
/** Feishu never asks for a longer wait. */
const maxRetryAfterMs = 3_600_000

/** The request of a form of a push. `json` or `form` is its body. */
export interface MintedRequest {
  readonly route: MintedRoute
  readonly id?: string
  readonly query?: Readonly<Record<string, string>>
  readonly json?: object
  readonly form?: Readonly<Record<string, string | File>>
}

/** The part of the SDK's client that makes a request with its token. */
export type Sender = Pick<Client, 'request'>

export interface Exit {
  /** All HTTP requests of the SDK go through this. */
  readonly instance: HttpInstance
  /**
   * Sends a form of a push. The SDK gets only a ticket, which works once. The exit then sends this request,
   * whatever else is passed. Only `deliver` calls this. Resolves with Feishu's answer. Rejects with an error
   * for `readFailure`.
   */
  send(sender: Sender, request: MintedRequest): Promise<unknown>
}

interface Outgoing {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: string | FormData | undefined
}

const ticketHeader = 'x-hookgate-ticket'

const isExactly = (value: unknown, expected: Readonly<Record<string, string>>): boolean =>
  isObject(value) &&
  Object.keys(value).length === Object.keys(expected).length &&
  Object.entries(expected).every(([name, text]) => value[name] === text)

const isEmpty = (value: unknown): boolean =>
  value === undefined || (isObject(value) && Object.keys(value).length === 0)

/** The names that the query of a free request may have. Each value has the form of an id. */
const queries: Partial<Readonly<Record<RouteName, readonly string[]>>> = {
  'v1.message.get': ['user_id_type'],
  'v1.messageResource.get': ['type'],
  'v1.pin.list': ['chat_id', 'page_size', 'page_token'],
  'v1.chat.get': ['user_id_type'],
  'v1.chatMembers.get': ['member_id_type', 'page_size', 'page_token'],
  'contact.user.get': ['user_id_type'],
}
/** A page token is a number or a text in base64. */
const tokenForm = /^[A-Za-z0-9_+/=|-]{1,512}$/

const isQueryFree = (name: RouteName, query: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(query).every(
    ([key, value]) =>
      (queries[name] ?? []).includes(key) &&
      (key === 'page_token' ? tokenForm : idForm).test(String(value)) &&
      (typeof value === 'string' || typeof value === 'number'),
  )

const stringsOf = (query: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]))

/** Reads at most so many bytes. Undefined: there were more. */
const readBounded = async (response: Response, most: number): Promise<Buffer | undefined> => {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const jsonOf = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString()) as unknown
  } catch {
    return undefined
  }
}

/** When Feishu lets the next request through, by its header in seconds. Source: "Frequency control" in its docs. */
const retryAfterOf = (response: Response): { readonly retryAfterMs?: number } => {
  const seconds = Number(response.headers.get('x-ogw-ratelimit-reset') ?? Number.NaN)
  return seconds >= 0 ? { retryAfterMs: Math.min(seconds * 1000, maxRetryAfterMs) } : {}
}

const refusalIn = (answer: unknown, response: Response): Failure | undefined => {
  const said = isObject(answer) ? answer : {}
  const code = typeof said['code'] === 'number' ? said['code'] : undefined
  if (code === 0 && response.ok) return undefined
  // A proxy or a page of an error answers without a code.
  if (code === undefined && response.ok) return { kind: 'lost', code: 'BAD_ANSWER' }
  return {
    kind: 'refused',
    code: code ?? response.status,
    status: response.status,
    description: typeof said['msg'] === 'string' ? said['msg'] : 'no description',
    ...retryAfterOf(response),
  }
}

const bodyOf = (json: MintedRequest['json'], form: MintedRequest['form']): Outgoing['body'] => {
  if (form === undefined) return json === undefined ? undefined : JSON.stringify(json)
  const body = new FormData()
  for (const [field, value] of Object.entries(form)) {
    if (typeof value === 'string') body.append(field, value)
    else body.append(field, value, value.name)
  }
  return body
}

/**
 * The only way out for the SDK's HTTP requests. It refuses every request that is neither free nor minted,
 * before any byte is sent. It protects against mistakes inside this process. It does not see code that makes
 * its own connection, such as a direct fetch.
 */
export const createExit = ({ root, appId, appSecret }: App, tripped: (what: string) => void): Exit => {
  const minted = new Map<string, Outgoing & { readonly name: RouteName }>()
  const credentials: Partial<Readonly<Record<RouteName, Readonly<Record<string, string>>>>> = {
    token: { app_id: appId, app_secret: appSecret },
    socket: { AppID: appId, AppSecret: appSecret },
  }

  type Options = Parameters<HttpInstance['request']>[0]

  const asFree = ({ name }: Routed, path: string, { params = {}, data }: Options): Outgoing | undefined => {
    const own = credentials[name]
    if (isMinted(name) || !isQueryFree(name, params)) return undefined
    if (own !== undefined)
      return isExactly(data, own) ? { path, query: {}, body: JSON.stringify(own) } : undefined
    return isEmpty(data) ? { path, query: stringsOf(params), body: undefined } : undefined
  }

  const asMinted = ({ name }: Routed, path: string, ticket: unknown): Outgoing | undefined => {
    const kept = typeof ticket === 'string' ? minted.get(ticket) : undefined
    if (kept === undefined || kept.name !== name || kept.path !== path) return undefined
    minted.delete(String(ticket))
    return kept
  }

  const pathOf = (url: string): string | undefined =>
    url.startsWith(`${root}/`) ? url.slice(root.length).split('?', 1)[0] : undefined

  const judge = (options: Options): (Outgoing & Routed) | undefined => {
    const { url = '', method = 'GET', headers = {} } = options
    const path = pathOf(url)
    const routed = path === undefined ? undefined : routeOf(method.toUpperCase(), path)
    const ticket: unknown = headers[ticketHeader]
    const outgoing =
      path === undefined || routed === undefined
        ? undefined
        : ticket === undefined
          ? asFree(routed, path, options)
          : asMinted(routed, path, ticket)
    if (routed !== undefined && outgoing !== undefined) return { ...outgoing, ...routed }
    // The path is a text of the caller, so only a known route is reported.
    tripped(routed?.name ?? 'an unknown method')
    return undefined
  }

  const request = async (options: Options): Promise<unknown> => {
    const judged = judge(options)
    if (judged === undefined)
      throw failed({
        kind: 'refused',
        code: 403,
        status: 403,
        description: 'refused: it did not come through the dispatcher',
      })
    const { name, path, query, body } = judged
    const given = options.headers ?? {}
    const isFile = name === 'v1.messageResource.get'
    try {
      const response = await fetch(
        `${root}${path}${Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query).toString()}`}`,
        {
          method: options.method?.toUpperCase() ?? 'GET',
          headers: {
            ...(typeof given['Authorization'] === 'string' ? { authorization: given['Authorization'] } : {}),
            ...(typeof given['User-Agent'] === 'string' ? { 'user-agent': given['User-Agent'] } : {}),
            ...(name === 'socket' ? { locale: 'zh' } : {}),
            ...(typeof body === 'string' ? { 'content-type': 'application/json; charset=utf-8' } : {}),
          },
          ...(body === undefined ? {} : { body }),
          // A redirect would send the text and the token to a server that nobody chose.
          redirect: 'error',
          signal: AbortSignal.timeout(timeoutsMs[name] ?? timeoutMs),
        },
      )
      const bytes = await readBounded(response, isFile ? maxFileBytes : maxAnswerBytes)
      if (bytes === undefined) throw failed({ kind: 'lost', code: 'TOO_LARGE' })
      if (isFile && response.ok) return bytes
      const answer = jsonOf(bytes)
      const refusal = refusalIn(answer, response)
      if (refusal !== undefined) throw failed(refusal)
      return answer
    } catch (error) {
      if (error instanceof Error && 'failure' in error) throw error
      const failure = brokenBy(error)
      // Without a token nothing else was sent yet.
      throw failed(
        name === 'token'
          ? { kind: 'unsent', code: failure.kind === 'refused' ? 'refused' : failure.code }
          : failure,
      )
    }
  }

  const send = (options: Options): Promise<never> => request(options) as Promise<never>
  return {
    instance: {
      request: send,
      get: (url, options) => send({ ...options, url, method: 'GET' }),
      head: (url, options) => send({ ...options, url, method: 'HEAD' }),
      options: (url, options) => send({ ...options, url, method: 'OPTIONS' }),
      delete: (url, options) => send({ ...options, url, method: 'DELETE' }),
      post: (url, data, options) => send({ ...options, url, data, method: 'POST' }),
      put: (url, data, options) => send({ ...options, url, data, method: 'PUT' }),
      patch: (url, data, options) => send({ ...options, url, data, method: 'PATCH' }),
    },
    send: async (sender, { route, id, query = {}, json, form }) => {
      const [method = '', pattern = ''] = routes[route].split(' ')
      const path = id === undefined ? pattern : pattern.replace(':id', id)
      const ticket = randomUUID()
      minted.set(ticket, { name: route, path, query: { ...query }, body: bodyOf(json, form) })
      try {
        return await sender.request({ method, url: path, headers: { [ticketHeader]: ticket } })
      } finally {
        minted.delete(ticket)
      }
    },
  }
}
