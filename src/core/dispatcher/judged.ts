import type { Content } from '../model/chat/content.ts'
import type { Address, Outcome } from '../model/chat/push.ts'

/**
 * The handles of what a notice shows, and the hook that changed or removed some of its quotes. `isPart`: it
 * shows too little for a yes.
 */
export interface ShownHandles {
  readonly handles: readonly string[]
  readonly isPart: boolean
  readonly hiddenBy?: string
}

/** The hooks' verdict about an item, under one revision of the gate. */
export type JudgedPush =
  | {
      readonly kind: 'leaves'
      readonly content: Content
      readonly revision: number
      /** The event in which a push was judged. */
      readonly eventId?: string
      readonly shows?: ShownHandles
    }
  /** A hook asks for an owner's decision about exactly this content. `hook`: its fingerprint. */
  | {
      readonly kind: 'asks'
      readonly content: Content
      readonly revision: number
      readonly why: string
      readonly by: string
      readonly hook?: string
      readonly eventId: string
    }
  | {
      readonly kind: 'withheld'
      readonly why: string
      readonly by?: string
      readonly hook?: string
      readonly eventId?: string
      /** A chain of hooks caused it. No hook was asked about it. */
      readonly isLoop?: true
    }

export interface ItemOutcome {
  readonly outcome: Outcome
  readonly why?: string
  /** Who withheld it. `hook`: the fingerprint, if it was a hook. */
  readonly by?: string
  readonly hook?: string
  /** The event in which it was judged last. */
  readonly eventId?: string
  /** An owner withheld it, so no owner has to be told. */
  readonly byOwner?: true
  /** The message as which it left, if it is a single one. */
  readonly message?: Address & { readonly message_id: string }
  /** The chat that was created by this send. */
  readonly chat_id?: string
}
