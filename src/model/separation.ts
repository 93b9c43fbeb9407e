/** How far the agent is kept from the gate. `users`: three users. `sandbox`: one user, and the agent host sees neither the gate's folder nor its processes. */
export type Separation =
  | { readonly kind: 'users'; readonly agent: string; readonly hooks: string }
  /** `better`: the gate has the right to change users; what stands in the way, and what the owner can do. */
  | { readonly kind: 'sandbox'; readonly by: 'bwrap' | 'unshare'; readonly better?: string }
  /** `why`: what stood in the way, in words; `fix`: what the owner can do. */
  | { readonly kind: 'none'; readonly why: string; readonly fix: string }

/** The one line that console, list and doctor show. */
export const separationLine = (separation: Separation): string => {
  switch (separation.kind) {
    case 'users':
      return `The agent runs as ${separation.agent} and hooks as ${separation.hooks}: neither can reach the gate.`
    case 'sandbox':
      return `The agent runs in a sandbox (${separation.by}): it sees neither the gate’s folder nor its processes.${separation.better === undefined ? '' : ` Users of its own would be better: ${separation.better}`}`
    case 'none':
      return `Nothing keeps an agent with a shell out of the gate: ${separation.why}. ${separation.fix}`
  }
}

/** How a program is started with somebody's rights: the words before its own, and whom the system makes it. */
export interface StartAs {
  readonly prefix: readonly string[]
  /** Absent: as the gate's own user. */
  readonly user?: { readonly uid: number; readonly gid: number }
  /** That user's own home; absent: the gate's. */
  readonly home?: string
}

/** As the gate itself. */
export const startAsGate: StartAs = { prefix: [] }
