import type { Content } from '../model/chat/content.ts'
import type { Address, Outcome } from '../model/chat/push.ts'

/** What a notice shows, by its handles, and the hook that hid some of its quotes by another text or none. */
export interface Shows {
  readonly handles: readonly string[]
  readonly hiddenBy?: string
}

/** What the hooks made of an item under one revision of the gate. */
export type JudgedPush =
  | {
      readonly kind: 'leaves'
      readonly content: Content
      readonly revision: number
      /** The event in which a push was judged. */
      readonly eventId?: string
      readonly shows?: Shows
    }
  /** A hook wants an owner's word about exactly this. */
  | {
      readonly kind: 'asks'
      readonly content: Content
      readonly revision: number
      readonly why: string
      readonly by: string
      readonly eventId: string
    }
  | {
      readonly kind: 'withheld'
      readonly why: string
      readonly by?: string
      readonly eventId?: string
      /** Hooks caused it, round and round: it was put to none. */
      readonly isLoop?: true
    }

export interface Settled {
  readonly outcome: Outcome
  readonly why?: string
  /** Who withheld it, and the event in which that was. */
  readonly by?: string
  readonly eventId?: string
  /** An owner did it: nobody has to be told. */
  readonly byOwner?: true
  /** Where it stands, if it left as one message. */
  readonly message?: Address & { readonly message_id: string }
  /** Of the conversation that came to be by it. */
  readonly chat_id?: string
}
