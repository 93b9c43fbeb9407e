import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Gives the reason why an IP address must not be reached, as a clause such as "it is this machine itself";
 * undefined when it may be.
 */
export type AddressPolicy = (address: string) => string | undefined

type Address = ReturnType<typeof ipaddr.parse>
type Block = ReturnType<typeof ipaddr.parseCIDR>

const blocks = (...cidrs: readonly string[]): readonly Block[] => cidrs.map((cidr) => ipaddr.parseCIDR(cidr))
const isWithin = (address: Address, list: readonly Block[]): boolean =>
  list.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/**
 * The addresses where clouds give a machine its credentials: AWS, Azure, Alibaba, Oracle, Google. No setting
 * opens them.
 */
const metadata = blocks(
  '169.254.0.0/16',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
)

/**
 * Addresses within 2000::/3 that are unassigned or stand for another address. Source: IANA's special-purpose
 * address registry.
 */
const unusable = blocks(
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3ffe::/16',
  '3fff::/20',
)
const global = blocks('2000::/3')

/**
 * The addresses that count as local. Some VPN clients resolve every name into the benchmark block
 * (198.18.0.0/15).
 */
const local = blocks(
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  '::1/128',
  'fc00::/7',
)

/** True for an IPv6 address with an IPv4 address in its interface half: an ISATAP router would unwrap it. */
const isIsatap = (address: Address): boolean =>
  address instanceof ipaddr.IPv6 && ((address.parts[4] ?? 0) & 0xfcff) === 0 && address.parts[5] === 0x5efe

const kinds: Readonly<Record<string, string>> = {
  loopback: 'it is this machine itself',
  unspecified: 'it is this machine itself',
  private: 'it is in a private network',
  uniqueLocal: 'it is in a private network',
  carrierGradeNat: 'it is in a private network',
  linkLocal: 'it is a link-local address',
}

const whyNotPublic = (address: Address): string | undefined => {
  const range = address.range()
  const isUsable =
    address instanceof ipaddr.IPv4 ||
    (isWithin(address, global) && !isWithin(address, unusable) && !isIsatap(address))
  return range === 'unicast' && isUsable
    ? undefined
    : (kinds[range] ?? 'it is reserved or stands for another address')
}

/**
 * Allows public addresses only; with `allowLocal`, also this machine and private networks. A cloud's metadata
 * service is never allowed.
 */
export const createAddressPolicy =
  (allowLocal: boolean): AddressPolicy =>
  (text) => {
    // Only addresses that Node itself accepts: the package also reads octal and short spellings.
    if (isIP(text) === 0) return 'it is not an IP address'
    // For a mapped address this is the IPv4 address.
    const address = ipaddr.process(text)
    if (isWithin(address, metadata)) return "it is a cloud's metadata service"
    return allowLocal && isWithin(address, local) ? undefined : whyNotPublic(address)
  }

/** One spelling for each address, so that two addresses can be compared. */
export const plainAddress = (address: string): string =>
  isIP(address) === 0 ? address : ipaddr.process(address).toNormalizedString()

const metadataName =
  /^(metadata|instance-data)$|(^|\.)metadata\.(goog|tencentyun\.com)$|(^|\.)(metadata|instance-data)\.([a-z0-9-]+\.)?internal$/
const localName = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/

/**
 * Gives the reason why a name must not be looked up; undefined when it may be. `name` is in lower case, as
 * `new URL` gives it.
 */
export const nameFlaw = (name: string, allowLocal: boolean): string | undefined => {
  const bare = name.replace(/\.$/, '')
  if (bare === '' || bare.startsWith('.') || name.includes('..')) return 'it is not a host name'
  if (metadataName.test(bare)) return "it is a cloud's metadata service"
  return !allowLocal && localName.test(bare) ? 'it names something local' : undefined
}
