import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { z } from 'zod'

/** How far the time of a proof may differ from the gate's time. */
const maxSkewMs = 60_000
/** How many used proofs of a session are remembered. A person makes far fewer in two minutes. */
const maxUsedProofs = 4000
/**
 * A DPoP proof has a header, claims and an ES256 signature of 64 bytes (RFC 9449). The page's proofs have
 * about 300, 300 and 86 characters.
 */
const shape = /^([\w-]{1,1000})\.([\w-]{1,1000})\.([\w-]{86})$/
const coordinate = z.string().regex(/^[\w-]{43}$/)
const jwkShape = z.strictObject({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: coordinate,
  y: coordinate,
})
const headerShape = z.strictObject({ typ: z.literal('dpop+jwt'), alg: z.literal('ES256'), jwk: jwkShape })
const claimsShape = z.strictObject({
  jti: z.string().min(8).max(64),
  htm: z.string(),
  htu: z.string(),
  iat: z.int(),
  ath: z.string().optional(),
})

/** The request that a proof has to be made for. */
export interface ProofTarget {
  readonly method: string
  /** The URL without its query. */
  readonly url: string
  readonly atMs: number
}

/** `why` continues the text “A session of the web page was tried”. */
export type Proof =
  | {
      readonly isGood: true
      readonly thumbprint: string
      readonly jti: string
      readonly ath: string | undefined
      readonly untilMs: number
    }
  | { readonly isGood: false; readonly why: string }

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')
const refused = (why: string): Proof => ({ isGood: false, why })

export const noProof = 'without its key'
/** The tab itself gets this refusal when its clock is wrong. */
export const oldProof = 'with an old proof'

const parsed = <T>(schema: z.ZodType<T>, part: string): T | undefined => {
  try {
    return schema.safeParse(JSON.parse(Buffer.from(part, 'base64url').toString())).data
  } catch {
    return undefined
  }
}

/** Undefined when the coordinates are not a point of the curve. */
const keyOf = (jwk: z.infer<typeof jwkShape>): KeyObject | undefined => {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined
  }
}

/**
 * Checks a DPoP proof (RFC 9449). A good proof shows that the sender of this request has the private key. The
 * caller has to check whose key it is and whether the proof is new.
 */
export const readProof = (jwt: string, { method, url, atMs }: ProofTarget): Proof => {
  if (jwt === '') return refused(noProof)
  const [, head = '', body = '', signature = ''] = shape.exec(jwt) ?? []
  const header = parsed(headerShape, head)
  const claims = parsed(claimsShape, body)
  const key = header === undefined ? undefined : keyOf(header.jwk)
  if (header === undefined || claims === undefined || key === undefined)
    return refused('with an unreadable proof')
  if (
    !verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
  )
    return refused('with a forged proof')
  if (claims.htm !== method || claims.htu !== url) return refused('with a proof for another request')
  if (Math.abs(atMs - claims.iat * 1000) > maxSkewMs) return refused(oldProof)
  const { crv, kty, x, y } = header.jwk
  // RFC 7638 defines the thumbprint over these four fields in this order.
  return {
    isGood: true,
    thumbprint: sha256(JSON.stringify({ crv, kty, x, y })),
    jti: claims.jti,
    ath: claims.ath,
    untilMs: claims.iat * 1000 + maxSkewMs,
  }
}

/** The key that a session is bound to, and its used proofs. */
export interface Holder {
  readonly thumbprint: string
  /** Uses a proof. Undefined when it was new. Otherwise the text says why it is refused. */
  spend(jti: string, untilMs: number): string | undefined
}

/**
 * Remembers each proof for as long as it is valid. When the memory is full, new proofs are refused and no old
 * one is dropped.
 */
export const createHolder = (thumbprint: string, now: () => number): Holder => {
  const used = new Map<string, number>()
  return {
    thumbprint,
    spend: (jti, untilMs) => {
      for (const [old, goodUntilMs] of used) if (goodUntilMs < now()) used.delete(old)
      if (used.has(jti)) return 'with a proof that was used before'
      if (used.size >= maxUsedProofs) return 'too often'
      used.set(jti, untilMs)
      return undefined
    },
  }
}

/**
 * Says why a request does not come from the browser that opened the session. Undefined when it does; the
 * proof is then used.
 */
export const refusalOf = (holder: Holder, session: string, proof: Proof): string | undefined => {
  if (!proof.isGood) return proof.why
  if (proof.thumbprint !== holder.thumbprint) return 'with another key'
  if (proof.ath !== sha256(session)) return 'with a proof for another session'
  return holder.spend(proof.jti, proof.untilMs)
}
