/** What became of a lockdown that an owner ended; hooks in words. */
export type Recovery =
  | { readonly ok: false; readonly why: string }
  | {
      readonly ok: true
      /** The file that keeps what was there before. */
      readonly kept?: string
      readonly receipt?: {
        readonly lines: number
        readonly head: string
        /** How many lines behind that one nobody can read. */
        readonly unread: number
        readonly approved: readonly string[]
        /** Approved up to that line and revoked behind it: still revoked. */
        readonly revoked: readonly string[]
        /** Revoked now, because their sealed bytes were changed. */
        readonly broken: readonly string[]
        /** Approved behind that line, and so no more. */
        readonly lost: readonly string[]
      }
    }

/** Whether an approval was ended; `why` it was not, for the person. */
export type Revoked = { readonly isEnded: true } | { readonly isEnded: false; readonly why: string }
