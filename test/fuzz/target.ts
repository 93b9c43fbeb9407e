/** What the fuzzer throws at one door of hookgate. */
export interface Target {
  /** What is fuzzed, as words for the table. */
  readonly of: string
  /** The most characters that one input has: a little more than the door allows. */
  readonly maxChars: number
  /**
   * The longest that one input may hold the thread, in milliseconds of its processor time, where it may be
   * other than 100.
   */
  readonly maxTurnMs?: number
  /** Words of this door's language, which changes put in. */
  readonly words: readonly string[]
  /** Texts that this door knows, beside the files of `test/fixtures/fuzz/<name>`. */
  readonly seeds?: readonly string[]
  open(): Promise<Door>
}

export interface Door {
  /** Takes one input as the product would take it. It throws where the product would break. */
  take(input: string): unknown
  /**
   * The longest turn of the thread that took the inputs since the last call, in milliseconds of its processor
   * time.
   */
  longestTurnMs?(): Promise<number>
  /** What the process holds after its garbage was collected, in bytes. */
  heldBytes(): Promise<number>
  close?(): Promise<void>
}
