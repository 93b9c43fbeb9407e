import { prose, type Prose, verbatim } from '../../core/model/chat/prose.ts'
import { fixedWords } from '../said/our-words.ts'

/**
 * How the agent is separated from the gate. `users`: three users. `sandbox`: one user; agent host and hook
 * host see neither the user's home nor the gate's keys and processes.
 */
export type Separation =
  | { readonly kind: 'users'; readonly agent: string; readonly hooks: string }
  /**
   * `better`: the gate has the right to change users; the text says why it does not, and what the owner can
   * do. `openHome`: the home is visible; the text says why, and what the owner can do.
   */
  | {
      readonly kind: 'sandbox'
      readonly by: 'bwrap' | 'unshare'
      readonly better?: { readonly why: Prose; readonly fix: Prose }
      readonly openHome?: string
    }
  /** `why`: the reason, in words. `fix`: what the owner can do. */
  | { readonly kind: 'none'; readonly why: string; readonly fix: string }

/** True when the line is a warning. */
export const isWarning = (separation: Separation): boolean =>
  separation.kind === 'none' || (separation.kind === 'sandbox' && separation.openHome !== undefined)

/** The one line that console, list and doctor show. */
export const separationLine = (separation: Separation): Prose => {
  switch (separation.kind) {
    case 'users':
      return prose`The agent runs as ${verbatim(separation.agent)} and hooks as ${verbatim(separation.hooks)}: neither can reach the gate.`
    case 'sandbox': {
      const by = verbatim(separation.by)
      const { better, openHome } = separation
      const line =
        openHome === undefined
          ? prose`The agent runs in a sandbox (${by}), hooks in another one: neither can see your home, the gate’s keys or its processes.`
          : prose`The agent runs in a sandbox (${by}), hooks in another one: neither can see the gate’s keys or its processes. But your home is visible: ${fixedWords(openHome)}`
      return better === undefined
        ? line
        : prose`${line} Separate users would be safer: ${better.why}. ${better.fix}`
    }
    case 'none':
      return prose`Nothing keeps an agent with a shell out of the gate: ${fixedWords(separation.why)}. ${fixedWords(separation.fix)}`
  }
}

/**
 * How a program is started as another user: the command words before its own, and the user that the system
 * sets.
 */
export interface StartAs {
  readonly prefix: readonly string[]
  /** Absent: the gate's own user. */
  readonly user?: { readonly uid: number; readonly gid: number }
  /** The user that the prefix sets itself, where the system cannot set it first. */
  readonly becomes?: { readonly uid: number; readonly gid: number }
  /** The home of that user. Absent: the gate's home. */
  readonly home?: string
  /** A persistent folder that nobody else sees, where the home is not persistent. */
  readonly kept?: string
}

/** Starts a program as the gate's own user. */
export const startAsGate: StartAs = { prefix: [] }
