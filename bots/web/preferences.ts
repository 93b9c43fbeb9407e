/** One hook in the list of the page. All fields are shown as text, never as markup. */
export interface PreferenceRow {
  readonly handle: string
  /** The name that its file gives. A file may choose any name. */
  readonly name?: string
  readonly description?: string
  /**
   * hookgate ships it, and it is unchanged. Name and description are then those of hookgate, and its details
   * need not be opened before it is approved.
   */
  readonly isShipped?: boolean
  /** When it is asked, in words. Absent for an entry that cannot be read. */
  readonly when?: string
  /** What happens when it fails, in words. */
  readonly fails?: string
  /** What the person has to know before anything else, each with its ⚠. */
  readonly warnings?: readonly string[]
  /** When it was asked last, in words. */
  readonly fired?: string
  readonly event: string
  readonly command: string
  /** The status in the words of `/hooks list`: `✓ approved`, `✗ NOT approved`, `changed since approval`, … */
  readonly status: string
  readonly isLive: boolean
  readonly isApproved: boolean
  readonly canApprove: boolean
  /** It is a shadow, which a button of the page makes decide. */
  readonly canPromote?: boolean
  /** It can be asked about events of the past. */
  readonly canTry?: boolean
  /** It changed since its approval, so the page offers the difference first. */
  readonly isChanged?: boolean
  /** It has files that the page can show. */
  readonly hasFiles?: boolean
  /** A file that it uses changed, so it fails until it is approved again. */
  readonly isStopped?: boolean
  /** All else that an approval binds. */
  readonly details: readonly string[]
}

/** A guard that is part of hookgate, with the word that switches it by `/hooks protect`. */
export interface ShownGuard {
  readonly name: string
  readonly title: string
  readonly effect: string
  readonly isApproved: boolean
}

/** What a button under a card of the gate does, and the hook that it is about. */
export interface CardFacts {
  readonly act: string
  readonly hook?: { readonly handle: string; readonly name: string }
}

/** A held message that waits for an owner's decision. All fields are shown as text. */
export interface HeldMessage {
  readonly handle: string
  readonly title: string
  readonly size: string
  readonly why: string
  readonly since: string
  readonly text: string
  readonly parts: readonly { readonly field: string; readonly text: string }[]
}

/** The content of the page's Preferences. The buttons send commands through the chat. */
export interface Preferences {
  /** The language that the owner chose for the chat. Absent: the browser decides. */
  readonly lang?: string
  /** The time zone in which the owner reads times. Absent: the browser decides. */
  readonly zone?: string
  readonly isOn: boolean
  /** Why the gate is in lockdown and what to do. Absent when it is not. */
  readonly lockdown?: string
  readonly held: readonly HeldMessage[]
  readonly guards: readonly ShownGuard[]
  /** What the button that protects does beside its approvals. Absent: every guard is approved and fires. */
  readonly tapEffect?: string
  /**
   * The QR code for the WeChat login. Absent when there is none. `1` in `rows` is a dark square. Without rows
   * the text is shown.
   */
  readonly wechatLogin?: {
    readonly text: string
    readonly expiresAtMs: number
    readonly rows?: readonly string[]
  }
  readonly rows: readonly PreferenceRow[]
}

/** The preferences that a tab gets. The number of held messages in them is bounded. */
export type ShownPreferences = Preferences & {
  /** How many held messages are not included. */
  readonly heldLeft: number
}

const maxHeld = 20
/** The limit for all texts of held messages together, in UTF-16 units. The first message is always shown. */
const maxHeldUnits = 300_000

const unitsOf = ({ text, parts }: HeldMessage): number =>
  parts.reduce((sum, part) => sum + part.text.length, text.length)

/** Bounds the held messages. The oldest come first, and the next ones appear when these are answered. */
export const shownPreferences = (preferences: Preferences): ShownPreferences => {
  let units = 0
  const held = preferences.held
    .slice(0, maxHeld)
    .filter((one, at) => (units += unitsOf(one)) <= maxHeldUnits || at === 0)
  return { ...preferences, held, heldLeft: preferences.held.length - held.length }
}
