/** The result of recovering from a lockdown. Hooks are given in words. */
export type Recovery =
  | { readonly ok: false; readonly why: string }
  | {
      readonly ok: true
      /** The file that holds the previous ledger. */
      readonly kept?: string
      readonly receipt?: {
        readonly lines: number
        readonly head: string
        /** The number of later lines that cannot be read. */
        readonly unread: number
        readonly approved: readonly string[]
        /** Hooks that were approved up to that line and revoked after it. They stay revoked. */
        readonly revoked: readonly string[]
        /** Hooks that were revoked now, because their sealed bytes were changed. */
        readonly broken: readonly string[]
        /** Hooks that were approved after that line. Their approval is lost. */
        readonly lost: readonly string[]
      }
    }

/** The result of a revocation. `why`: the reason why it failed, for the person. */
export type Revoked = { readonly isEnded: true } | { readonly isEnded: false; readonly why: string }
