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

/** A message that waits for an owner's word, as the page shows it whole. All of it is text to show. */
export interface HeldMessage {
  readonly handle: string
  readonly title: string
  readonly size: string
  readonly why: string
  readonly since: string
  readonly text: string
  readonly parts: readonly { readonly field: string; readonly text: string }[]
}

/** What the Preferences side of the page shows. Reading it changes nothing; acting goes through the chat. */
export interface Preferences {
  readonly isOn: boolean
  /** Why the gate doubts itself and what to do; absent when it does not. */
  readonly lockdown?: string
  readonly held: readonly HeldMessage[]
  /** The QR code that logs the bot in to WeChat; absent when there is none to scan. Its rows hold `1` for what is dark; without them its text is shown. */
  readonly wechatLogin?: {
    readonly text: string
    readonly expiresAtMs: number
    readonly rows?: readonly string[]
  }
  readonly rows: readonly PreferenceRow[]
}

/** The preferences as a tab gets them: of what waits only so much that a page can show it. */
export type ShownPreferences = Preferences & {
  /** How many more wait than are shown. */
  readonly heldLeft: number
}

const maxHeld = 20
/** In UTF-16 units, of all texts together. The first is shown whatever its length. */
const maxHeldUnits = 300_000

const unitsOf = ({ text, parts }: HeldMessage): number =>
  parts.reduce((sum, part) => sum + part.text.length, text.length)

/** Those that wait longest come first; whoever answers them sees the next. */
export const shownPreferences = (preferences: Preferences): ShownPreferences => {
  let units = 0
  const held = preferences.held
    .slice(0, maxHeld)
    .filter((one, at) => (units += unitsOf(one)) <= maxHeldUnits || at === 0)
  return { ...preferences, held, heldLeft: preferences.held.length - held.length }
}
