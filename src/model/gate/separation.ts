/** How far the agent is kept from the gate. `users`: three users. `sandbox`: one user, and agent host and hook host see neither the user's home nor the gate's keys and processes. */
export type Separation =
  | { readonly kind: 'users'; readonly agent: string; readonly hooks: string }
  /** `better`: the gate has the right to change users; what stands in the way, and what the owner can do. `openHome`: the home is there after all; why, and what the owner can do. */
  | {
      readonly kind: 'sandbox'
      readonly by: 'bwrap' | 'unshare'
      readonly better?: string
      readonly openHome?: string
    }
  /** `why`: what stood in the way, in words; `fix`: what the owner can do. */
  | { readonly kind: 'none'; readonly why: string; readonly fix: string }

/** Whether that line is a warning. */
export const isWarning = (separation: Separation): boolean =>
  separation.kind === 'none' || (separation.kind === 'sandbox' && separation.openHome !== undefined)

/** The one line that console, list and doctor show. */
export const separationLine = (separation: Separation): string => {
  switch (separation.kind) {
    case 'users':
      return `The agent runs as ${separation.agent} and hooks as ${separation.hooks}: neither can reach the gate.`
    case 'sandbox':
      return `The agent runs in a sandbox (${separation.by}), hooks in another: ${separation.openHome === undefined ? 'your home, the gate’s keys and its processes are not there.' : `the gate’s keys and processes are not there. But your home is: ${separation.openHome}`}${separation.better === undefined ? '' : ` Users of its own would be better: ${separation.better}`}`
    case 'none':
      return `Nothing keeps an agent with a shell out of the gate: ${separation.why}. ${separation.fix}`
  }
}

/** How a program is started with somebody's rights: the words before its own, and whom the system makes it. */
export interface StartAs {
  readonly prefix: readonly string[]
  /** Absent: as the gate's own user. */
  readonly user?: { readonly uid: number; readonly gid: number }
  /** Whom the prefix itself makes it, where the system cannot do that first. */
  readonly becomes?: { readonly uid: number; readonly gid: number }
  /** That user's own home; absent: the gate's. */
  readonly home?: string
  /** A folder that lasts and that nobody else sees, where its home does not last. */
  readonly kept?: string
}

/** As the gate itself. */
export const startAsGate: StartAs = { prefix: [] }
