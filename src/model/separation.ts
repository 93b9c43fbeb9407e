/** How far the agent is kept from the gate. `users`: three users. `sandbox`: one user, and the agent host sees neither the gate's folder nor its processes. */
export type Separation =
  | { readonly kind: 'users'; readonly agent: string; readonly hooks: string }
  | { readonly kind: 'sandbox'; readonly by: 'bwrap' | 'unshare' }
  /** `why`: what stood in the way, in words; `fix`: what the owner can do. */
  | { readonly kind: 'none'; readonly why: string; readonly fix: string }
