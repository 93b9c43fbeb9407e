import { prose, proseText, type Prose } from '../../../src/core/model/chat/prose.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { nameOf } from '../outcome.ts'
import type { IlinkSession } from './card.ts'
import { retOf, trustedRoot } from './client.ts'
import type { ILinkContext } from './context.ts'
import { ourWords } from '../../../src/shared/said/our-words.ts'

/** The kind of bot that WeChat's own plugin asks for. */
const BOT_TYPE = '3'
/** After this many unused codes the login stops. Each code is valid for about five minutes. */
const MAX_CODES = 3
/** WeChat reports when a code has expired. This limit applies when it never does. */
const MAX_CODE_AGE_MS = 10 * 60_000
/** How long a person may take to type the number. */
const MAX_NUMBER_AGE_MS = 3 * 60_000
const MAX_PAUSE_MS = 60_000
const FAILURES_BEFORE_TOLD = 3

/** The states in which a code ends, with a text for the owner. */
const ENDS: ReadonlyMap<string, Prose> = new Map([
  ['expired', prose`Nobody scanned the QR code in time.`],
  ['verify_code_blocked', prose`WeChat accepts no further number for this QR code.`],
  ['binded_redirect', prose`This WeChat account already has another bot. Remove that bot first.`],
])

type LoginEnd = { readonly session: IlinkSession } | { readonly why: Prose }

const textOf = (answer: JsonObject, field: string): string => {
  const value = answer[field]
  return typeof value === 'string' && /^[\x21-\x7e]{1,4096}$/.test(value) ? value : ''
}

const sessionOf = (answer: JsonObject, configured: string): LoginEnd => {
  const [token, botId, base] = [
    textOf(answer, 'bot_token'),
    textOf(answer, 'ilink_bot_id'),
    textOf(answer, 'baseurl'),
  ]
  const root = trustedRoot(base === '' ? configured : base, configured)
  if (token === '' || botId === '')
    return { why: prose`WeChat confirmed the login but did not name the account.` }
  if (root === undefined)
    return {
      why: prose`WeChat named a server for the session that is not its own, so the login was refused.`,
    }
  return { session: { token, botId, root } }
}

/** Repeats the request until WeChat gives a code. Undefined when `signal` aborts. */
const fetchCode = async (
  { client, root, trouble, times }: ILinkContext,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly content: string } | undefined> => {
  for (let failures = 0; !signal.aborted;) {
    const codeOrError = await client
      .post({ root }, `get_bot_qrcode?bot_type=${BOT_TYPE}`, { local_token_list: [] }, { signal })
      .then(
        (answer) => {
          const [id, content] = [textOf(answer, 'qrcode'), textOf(answer, 'qrcode_img_content')]
          return retOf(answer) === 0 && id !== '' && content !== '' ? { id, content } : `ret ${retOf(answer)}`
        },
        (error: unknown) => nameOf(error),
      )
    if (typeof codeOrError !== 'string') return codeOrError
    failures += 1
    if (failures === FAILURES_BEFORE_TOLD && !signal.aborted)
      trouble(
        prose`not connected, it gives no QR code for the login (${ourWords(codeOrError)}). hookgate asks again every minute.`,
        false,
      )
    await sleep(Math.min(times.pauseMs * 2 ** failures, MAX_PAUSE_MS), undefined, { signal }).catch(
      () => undefined,
    )
  }
  return undefined
}

/** Asks a person for the number that the phone shows. Undefined when nobody typed it in time. */
const askNumber = async (
  { number, trouble }: ILinkContext,
  isAgain: boolean,
  stopped: AbortSignal,
): Promise<string | undefined> => {
  if (number === undefined) return undefined
  if (!isAgain)
    trouble(
      prose`it asks for the number that the phone shows now. Type it on hookgate’s console, then press Enter.`,
      false,
    )
  return number(
    isAgain
      ? 'The number was wrong. Type the number that the phone shows, then press Enter:'
      : 'Type the number that WeChat shows on the phone, then press Enter:',
    AbortSignal.any([stopped, AbortSignal.timeout(MAX_NUMBER_AGE_MS)]),
  )
}

/** Asks for the state of one code until it is confirmed or ends. Undefined when `signal` aborts. */
const watch = async (link: ILinkContext, id: string, signal: AbortSignal): Promise<LoginEnd | undefined> => {
  const { times } = link
  let { root } = link
  let number: string | undefined
  for (const until = performance.now() + MAX_CODE_AGE_MS; !signal.aborted && performance.now() < until;) {
    const path = `get_qrcode_status?qrcode=${encodeURIComponent(id)}${number === undefined ? '' : `&verify_code=${encodeURIComponent(number)}`}`
    // A time-out or an error of a gateway means that nothing has happened yet.
    const answer: JsonObject = await link.client
      .get(root, path, { signal, timeoutMs: times.holdMs })
      .catch(() => ({}))
    const status = textOf(answer, 'status')
    if (status === 'confirmed') return sessionOf(answer, link.root)
    const why = ENDS.get(status)
    if (why !== undefined) return { why }
    if (status === 'scaned') number = undefined
    if (status === 'need_verifycode') {
      number = await askNumber(link, number !== undefined, signal)
      if (number === undefined)
        return signal.aborted
          ? undefined
          : {
              why: prose`WeChat asked for the number that the phone shows, and nobody typed it on hookgate’s console.`,
            }
      continue
    }
    if (status === 'scaned_but_redirect')
      root =
        trustedRoot(`${new URL(link.root).protocol}//${textOf(answer, 'redirect_host')}`, link.root) ?? root
    await sleep(times.pauseMs, undefined, { signal }).catch(() => undefined)
  }
  return signal.aborted ? undefined : { why: ENDS.get('expired') ?? [] }
}

/**
 * Shows QR codes until one is scanned and confirmed. Undefined when `signal` aborts, or when several codes
 * were not used.
 */
export const logIn = async (
  link: ILinkContext,
  show: (code: string) => void,
  signal: AbortSignal,
): Promise<IlinkSession | undefined> => {
  let why: Prose = []
  for (let count = 0; count < MAX_CODES; count++) {
    const code = await fetchCode(link, signal)
    if (code === undefined) return undefined
    show(code.content)
    const end = await watch(link, code.id, signal)
    if (end === undefined) return undefined
    if ('session' in end) return end.session
    ;({ why } = end)
    link.log('info', `wechat: ${proseText(why)}`)
  }
  link.trouble(
    prose`not connected. ${why} The WeChat channel is off. Restart hookgate for a new code.`,
    false,
  )
  return undefined
}
