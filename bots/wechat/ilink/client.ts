import { randomBytes } from 'node:crypto'
import { isObject, type JsonObject } from '../../../src/model/json.ts'

/** Where every login begins (Tencent/openclaw-weixin, src/auth/login-qr.ts). */
export const ILINK_ROOT = 'https://ilinkai.weixin.qq.com'

/** More than a poll brings in one go; what is larger is not read. */
const MAX_ANSWER_BYTES = 4_000_000
/** Whose client we pass for: the version whose protocol this is, as major << 16 | minor << 8 | patch. */
const CLIENT_VERSION = '2.4.9'
const CLIENT_NUMBER = (2 << 16) | (4 << 8) | 9
const BOT_AGENT = 'hookgate/0.1'
/** The answers of WeChat's own timeouts and limits, in milliseconds, as its plugin has them. */
const CALL_TIMEOUT_MS = 15_000
export const LONG_POLL_TIMEOUT_MS = 35_000

/** WeChat answered, but not with what was asked for. `EPROTO`: nobody can tell what became of the request. */
export class ILinkError extends Error {
  readonly code: string
  constructor(code: string, what: string) {
    super(what)
    this.name = 'ILink'
    this.code = code
  }
}

/** The session is over: the account was bound elsewhere, or the token is older than WeChat allows. */
export const STALE_SESSION = -14
/** Nothing was sent: the person has to write first, or it was too much at once. WeChat does not say which. */
export const NOT_NOW = -2

/** What WeChat says went wrong; 0 when nothing did. An answer without either number is a good one. */
export const retOf = (answer: JsonObject): number =>
  [answer['ret'], answer['errcode']].find((code): code is number => typeof code === 'number' && code !== 0) ??
  0

export interface Access {
  /** An address without a slash at its end. */
  readonly root: string
  readonly token: string
}

export interface CallOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface Client {
  /** Asks without a session. */
  get(root: string, path: string, options?: CallOptions): Promise<JsonObject>
  /** Rejects where the connection broke, the time was up or the answer is none; what WeChat refuses is an answer with `retOf`. */
  post(
    access: Partial<Access> & Pick<Access, 'root'>,
    path: string,
    body: JsonObject,
    options?: CallOptions,
  ): Promise<JsonObject>
}

export const readBounded = async (response: Response, maxBytes: number): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > maxBytes)
      throw new ILinkError('EPROTO', `Expected an answer of at most ${maxBytes} bytes, got more.`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** Ids are uint64, which a JavaScript number would round: such a number is kept as it was written. */
const exact: Reviver = (_, value, { source }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^\d{1,20}$/.test(source ?? '')
    ? source
    : value

const parse = (text: string): JsonObject => {
  try {
    const value = (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, exact)
    if (isObject(value)) return value
  } catch {
    // No JSON, or nested deeper than the stack. What it was may be anything, so it is not repeated.
  }
  throw new ILinkError('EPROTO', 'Expected a JSON object as the answer.')
}

/** HTTP to WeChat, bounded in size and time. It follows no redirect: the token would go with it. */
export const createClient = (timeouts: { readonly callMs?: number } = {}): Client => {
  const callMs = timeouts.callMs ?? CALL_TIMEOUT_MS
  const common = { 'iLink-App-Id': 'bot', 'iLink-App-ClientVersion': String(CLIENT_NUMBER) }

  const call = async (
    address: string,
    init: RequestInit,
    { timeoutMs = callMs, signal }: CallOptions = {},
  ): Promise<JsonObject> => {
    const limit = AbortSignal.timeout(timeoutMs)
    const response = await fetch(address, {
      ...init,
      redirect: 'error',
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    })
    const text = (await readBounded(response, MAX_ANSWER_BYTES)).toString('utf8')
    // A gateway in between gave up: what stands behind it may have done the work.
    if (response.status >= 500)
      throw new ILinkError('EPROTO', `Expected an answer, got HTTP ${response.status}.`)
    if (!response.ok)
      throw new ILinkError(`http${response.status}`, `Expected an answer, got HTTP ${response.status}.`)
    return parse(text)
  }

  return {
    get: (root, path, options) =>
      call(`${root}/ilink/bot/${path}`, { method: 'GET', headers: common }, options),
    post: ({ root, token }, path, body, options) =>
      call(
        `${root}/ilink/bot/${path}`,
        {
          method: 'POST',
          headers: {
            ...common,
            'Content-Type': 'application/json',
            AuthorizationType: 'ilink_bot_token',
            // A new number each time, in decimal, as base64.
            'X-WECHAT-UIN': Buffer.from(String(randomBytes(4).readUInt32BE(0))).toString('base64'),
            ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify({
            ...body,
            base_info: { channel_version: CLIENT_VERSION, bot_agent: BOT_AGENT },
          }),
        },
        options,
      ),
  }
}

/**
 * An address that WeChat named for later calls, as a root; undefined where it is none of WeChat's. The session's token
 * goes there, so it is Tencent's own over TLS, or the very host that was configured.
 */
export const trustedRoot = (address: string, configured: string): string | undefined => {
  const url = URL.parse(address)
  if (url === null || url.username !== '' || url.password !== '') return undefined
  const isTencent =
    url.protocol === 'https:' && url.port === '' && /(^|\.)(weixin\.qq|wechat)\.com$/.test(url.hostname)
  const own = URL.parse(configured)
  const isOwn = own !== null && url.protocol === own.protocol && url.hostname === own.hostname
  return isTencent || isOwn ? url.origin : undefined
}
