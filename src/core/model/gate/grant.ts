/**
 * The calls that a grant covers. `exact`: calls with exactly these arguments. `pattern`: calls whose argument
 * `field` matches the pattern as a whole, with exactly these other arguments. `loose` names arguments that
 * may
 * have any value or be absent. Arguments are canonical JSON text, so equal arguments are equal texts.
 */
export type GrantShape =
  | { readonly kind: 'exact'; readonly input: string }
  | {
      readonly kind: 'pattern'
      readonly field: string
      /** For the linear engine. It has to match the whole argument. */
      readonly pattern: string
      readonly others: string
      readonly loose: readonly string[]
    }

export type PatternShape = Extract<GrantShape, { readonly kind: 'pattern' }>

/** A grant as an owner gives it. It ends at a time, or after a number of uses, or at the first of both. */
export interface NewGrant {
  readonly agent: string
  readonly tool: string
  /** The folder in which the agent makes the call. */
  readonly cwd: string
  readonly shape: GrantShape
  /** Epoch milliseconds. */
  readonly untilMs?: number
  readonly uses?: number
}

/** An owner's standing yes for calls of one shape. */
export interface Grant extends NewGrant {
  readonly id: string
  /** The owner who gave it. It ends when this person is no longer an owner. */
  readonly by: string
  /** ISO 8601. */
  readonly at: string
}

/** A grant that has not ended. */
export interface StandingGrant extends Grant {
  /** Absent where there is no limit. */
  readonly usesLeft?: number
  /** Its pattern is one that an older version took and that covers no call now. */
  readonly coversNothing?: true
}
