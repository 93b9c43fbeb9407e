import { createPublicKey, type KeyObject } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createBoundedMap } from '../../core/model/base/bounded-map.ts'
import { nodeKey } from '../../core/model/nodes/node.ts'
import { bindBody } from '../body.ts'
import { RefusedError } from '../ports.ts'

/** A proof counts for so long before and after the time that it names, in seconds. */
const toleranceS = 60
/** Within the time of a proof, a node makes at most so many requests. */
const maxSeen = 200_000
const maxKeys = 2000
const maxProofChars = 4096
const maxIdChars = 100

const refused = (code: string, message: string, fix: string): RefusedError =>
  new RefusedError(403, code, message, fix)

/** The ids of the proofs that a node has used. They are forgotten when no proof of their time counts. */
const createSeen = (elapsedMs: () => number) => {
  let [current, previous] = [new Set<string>(), new Set<string>()]
  let sinceMs = elapsedMs()
  /** Returns false for an id that was used already. */
  return (id: string): boolean => {
    if (elapsedMs() - sinceMs > 2 * toleranceS * 1000) {
      ;[current, previous] = [new Set(), current]
      sinceMs = elapsedMs()
    }
    if (current.has(id) || previous.has(id)) return false
    if (current.size >= maxSeen)
      throw new RefusedError(
        429,
        'busy',
        'Expected fewer requests of this node, got more.',
        'Ask again later.',
      )
    current.add(id)
    return true
  }
}

interface KnownKey {
  readonly key: KeyObject
  readonly isNew: (id: string) => boolean
}

/**
 * Checks the proof that a node sends with each request, as RFC 9449 describes it: a signed token with method,
 * path, time, an id that is used once and the hash of the body. The key of the node is its identity, so there
 * is no access token. The body is compared when it is read.
 */
export const createProofCheck = (elapsedMs: () => number) => {
  const keys = createBoundedMap<string, KnownKey>(maxKeys)

  const knownKey = (publicKey: string): KnownKey => {
    const known = keys.get(publicKey)
    if (known !== undefined) return known
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' })
    const made = { key, isNew: createSeen(elapsedMs) }
    keys.set(publicKey, made)
    return made
  }

  /**
   * Resolves with the public key of the caller. `isNode` says whether a key is one of a node. Rejects with a
   * RefusedError that says what is wrong.
   */
  return async (request: IncomingMessage, isNode: (publicKey: string) => boolean): Promise<string> => {
    const { jwtVerify, decodeProtectedHeader, errors } = await import('jose')
    const [proof, more] = [request.headers['dpop']].flat()
    const malformed = (what: string): RefusedError =>
      refused('node.proof', `Expected a proof of a node, got ${what}.`, 'Use "hookgate node".')
    if (proof === undefined || more !== undefined) throw malformed('none')
    if (proof.length > maxProofChars) throw malformed('a text that is too long')
    let publicKey: unknown
    try {
      publicKey = decodeProtectedHeader(proof).jwk?.x
    } catch {
      throw malformed('a text that is none')
    }
    if (typeof publicKey !== 'string' || !nodeKey.test(publicKey))
      throw malformed('one without an Ed25519 key')
    if (!isNode(publicKey))
      throw refused(
        'node.unknown',
        'Expected the key of a node of this gate, got another one.',
        'Type /nodes add and a name in a chat with hookgate, and start "hookgate node" with its code.',
      )
    const { key, isNew } = knownKey(publicKey)
    try {
      const { payload } = await jwtVerify(proof, key, {
        typ: 'dpop+jwt',
        algorithms: ['EdDSA'],
        requiredClaims: ['jti', 'htm', 'htu', 'iat', 'body'],
        maxTokenAge: toleranceS,
        clockTolerance: toleranceS,
      })
      const { jti, htm, htu, body } = payload
      const path = typeof htu === 'string' ? URL.parse(htu)?.pathname : undefined
      // A proxy may serve this gate under another host, so the path alone is compared.
      if (htm !== request.method || path === undefined || path !== String(request.url).split('?')[0])
        throw malformed('one for another request')
      if (typeof jti !== 'string' || jti.length > maxIdChars || !isNew(jti))
        throw malformed('one that was used')
      bindBody(request, String(body))
    } catch (error) {
      if (error instanceof RefusedError) throw error
      const isLate =
        error instanceof errors.JWTExpired ||
        (error instanceof errors.JWTClaimValidationFailed && error.claim === 'iat')
      throw isLate
        ? refused(
            'node.clock',
            `Expected a proof of the last ${toleranceS} seconds, got another time.`,
            'Set the clock of the node.',
          )
        : malformed('one that this key has not signed')
    }
    return publicKey
  }
}
