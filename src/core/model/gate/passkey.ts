/**
 * A passkey with which an owner logs in to the web page at its own address. The device keeps the private key,
 * and the ledger has the public one.
 */
export interface Passkey {
  /** The id that the device gave it, as base64url. */
  readonly id: string
  readonly owner: string
  /** The host of the address for which the device made it. It is good there alone. */
  readonly rpId: string
  /** The public key in COSE form, as base64url. */
  readonly publicKey: string
  /** How the device can be reached, in the words of WebAuthn. */
  readonly transports?: readonly string[]
}

/** A passkey in the ledger. `at` is when it was added, in ISO 8601. */
export type StandingPasskey = Passkey & { readonly at: string }
