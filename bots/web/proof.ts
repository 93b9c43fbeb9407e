import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { z } from 'zod'

/** How far a proof's time may be from the gate's, in milliseconds. */
const maxSkewMs = 60_000
/** Proofs of one session that are remembered: far more than a person makes in two minutes. */
const maxSpent = 4000
/** RFC 9449: header, claims and an ES256 signature of 64 bytes. Ours have about 300, 300 and 86 characters. */
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

/** What a proof must be for. */
export interface ProofTarget {
  readonly method: string
  /** Without query. */
  readonly url: string
  readonly atMs: number
}

/** `why` goes on from “A session was tried”. */
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
/** The one refusal that the tab itself can get, by a clock that is wrong. */
export const oldProof = 'with an old proof'

const parsed = <T>(schema: z.ZodType<T>, part: string): T | undefined => {
  try {
    return schema.safeParse(JSON.parse(Buffer.from(part, 'base64url').toString())).data
  } catch {
    return undefined
  }
}

/** Undefined when it is no point of the curve. */
const keyOf = (jwk: z.infer<typeof jwkShape>): KeyObject | undefined => {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined
  }
}

/** Reads a DPoP proof (RFC 9449): whoever sent this request holds the private half of a key. Whose key it is, and whether the proof is new, is for the caller. */
export const readProof = (jwt: string, { method, url, atMs }: ProofTarget): Proof => {
  if (jwt === '') return refused(noProof)
  const [, head = '', body = '', signature = ''] = shape.exec(jwt) ?? []
  const header = parsed(headerShape, head)
  const claims = parsed(claimsShape, body)
  const key = header === undefined ? undefined : keyOf(header.jwk)
  if (header === undefined || claims === undefined || key === undefined)
    return refused('with a proof that is none')
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
  // RFC 7638: these four, in this order.
  return {
    isGood: true,
    thumbprint: sha256(JSON.stringify({ crv, kty, x, y })),
    jti: claims.jti,
    ath: claims.ath,
    untilMs: claims.iat * 1000 + maxSkewMs,
  }
}

/** What a session is bound to. */
export interface Holder {
  readonly thumbprint: string
  /** Why a proof is not good once more, or undefined: then it is used up now. */
  spend(jti: string, untilMs: number): string | undefined
}

/** Remembers each proof for as long as it would be good. When it is full it refuses new ones: it never forgets early. */
export const createHolder = (thumbprint: string, now: () => number): Holder => {
  const spent = new Map<string, number>()
  return {
    thumbprint,
    spend: (jti, untilMs) => {
      for (const [old, goodUntilMs] of spent) if (goodUntilMs < now()) spent.delete(old)
      if (spent.has(jti)) return 'with a proof that was used before'
      if (spent.size >= maxSpent) return 'too often'
      spent.set(jti, untilMs)
      return undefined
    },
  }
}

/** Why a session's word does not come from the browser that opened it, or undefined when it does; the proof is used up then. */
export const refusalOf = (holder: Holder, session: string, proof: Proof): string | undefined => {
  if (!proof.isGood) return proof.why
  if (proof.thumbprint !== holder.thumbprint) return 'with another key'
  if (proof.ath !== sha256(session)) return 'with a proof for another session'
  return holder.spend(proof.jti, proof.untilMs)
}
