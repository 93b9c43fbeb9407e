import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { got, type Problem } from '../../core/model/gate/problem.ts'
import { createAddressPolicy, nameFlaw, type AddressPolicy } from './addresses.ts'

/** The rules for servers that hooks may reach. */
export interface TargetRules {
  /** True: this machine and private networks are allowed too (`STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL=1`). */
  readonly allowLocal: boolean
  /** Replaces the address policy in tests, which have no public server. */
  readonly policy?: AddressPolicy
}

/** All addresses of a name. Rejects when it has none. */
export type Lookup = (name: string) => Promise<readonly string[]>

export const systemLookup: Lookup = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address)

export const allowLocalVariable = 'STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL'
const maxUrlChars = 2000
/** The time limit of a name lookup at load, in milliseconds. */
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

/** The host without the brackets of an IPv6 address and without a final dot. */
export const hostOf = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

/**
 * Gives the reason why a host must not be reached, from its text alone: an address by the policy, a name by
 * its form.
 */
export const hostFlaw = (hostname: string, rules: TargetRules): string | undefined => {
  const host = hostOf(hostname)
  return isIP(host) === 0 ? nameFlaw(hostname, rules.allowLocal) : policyOf(rules)(host)
}

/** The authority as it is written in the URL. */
const writtenHost = (url: string): string | undefined =>
  /^https?:\/\/([^/?#\\]*)/i.exec(url)?.[1]?.toLowerCase()

/**
 * The problem of a hook's URL that shows without asking a name server; undefined when the URL is allowed.
 * Pure. An owner approves the URL by reading it, so only the plain spelling of a server is accepted.
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
  // The message never quotes the URL, because it contains a password.
  if (parsed.username !== '' || parsed.password !== '' || /^https?:[/\\]*[^/?#\\]*@/i.test(url)) {
    return problem(
      'userinfo',
      'Expected "url" to have no user or password, got one before "@".',
      'Send it as a header: headers: {authorization: "Bearer $NAME"}.',
    )
  }
  if (port === '0')
    return problem('port', 'Expected the port of "url" to be from 1 to 65535, got 0.', 'Correct the port.')
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
        'Expected "url" to have no part after "#", which is never sent, got one.',
        'Remove it.',
      )
    : undefined
}

/**
 * Like `urlProblem`, and also looks the name up: every address must pass. The code `url.unresolved` is only a
 * warning: the name server may be unreachable now and back when the hook fires, which checks again. Never
 * rejects; takes at most 3 s.
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
