declare const mark: unique symbol

/**
 * The word of a person, taken from a message that the gate admitted. Only the core makes one, and it counts
 * until the command of that message has ended. `by`: the person's id. What looks like a consent and was made
 * elsewhere opens nothing.
 */
export interface Consent {
  readonly by: string
  readonly [mark]: true
}
