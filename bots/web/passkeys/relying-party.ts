import { createHash } from 'node:crypto'
import type * as WebAuthn from '@simplewebauthn/server'
import { z } from 'zod'
import { parseJson } from '../../../src/core/model/base/json.ts'
import type { Passkey } from '../../../src/core/model/gate/passkey.ts'
import type { Challenges } from './challenges.ts'

/** An answer of a device with its certificate has a few thousand bytes. */
const maxFieldUnits = 30_000
const base64url = z
  .string()
  .max(maxFieldUnits)
  .regex(/^[\w-]*$/)
const common = {
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}).default({}),
}
/** What a device answers when it makes a passkey. Only the fields that are verified are taken over. */
export const Registration = z.object({
  ...common,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(40)).max(10).default([]),
  }),
})
/** What a device answers when it logs in. */
export const Assertion = z.object({
  ...common,
  response: z.object({ clientDataJSON: base64url, authenticatorData: base64url, signature: base64url }),
})

/**
 * The kinds of keys: ES256, EdDSA and RS256, by their COSE numbers. Each device has one of them. Without this
 * list the library would look for kinds that Node has only as an experiment, and Node would print a warning.
 */
const algorithms = [-7, -8, -257]

/** The library is loaded at the first passkey, because most gates never need it. */
const load = (): Promise<typeof WebAuthn> => import('@simplewebauthn/server')

const SignedData = z.object({
  challenge: z.string(),
  crossOrigin: z.unknown().optional(),
  topOrigin: z.unknown().optional(),
})

/**
 * What the device signed: the challenge, and whether another page was around ours. This page is never in a
 * frame, and the library looks at that only in part.
 */
const readSigned = (clientDataJSON: string) => {
  const data = SignedData.safeParse(parseJson(Buffer.from(clientDataJSON, 'base64url').toString())).data
  const isFramed = (data?.crossOrigin ?? false) !== false || data?.topOrigin !== undefined
  return { challenge: data?.challenge ?? '', isFramed }
}

/** `late`: the challenge is old, used, or of another purpose. `wrong`: anything else does not fit. */
export type Verified<T> = { readonly kind: 'good'; readonly value: T } | { readonly kind: 'late' | 'wrong' }

const late = { kind: 'late' } as const
const wrong = { kind: 'wrong' } as const

/**
 * The side of a website in WebAuthn, for one address. A passkey is bound to the host of this address, and an
 * answer of a device to the whole of it. The device has to check who holds it. A challenge counts once.
 */
export const createRelyingParty = (url: string, challenges: Challenges) => {
  const { origin, hostname } = new URL(url)
  /** Checks an answer of a device, and uses up its challenge when it is good. */
  const verifying = async <T>(
    { clientDataJSON }: { readonly clientDataJSON: string },
    purpose: string,
    verify: (challenge: string) => Promise<T | undefined>,
  ): Promise<Verified<T>> => {
    const { challenge, isFramed } = readSigned(clientDataJSON)
    if (!challenges.isGood(challenge, purpose)) return late
    if (isFramed) return wrong
    // The library throws for each part of an answer that does not fit.
    const value = await verify(challenge).catch(() => undefined)
    if (value === undefined) return wrong
    return challenges.spend(challenge) ? { kind: 'good', value } : late
  }
  const expected = {
    expectedOrigin: origin,
    expectedRPID: hostname,
    requireUserVerification: true,
  }

  return {
    rpId: hostname,
    registrationOptions: async (owner: string, known: readonly string[], purpose: string) => {
      const { generateRegistrationOptions } = await load()
      return generateRegistrationOptions({
        rpName: 'hookgate',
        rpID: hostname,
        userName: owner,
        userDisplayName: owner,
        // The same for each passkey of an owner, so that a device keeps one of them.
        userID: new Uint8Array(createHash('sha256').update(owner).digest()),
        challenge: challenges.mint(purpose),
        excludeCredentials: known.map((id) => ({ id })),
        attestationType: 'none',
        supportedAlgorithmIDs: algorithms,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
    },
    /** The device finds its passkey by the host, so a stranger learns no id here. */
    loginOptions: async (purpose: string) => {
      const { generateAuthenticationOptions } = await load()
      return generateAuthenticationOptions({
        rpID: hostname,
        challenge: challenges.mint(purpose),
        userVerification: 'required',
      })
    },
    /** Checks a new passkey. The value is what the library read from the answer. */
    registered: (response: z.infer<typeof Registration>, purpose: string) =>
      verifying(response.response, purpose, async (expectedChallenge) => {
        const { verifyRegistrationResponse } = await load()
        const { registrationInfo } = await verifyRegistrationResponse({
          ...expected,
          response: { ...response, response: { ...response.response, transports: [] } },
          expectedChallenge,
          supportedAlgorithmIDs: algorithms,
        })
        return registrationInfo?.credential
      }),
    /**
     * Checks the answer of a passkey. The value is how often its device says that it was used. The challenge
     * comes first, so an old answer does not tell whether its passkey still stands.
     */
    loggedIn: (response: z.infer<typeof Assertion>, passkey: Passkey | undefined, purpose: string) =>
      verifying(response.response, purpose, async (expectedChallenge) => {
        if (passkey?.rpId !== hostname) return undefined
        const { verifyAuthenticationResponse } = await load()
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          ...expected,
          response,
          expectedChallenge,
          // The caller compares the counter, because a lower one is an alarm.
          credential: {
            id: passkey.id,
            publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
            counter: 0,
          },
        })
        return verified ? authenticationInfo.newCounter : undefined
      }),
  }
}
