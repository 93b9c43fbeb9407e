import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '../../../src/model/json.ts'
import { nameOf } from '../outcome.ts'
import type { IlinkSession } from './card.ts'
import { LONG_POLL_TIMEOUT_MS, retOf, trustedRoot, type Client } from './client.ts'

export interface LoginPorts {
  readonly client: Client
  readonly root: string
  /** A fresh QR code: what it says, for whoever may log in. */
  show(code: string): void
  trouble(why: string): void
  log(what: string): void
  /** The number that the phone shows, from whoever holds it; undefined when nobody says. */
  number(isAgain: boolean, signal: AbortSignal): Promise<string | undefined>
  readonly pauseMs: number
  /** How long WeChat may hold a question. */
  readonly holdMs?: number
}

/** The kind of bot that WeChat's own plugin asks for. */
const BOT_TYPE = '3'
/** Each is good for about five minutes; then nobody is there to scan one. */
const MAX_CODES = 3
/** WeChat itself says when a code has expired. This ends one of which it never does. */
const MAX_CODE_AGE_MS = 10 * 60_000
/** So long somebody may take to type a number. */
const MAX_NUMBER_AGE_MS = 3 * 60_000
const MAX_PAUSE_MS = 60_000
const FAILURES_BEFORE_TOLD = 3

/** What ends a code, as WeChat names it. */
const ENDS: ReadonlyMap<string, string> = new Map([
  ['expired', 'Nobody scanned the QR code in time.'],
  ['verify_code_blocked', 'WeChat takes no further number for this QR code.'],
  ['binded_redirect', 'This WeChat account has a bot elsewhere already. Remove it there first.'],
])

type End = { readonly session: IlinkSession } | { readonly why: string }

const textOf = (answer: JsonObject, field: string): string => {
  const value = answer[field]
  return typeof value === 'string' && /^[\x21-\x7e]{1,4096}$/.test(value) ? value : ''
}

const sessionOf = (answer: JsonObject, configured: string): End => {
  const [token, botId, base] = [
    textOf(answer, 'bot_token'),
    textOf(answer, 'ilink_bot_id'),
    textOf(answer, 'baseurl'),
  ]
  const root = trustedRoot(base === '' ? configured : base, configured)
  if (token === '' || botId === '') return { why: 'WeChat confirmed the login without saying as whom.' }
  if (root === undefined)
    return { why: 'WeChat wants the session to go to an address that is not its own, so it was refused.' }
  return { session: { token, botId, root } }
}

/** Asks until WeChat gives a code. Undefined when stopped. */
const fetchCode = async (
  ports: LoginPorts,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly content: string } | undefined> => {
  for (let failures = 0; !signal.aborted;) {
    const why = await ports.client
      .post({ root: ports.root }, `get_bot_qrcode?bot_type=${BOT_TYPE}`, { local_token_list: [] }, { signal })
      .then(
        (answer) => {
          const [id, content] = [textOf(answer, 'qrcode'), textOf(answer, 'qrcode_img_content')]
          return retOf(answer) === 0 && id !== '' && content !== '' ? { id, content } : `ret ${retOf(answer)}`
        },
        (error: unknown) => nameOf(error),
      )
    if (typeof why !== 'string') return why
    failures += 1
    if (failures === FAILURES_BEFORE_TOLD && !signal.aborted)
      ports.trouble(`WeChat gives no QR code to log in with (${why}). It is asked again every minute.`)
    await sleep(Math.min(ports.pauseMs * 2 ** failures, MAX_PAUSE_MS), undefined, { signal }).catch(
      () => undefined,
    )
  }
  return undefined
}

/** Watches one code until something came of it. Undefined when stopped. */
const watch = async (ports: LoginPorts, id: string, signal: AbortSignal): Promise<End | undefined> => {
  let { root } = ports
  let number: string | undefined
  for (const until = performance.now() + MAX_CODE_AGE_MS; !signal.aborted && performance.now() < until;) {
    const path = `get_qrcode_status?qrcode=${encodeURIComponent(id)}${number === undefined ? '' : `&verify_code=${encodeURIComponent(number)}`}`
    // A question that was held too long, or a gateway that gave up, is an answer: not yet.
    const answer: JsonObject = await ports.client
      .get(root, path, { signal, timeoutMs: ports.holdMs ?? LONG_POLL_TIMEOUT_MS })
      .catch(() => ({}))
    const status = textOf(answer, 'status')
    if (status === 'confirmed') return sessionOf(answer, ports.root)
    const why = ENDS.get(status)
    if (why !== undefined) return { why }
    if (status === 'scaned') number = undefined
    if (status === 'need_verifycode') {
      number = await ports.number(
        number !== undefined,
        AbortSignal.any([signal, AbortSignal.timeout(MAX_NUMBER_AGE_MS)]),
      )
      if (number === undefined)
        return signal.aborted
          ? undefined
          : {
              why: 'WeChat asked for the number that the phone shows, and nobody typed it at hookgate’s console.',
            }
      continue
    }
    if (status === 'scaned_but_redirect')
      root =
        trustedRoot(`${new URL(ports.root).protocol}//${textOf(answer, 'redirect_host')}`, ports.root) ?? root
    await sleep(ports.pauseMs, undefined, { signal }).catch(() => undefined)
  }
  return signal.aborted ? undefined : { why: ENDS.get('expired') ?? '' }
}

/** Shows QR codes until one is scanned and confirmed. Undefined when stopped, or when nobody came for several codes. */
export const logIn = async (ports: LoginPorts, signal: AbortSignal): Promise<IlinkSession | undefined> => {
  let why = ''
  for (let count = 0; count < MAX_CODES; count++) {
    const code = await fetchCode(ports, signal)
    if (code === undefined) return undefined
    ports.show(code.content)
    const end = await watch(ports, code.id, signal)
    if (end === undefined) return undefined
    if ('session' in end) return end.session
    ;({ why } = end)
    ports.log(why)
  }
  ports.trouble(`${why} WeChat stays off. Restart hookgate for a new code.`)
  return undefined
}
