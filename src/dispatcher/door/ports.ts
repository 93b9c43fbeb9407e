import type { HeldPush, NoticeForm, Parcel, Waits } from '../../model/chat/push.ts'
import type { JudgedPush } from '../judged.ts'
import type { OutgoingItem } from '../outbox/outbox-body.ts'
import type { LimitPorts } from './limits.ts'
import type { ReviewPorts } from './review.ts'
import type { SendPorts } from './send.ts'

export interface DoorPorts
  extends
    Pick<ReviewPorts, 'outbox' | 'gate' | 'judge'>,
    Pick<SendPorts, 'shown' | 'readFile' | 'messageOf'>,
    LimitPorts {
  /** A notice with these buttons is about to leave, or has left. */
  buttonsLeft(presses: readonly string[]): void
  /** The time for what is shown or stored, in epoch milliseconds. */
  now(): number
  log(
    level: 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ): void
}

export interface Door {
  /** The next sequence number. */
  sequence(): number
  /**
   * Resolves when the item, once judged, is in its chat's lane. A withheld item enters no lane, and the
   * caller removes its row. `judging` absent: the item is judged before it leaves. `form`: the form of a
   * notice. `isStored` resolves when the item is on disk, or with false when a new push could not be written.
   * Such a push never leaves.
   */
  enqueue(
    item: OutgoingItem,
    judging?: Promise<{ readonly judged: JudgedPush | undefined }>,
    form?: NoticeForm,
  ): Promise<{ readonly isStored: Promise<boolean> }>
  /** True while exactly this parcel is being sent. */
  isAdmitted(parcel: Parcel): boolean
  /** The gate changed: every waiting item is checked again. */
  wake(): void
  /** Summarizes the pushes that wait, for each chat. */
  waiting(): readonly Waits[]
  /** The pushes that wait for an owner's decision. */
  held(): readonly HeldPush[]
  /**
   * The listener is called with a push that starts to wait for an owner's decision, and without an argument
   * when one stops waiting. The returned function removes it.
   */
  onHeld(listener: (held?: HeldPush) => void): () => void
  /**
   * An owner released the push. It is judged again, and leaves if no hook asks about another content. False:
   * no push with this content waits for a decision.
   */
  release(key: string): boolean
  withhold(key: string, by: string): boolean
}
