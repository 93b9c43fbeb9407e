import { randomBytes } from 'node:crypto'
import { readAtMost } from '../../../src/shared/base/http.ts'
import { isObject, type JsonObject } from '../../../src/core/model/base/json.ts'

/** The URL where every login begins (Tencent/openclaw-weixin, src/auth/login-qr.ts). */
export const ILINK_ROOT = 'https://ilinkai.weixin.qq.com'

/** The answer to a poll is smaller than this. A larger answer is not read. */
const MAX_ANSWER_BYTES = 4_000_000
/** The version of Tencent's client whose protocol this is. The number is major << 16 | minor << 8 | patch. */
const CLIENT_VERSION = '2.4.9'
const CLIENT_NUMBER = (2 << 16) | (4 << 8) | 9
const BOT_AGENT = 'hookgate/0.1'

/**
 * WeChat answered, but not as expected. The code `EPROTO` means that the effect of the request is unknown.
 */
export class ILinkError extends Error {
  readonly code: string
  constructor(code: string, what: string) {
    super(what)
    this.name = 'ILink'
    this.code = code
  }
}

/** The session has ended. The account was bound elsewhere, or the token is too old. */
export const STALE_SESSION = -14
/**
 * Nothing was sent. Either the person has to write first, or there were too many messages. WeChat does not
 * say which.
 */
export const NOT_NOW = -2

/**
 * WeChat's error number. It is 0 when the call succeeded. An answer without `ret` and `errcode` is a success
 * too.
 */
export const retOf = (answer: JsonObject): number =>
  [answer['ret'], answer['errcode']].find((code): code is number => typeof code === 'number' && code !== 0) ??
  0

export interface Access {
  /** A URL without a slash at its end. */
  readonly root: string
  readonly token: string
}

export interface CallOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface Client {
  /** Sends a GET request without a session. */
  get(root: string, path: string, options?: CallOptions): Promise<JsonObject>
  /**
   * Sends a POST request. Rejects when the connection breaks, the time is up, or the answer cannot be read.
   * When WeChat refuses the call, the promise resolves and `retOf` gives the error number.
   */
  post(
    access: Partial<Access> & Pick<Access, 'root'>,
    path: string,
    body: JsonObject,
    options?: CallOptions,
  ): Promise<JsonObject>
}

/** Reads the body of a response. Rejects with an ILinkError when it has more than `maxBytes` bytes. */
export const readBounded = async (response: Response, maxBytes: number): Promise<Buffer> => {
  const bytes = await readAtMost(response, maxBytes)
  if (bytes !== undefined) return bytes
  throw new ILinkError('EPROTO', `Expected an answer of at most ${maxBytes} bytes, got more.`)
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/**
 * WeChat's ids are uint64. A JavaScript number would round them, so a number that is not safe stays a text.
 */
const keepLargeIntegers: Reviver = (_, value, { source }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^\d{1,20}$/.test(source ?? '')
    ? source
    : value

const parse = (text: string): JsonObject => {
  try {
    const value = (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, keepLargeIntegers)
    if (isObject(value)) return value
  } catch {
    // The text is not JSON, or it is nested too deep. The error does not quote it, because it may contain
    // anything.
  }
  throw new ILinkError('EPROTO', 'Expected a JSON object as the answer.')
}

/**
 * Makes the HTTP client for WeChat. Answers are bounded in size and time. It follows no redirect, because a
 * redirect would get the token.
 */
export const createClient = (callMs: number): Client => {
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
    // A gateway gave up. The server behind it may have done the work.
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
            // This is a random number in decimal, encoded as base64.
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
 * Checks a URL that WeChat gave for later calls, and returns its origin. The session's token is sent there.
 * So the URL has to be Tencent's over TLS, or on the configured host. Undefined for any other URL.
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
