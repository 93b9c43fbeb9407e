/**
 * What the attacking process knows. It is more than an agent would know, so that nothing holds only because
 * it is hidden.
 */
export interface Target {
  /** True when the guard is a Python program. Otherwise it is a shell script. */
  readonly hasPython: boolean
  /** A part of the name of every file that an attempt leaves behind. */
  readonly mark: string
  readonly home: string
  readonly workspace: string
  /** The folder of hookgate's own program, and the words that start it. */
  readonly tree: string
  readonly cli: readonly string[]
  /** The home folder of the gate's user. */
  readonly userHome: string
  /** The folders on the PATH of hooks. */
  readonly hookPath: readonly string[]
  readonly gatePid: number
  readonly hookHostPid?: number
  /** The agent's own socket is the first one. The sockets of other agents follow. */
  readonly sockets: readonly string[]
  /** The address of the page, such as `http://0123456789abcdef.localhost:8787`. Each start has a new name. */
  readonly page?: string
  /**
   * A login of the page that was used before, an open session, and a used proof of its holder for `POST
   * /api/say`.
   */
  readonly stolen?: { readonly login: string; readonly session: string; readonly proof?: string }
  readonly guard?: Guard
  /** A copy of the gate's folder from before its last changes. */
  readonly older?: string
  /** The file that gets the console's output. */
  readonly console?: string
  /** The address for agents at a desk that call HTTP hooks, and their token. */
  readonly bridge?: { readonly origin: string; readonly token?: string }
  readonly waiting?: WaitingCards
}

/** A card that waits for the answer of an owner, with all that identifies it. */
export interface AttackedCard {
  readonly handle: string
  /** The data of its buttons. */
  readonly presses: readonly string[]
  /** The request of its agent. */
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * A call of another agent and a message of this agent, which both wait for an owner, and two calls of this
 * agent: one that an owner allowed for the session, and one that a grant of the pattern `git .*-5` covers.
 */
export interface WaitingCards {
  readonly asked: AttackedCard
  readonly held: AttackedCard
  readonly allowed: AttackedCard['body']
  readonly granted: AttackedCard['body']
}

/** An approved command on `pre_tool_call` that blocks every call with `word` in it. */
export interface Guard {
  readonly fingerprint: string
  /** The entry in the file of proposals. */
  readonly proposal: Readonly<Record<string, unknown>>
  /** The path of its script in the workspace. */
  readonly script: string
  readonly word: string
}

/**
 * The result of an attempt, as the attacker reports it. `done`: it was carried out, and the gate's side
 * checks whether it had an effect.
 */
export interface ForgeryReport {
  readonly outcome: 'refused' | 'done' | 'open'
  readonly what: string
  /** The SHA-256 of every content that it could read. */
  readonly read?: readonly string[]
  /**
   * The file that it made or opened. A sandbox may show another file by that name, so the gate's side looks
   * for this inode.
   */
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
  /** A stable name, such as `ledger.append`. */
  readonly name: string
  /** The attempt, as a phrase that begins with a verb. */
  readonly title: string
  readonly needs?: readonly Need[]
  /** Its effect shows only after a start of the gate. */
  readonly counts?: 'at start'
  /**
   * The gate must answer with lockdown, which opens nothing. `anchor`: it does so after it has compared its
   * ledger with the checkpoint that a messenger pins.
   */
  readonly answer?: 'lockdown' | 'anchor'
  /** The owner turns the switch during the attempt. */
  readonly waitsForOwner?: true
  /** What it would mean for an owner. Set when only the separation of agent and gate prevents it. */
  readonly withoutSeparation?: string
  /** On some systems something besides separation prevents it too. */
  readonly varies?: true
  /** It does harm that the facts of the gate do not show. */
  readonly harmsUnseen?: true
  /** Makes the attempt. Throws an Error when the system or the gate refuses it. */
  attempt(target: Target): ForgeryReport | Promise<ForgeryReport>
}

/** One line on the stdin of the attacker. */
export type Order =
  | { readonly target: Target }
  | { readonly attempt: string }
  | { readonly isAlive: true }
  /** Without `base64` the file did not exist. */
  | { readonly putBack: { readonly path: string; readonly base64?: string; readonly mode: number } }

/**
 * What forgeries of several kinds would mean for an owner, where only separation prevents them. Forgeries
 * with the same meaning are shown under one line.
 */
export const opens = 'It could approve hooks, turn the switch and add owners in your name.'
export const undoes = 'It could undo what you did: bring a revoked hook back, or remove a guard.'
export const alone = 'Agents at your desk could continue without hooks while the gate is away.'
export const inTheirName = 'It could report events in the name of agents at your desk.'
export const answersOthers = 'It could allow the calls of other agents.'

type ForgeryOptions = Omit<Forgery, 'name' | 'title' | 'attempt'>

/** Returns a function that makes forgeries with these options. */
export const forging =
  (options: ForgeryOptions = {}) =>
  (name: string, title: string, attempt: Forgery['attempt']): Forgery => ({
    name,
    title,
    ...options,
    attempt,
  })

/** The same for forgeries that do something and report that it was done. */
export const doing =
  (what: string, options: ForgeryOptions = {}) =>
  (name: string, title: string, act: (target: Target) => void): Forgery =>
    forging(options)(name, title, (target) => {
      act(target)
      return done(what)
    })

export const refused = (what: string): ForgeryReport => ({ outcome: 'refused', what })
export const done = (what: string): ForgeryReport => ({ outcome: 'done', what })
export const open = (what: string, read: readonly string[] = []): ForgeryReport => ({
  outcome: 'open',
  what,
  read,
})
