/**
 * A node: another machine, whose agents and clients this gate judges. The machine keeps its private key, and
 * the ledger has the public one.
 */
export interface Node {
  readonly name: string
  /** The public Ed25519 key, as `x` of a JWK in base64url. */
  readonly publicKey: string
}

/** A node in the ledger: `by` let it in at the time `at` (ISO 8601). */
export type StandingNode = Node & { readonly by: string; readonly at: string }

/** The form of a node's name. Chats and cards show it, as in `claude-code@desk`. */
export const nodeName = /^[a-z][a-z0-9-]{0,30}$/

/** The form of a public key. */
export const nodeKey = /^[\w-]{43}$/
