/** What the attacking process is told: more than an agent would know, so that nothing holds only by being hidden. */
export interface Target {
  /** Whether the guard is a Python program. Otherwise it is one of the shell's. */
  readonly hasPython: boolean
  /** In the names of whatever an attempt leaves behind. */
  readonly mark: string
  readonly home: string
  readonly workspace: string
  /** Where hookgate's own program lies, and the words that start it. */
  readonly tree: string
  readonly cli: readonly string[]
  /** The home folder of the gate's user. */
  readonly userHome: string
  /** The folders in which hooks' programs are looked for. */
  readonly hookPath: readonly string[]
  readonly gatePid: number
  readonly hookHostPid?: number
  /** The agent's own socket comes first, then those of other agents. */
  readonly sockets: readonly string[]
  /** Such as `http://0123456789abcdef.localhost:8787`: each start has a name of its own. */
  readonly page?: string
  /** A login of the page that was used before, a session that is open, and a proof of its holder for `POST /api/say` that was used. */
  readonly stolen?: { readonly login: string; readonly session: string; readonly proof?: string }
  readonly guard?: Guard
  /** A copy of the gate's folder from before its last changes. */
  readonly older?: string
  /** The file that the console's output goes to. */
  readonly console?: string
  /** Where agents at a desk that call HTTP hooks ask, and the token that theirs have. */
  readonly bridge?: { readonly origin: string; readonly token?: string }
  readonly waiting?: WaitingCards
}

/** Something that waits for an owner's word, with all that names it to them. */
export interface AttackedCard {
  readonly handle: string
  /** What its buttons say when they are tapped. */
  readonly presses: readonly string[]
  /** What its agent sent. */
  readonly body: Readonly<Record<string, unknown>>
}

/** Another agent's call and a message of this one, both of which wait for an owner, and a call of this agent's that they allowed for its session. */
export interface WaitingCards {
  readonly asked: AttackedCard
  readonly held: AttackedCard
  readonly allowed: AttackedCard['body']
}

/** An approved command on `pre_tool_call` that blocks what it finds the word in. */
export interface Guard {
  readonly fingerprint: string
  /** As the file proposes it. */
  readonly proposal: Readonly<Record<string, unknown>>
  /** Its script in the workspace. */
  readonly script: string
  readonly word: string
}

/** What became of an attempt, by its own word. `done`: it was carried out; the gate's side says whether it opened anything. */
export interface ForgeryReport {
  readonly outcome: 'refused' | 'done' | 'open'
  readonly what: string
  /** SHA-256 of whatever it could read. */
  readonly read?: readonly string[]
  /** What it made or opened. A sandbox may show it another file by that name, so the gate's side looks for this one. */
  readonly at?: { readonly path: string; readonly inode: string }
}

export type Need =
  | 'guard'
  | 'python'
  | 'page'
  | 'stolen'
  | 'older'
  | 'console'
  | 'hookHost'
  | 'otherSocket'
  | 'linux'
  | 'bridge'
  | 'waiting'

export interface Forgery {
  /** Stable: `ledger.append`. */
  readonly name: string
  /** What is tried, as a phrase that begins with a verb. */
  readonly title: string
  readonly needs?: readonly Need[]
  /** It counts only after a start of the gate. */
  readonly counts?: 'at start'
  /** The gate's designed answer is to doubt itself, which opens nothing. `anchor`: once it has compared itself with what a messenger keeps pinned. */
  readonly answer?: 'lockdown' | 'anchor'
  /** A switch turned by the owner in between is part of the attempt. */
  readonly waitsForOwner?: true
  /** Set where only the separation of agent and gate stands against it. `varies`: on some systems something else does too. */
  readonly withoutSeparation?: { readonly meaning: string; readonly varies?: true }
  /** It does harm that no look at the gate shows. */
  readonly harmsUnseen?: true
  /** Milliseconds; 5000 unless it needs more. */
  readonly timeoutMs?: number
  /** Throws when the system or the gate refuses. */
  attempt(target: Target): ForgeryReport | Promise<ForgeryReport>
}

/** One line on the attacker's stdin. */
export type Order =
  | { readonly target: Target }
  | { readonly attempt: string }
  | { readonly isAlive: true }
  /** Without `base64`: nothing was there. */
  | { readonly putBack: { readonly path: string; readonly base64?: string; readonly mode: number } }

export const refused = (what: string): ForgeryReport => ({ outcome: 'refused', what })
export const done = (what: string): ForgeryReport => ({ outcome: 'done', what })
export const open = (what: string, read: readonly string[] = []): ForgeryReport => ({
  outcome: 'open',
  what,
  read,
})
