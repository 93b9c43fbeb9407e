import { randomUUID } from 'node:crypto'
import type { Client, HttpInstance } from '@larksuiteoapi/node-sdk'
import { readAtMost } from '../../../src/shared/base/http.ts'
import { isObject } from '../../../src/core/model/base/json.ts'
import type { App } from '../app.ts'
import type { CallFailure } from '../../../src/shared/chat/connection.ts'
import { brokenBy, failed } from './failure.ts'
import { idForm, isMinted, routeOf, routes, type MintedRoute, type RouteName } from './methods.ts'

/** A person sends a file of up to 100 MB. hookgate takes as much as from Telegram. */
export const maxFileBytes = 20 * 1000 * 1000
const maxAnswerBytes = 8 * 1024 * 1024
/** How long a request with a file may take, in milliseconds. */
const timeoutsMs: Partial<Readonly<Record<RouteName, number>>> = {
  'v1.image.create': 120_000,
  'v1.file.create': 120_000,
  'v1.messageResource.get': 60_000,
}

/** Feishu never asks for a longer wait. */
const maxRetryAfterMs = 3_600_000
/** A token lives for two hours, and Feishu gives the next one half an hour earlier at most. */
const maxTokens = 10

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
  /** Gives up every request that is under way and sends nothing of a push. */
  abandon(): void
}

/** A request that may leave. Everything in it was read from the caller once, and nothing is read again. */
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

/** The query of a free request. Undefined: it may carry something else. */
const freeQuery = (name: RouteName, query: unknown): Readonly<Record<string, string>> | undefined => {
  const read = Object.entries(query ?? {}).map(([key, value]: [string, unknown]) =>
    typeof value === 'string' || typeof value === 'number' ? ([key, String(value)] as const) : undefined,
  )
  const texts = read.filter((pair) => pair !== undefined)
  const isFree = texts.every(
    ([key, text]) =>
      (queries[name] ?? []).includes(key) && (key === 'page_token' ? tokenForm : idForm).test(text),
  )
  return isFree && texts.length === read.length ? Object.fromEntries(texts) : undefined
}

const jsonOf = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString()) as unknown
  } catch {
    return undefined
  }
}

/** When Feishu lets the next request through, in seconds. Source: its page "Frequency control". */
const retryAfterOf = (response: Response): { readonly retryAfterMs?: number } => {
  const seconds = Number(response.headers.get('x-ogw-ratelimit-reset') ?? Number.NaN)
  return seconds >= 0 ? { retryAfterMs: Math.min(seconds * 1000, maxRetryAfterMs) } : {}
}

const refusalIn = (answer: unknown, response: Response): CallFailure | undefined => {
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

/** The tokens that Feishu gave, as a header. A caller could put a text in place of one. */
const createTokens = () => {
  const headers: string[] = []
  return {
    note: (answer: unknown): void => {
      const token = isObject(answer) ? answer['tenant_access_token'] : undefined
      if (typeof token !== 'string') return
      headers.push(`Bearer ${token}`)
      headers.splice(0, headers.length - maxTokens)
    },
    known: (header: unknown): string | undefined => headers.find((one) => one === header),
  }
}

/**
 * The only way out for the SDK's HTTP requests. It refuses every request that is neither free nor minted,
 * before any byte is sent. It protects against mistakes inside this process. It does not see code that makes
 * its own connection, such as a direct fetch.
 */
export const createExit = (
  { root, appId, appSecret }: App,
  tripped: (what: string) => void,
  requestMs = 20_000,
): Exit => {
  const minted = new Map<string, Outgoing & { readonly name: RouteName }>()
  const underway = new Set<AbortController>()
  const tokens = createTokens()
  const credentials: Partial<Readonly<Record<RouteName, Readonly<Record<string, string>>>>> = {
    token: { app_id: appId, app_secret: appSecret },
    socket: { AppID: appId, AppSecret: appSecret },
  }

  type Options = Parameters<HttpInstance['request']>[0]

  const asFree = (name: RouteName, path: string, params: unknown, data: unknown): Outgoing | undefined => {
    const own = credentials[name]
    const query = freeQuery(name, params)
    if (isMinted(name) || query === undefined) return undefined
    if (own !== undefined)
      return isExactly(data, own) ? { path, query, body: JSON.stringify(own) } : undefined
    return isEmpty(data) ? { path, query, body: undefined } : undefined
  }

  const asMinted = (name: RouteName, path: string, ticket: unknown): Outgoing | undefined => {
    const kept = typeof ticket === 'string' ? minted.get(ticket) : undefined
    if (kept === undefined || kept.name !== name || kept.path !== path) return undefined
    minted.delete(String(ticket))
    return kept
  }

  const pathOf = (url: unknown): string | undefined =>
    typeof url === 'string' && url.startsWith(`${root}/`)
      ? url.slice(root.length).split('?', 1)[0]
      : undefined

  type Judged = Outgoing & { readonly name: RouteName; readonly authorization: string | undefined }
  /** The caller's object may answer differently each time, so each part of it is read once. */
  const judge = ({ url, method, params, data, headers }: Options): Judged | RouteName | undefined => {
    const path = pathOf(url)
    const name = path === undefined ? undefined : routeOf((method ?? 'GET').toUpperCase(), path)
    if (path === undefined || name === undefined) return undefined
    const { [ticketHeader]: ticket, Authorization: token }: Record<string, unknown> = { ...headers }
    const outgoing = ticket === undefined ? asFree(name, path, params, data) : asMinted(name, path, ticket)
    if (outgoing === undefined) return name
    return { ...outgoing, name, authorization: tokens.known(token) }
  }

  const judgeSafely = (options: Options): Judged | undefined => {
    let judged
    try {
      judged = judge(options)
    } catch {
      // A getter of the caller's object threw.
    }
    if (typeof judged === 'object') return judged
    // The path is a text of the caller, so only a known route is reported.
    tripped(judged ?? 'an unknown method')
    return undefined
  }

  const request = async (options: Options): Promise<unknown> => {
    const judged = judgeSafely(options)
    if (judged === undefined)
      throw failed({
        kind: 'refused',
        code: 403,
        status: 403,
        description: 'refused: it did not come through the dispatcher',
      })
    const { name, path, query, body, authorization } = judged
    const [verb] = routes[name].split(' ')
    const isFile = name === 'v1.messageResource.get'
    const controller = new AbortController()
    if (!isMinted(name)) underway.add(controller)
    try {
      const response = await fetch(
        `${root}${path}${Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query).toString()}`}`,
        {
          method: verb,
          headers: {
            ...(authorization === undefined ? {} : { authorization }),
            'user-agent': 'hookgate',
            ...(name === 'socket' ? { locale: 'zh' } : {}),
            ...(typeof body === 'string' ? { 'content-type': 'application/json; charset=utf-8' } : {}),
          },
          body,
          // A redirect would send the text and the token to a server that nobody chose.
          redirect: 'error',
          signal: AbortSignal.any([controller.signal, AbortSignal.timeout(timeoutsMs[name] ?? requestMs)]),
        },
      )
      const bytes = await readAtMost(response, isFile ? maxFileBytes : maxAnswerBytes)
      if (bytes === undefined) throw failed({ kind: 'lost', code: 'TOO_LARGE' })
      if (isFile && response.ok) return bytes
      const answer = jsonOf(bytes)
      const refusal = refusalIn(answer, response)
      if (refusal !== undefined) throw failed(refusal)
      if (name === 'token') tokens.note(answer)
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
    } finally {
      underway.delete(controller)
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
    abandon: () => {
      for (const controller of underway) controller.abort()
    },
  }
}
