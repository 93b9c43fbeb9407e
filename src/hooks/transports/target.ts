import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { got, type Problem } from '../../model/gate/problem.ts'
import { createAddressPolicy, nameFlaw, type AddressPolicy } from './addresses.ts'

/** Which servers hooks may reach. */
export interface TargetRules {
  /** This machine and private networks too: `STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL=1`. */
  readonly allowLocal: boolean
  /** For tests, which have no public server. */
  readonly policy?: AddressPolicy
}

/** All addresses of a name. Rejects when it has none. */
export type Lookup = (name: string) => Promise<readonly string[]>

export const systemLookup: Lookup = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address)

export const allowLocalVariable = 'STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL'
const maxUrlChars = 2000
/** How long a name may take at load, in milliseconds. */
const lookupMs = 3000

const problem = (code: string, message: string, fix: string): Problem => ({
  code: `url.${code}`,
  message,
  fix,
})
const openFix = (allowLocal: boolean): string =>
  allowLocal
    ? 'Name another server.'
    : `Name a public server; only ${allowLocalVariable}=1 at hookgate's start opens this machine and private networks.`

export const policyOf = ({ allowLocal, policy }: TargetRules): AddressPolicy =>
  policy ?? createAddressPolicy(allowLocal)

/** The host without the brackets of an IPv6 address and the dot at a name's end. */
export const hostOf = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

/** Why a host must not be reached, as far as its text tells: an address by policy, a name by what it says. */
export const hostFlaw = (hostname: string, rules: TargetRules): string | undefined => {
  const host = hostOf(hostname)
  return isIP(host) === 0 ? nameFlaw(hostname, rules.allowLocal) : policyOf(rules)(host)
}

/** The authority as it is written, without user and password. */
const writtenHost = (url: string): string | undefined =>
  /^https?:\/\/([^/?#\\]*)/i.exec(url)?.[1]?.toLowerCase()

/**
 * Why a hook must not have this URL, as far as that can be said without asking a name server; undefined when it may.
 * Pure. What an owner approves by reading it must be what is reached, so every spelling but the plain one is refused.
 */
export const urlProblem = (url: string, rules: TargetRules): Problem | undefined => {
  const parsed = url.length > maxUrlChars ? null : URL.parse(url)
  if (parsed === null)
    return problem(
      'syntax',
      `Expected "url" to be a whole address of at most ${maxUrlChars} characters, got ${got(url)}.`,
      'Write it as https://host/path.',
    )
  const { protocol, hostname, host, port } = parsed
  if (protocol !== 'http:' && protocol !== 'https:')
    return problem(
      'scheme',
      `Expected "url" to begin with https:// or http://, got ${got(protocol)}.`,
      'Write it as https://host/path.',
    )
  // Never with its words: a password stands there.
  if (parsed.username !== '' || parsed.password !== '' || /^https?:[/\\]*[^/?#\\]*@/i.test(url)) {
    return problem(
      'userinfo',
      'Expected "url" to have no user or password, got one before "@".',
      'Send it as a header: headers: {authorization: "Bearer $NAME"}.',
    )
  }
  if (port === '0')
    return problem('port', 'Expected the port of "url" to be from 1 to 65535, got 0.', 'Mend the port.')
  const flaw = hostFlaw(hostname, rules)
  if (flaw !== undefined)
    return problem(
      'target',
      `Expected "url" to name a server that hooks may reach, got ${got(hostname)}: ${flaw}.`,
      openFix(rules.allowLocal),
    )
  if (/[\s\\\0-\x1f\x7f]/.test(url))
    return problem(
      'spelling',
      'Expected "url" to have no blanks, line breaks or backslashes, got some.',
      'Write it plainly.',
    )
  const written = writtenHost(url)
  if (written !== host && written !== `${host}:${protocol === 'https:' ? 443 : 80}`) {
    return problem(
      'spelling',
      `Expected "url" to spell the server as it is reached, ${got(host)}, got ${got(written ?? url.slice(0, 20))}.`,
      `Write it as ${protocol}//${host}/…`,
    )
  }
  return url.includes('#')
    ? problem(
        'spelling',
        'Expected "url" to have no part behind "#", which is never sent, got one.',
        'Remove it.',
      )
    : undefined
}

/**
 * The same, with the names looked up: every address must pass. The code `url.unresolved` is a warning only: a name
 * server may be away now and there when the hook fires, which checks anew. Never rejects; takes at most 3 s.
 */
export const resolveProblem = async (
  url: string,
  rules: TargetRules & { readonly lookup?: Lookup },
): Promise<Problem | undefined> => {
  const wrong = urlProblem(url, rules)
  if (wrong !== undefined) return wrong
  const host = hostOf(new URL(url).hostname)
  if (isIP(host) !== 0) return undefined
  const unresolved = problem(
    'unresolved',
    `Expected ${got(host)} to have an address, got none now.`,
    'Check the name; it is looked up again whenever the hook fires.',
  )
  const { promise: late, resolve } = Promise.withResolvers<readonly string[]>()
  const timer = setTimeout(resolve, lookupMs, [])
  try {
    const addresses = await Promise.race([late, (rules.lookup ?? systemLookup)(host)])
    if (addresses.length === 0) return unresolved
    for (const address of addresses) {
      const flaw = policyOf(rules)(address)
      if (flaw !== undefined)
        return problem(
          'target',
          `Expected every address of ${got(host)} to be one that hooks may reach, got ${got(address)}: ${flaw}.`,
          openFix(rules.allowLocal),
        )
    }
    return undefined
  } catch {
    return unresolved
  } finally {
    clearTimeout(timer)
  }
}
