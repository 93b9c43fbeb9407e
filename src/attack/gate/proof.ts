import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'

export interface Proving {
  /** The session that the proof belongs to. */
  readonly session?: string
  /** The header fields and claims that replace those of a valid proof. */
  readonly header?: object
  readonly claims?: object
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Makes a new key, as a tab of the page does, and returns a function that proves a request with it (DPoP, RFC
 * 9449).
 */
export const createKey = (
  now: () => number = Date.now,
): ((method: string, url: string, proving?: Proving) => string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
  return (method, url, { session, header, claims } = {}) => {
    const ath = session === undefined ? undefined : createHash('sha256').update(session).digest('base64url')
    const signed = `${part({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y }, ...header })}.${part({ jti: randomUUID(), htm: method, htu: url, iat: Math.floor(now() / 1000), ath, ...claims })}`
    return `${signed}.${sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }
}
