/** One proposed or approved hook as the page lists it. Everything here is text to show, never markup. */
export interface PreferenceRow {
  readonly handle: string
  readonly event: string
  readonly command: string
  /** As `/hooks list` words it: `✓ approved`, `✗ NOT approved`, `changed since approval`, … */
  readonly status: string
  readonly isLive: boolean
  readonly isApproved: boolean
  readonly canApprove: boolean
  readonly details: readonly string[]
}

/** What the Preferences side of the page shows. Reading it changes nothing; acting goes through the chat. */
export interface Preferences {
  readonly isOn: boolean
  /** Why the gate doubts itself and what to do; absent when it does not. */
  readonly lockdown?: string
  readonly rows: readonly PreferenceRow[]
}
