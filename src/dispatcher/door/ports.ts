import type { HeldPush, NoticeForm, Parcel, Waits } from '../../model/chat/push.ts'
import type { OutboxItem } from '../../model/events/record.ts'
import type { JudgedPush } from '../judged.ts'
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
  /** For what is shown or kept. */
  now(): number
  log(
    level: 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ): void
}

export interface Door {
  /** The next place in the order in which things were said. */
  sequence(): number
  /**
   * Resolves when the item is on disk and, once judged, in its chat's lane; withheld, it comes into none, and its row is
   * the caller's to take away. Rejects with `Unkept` when what an agent says now cannot be written. `judging` absent: it is judged before it leaves. `form`: of a notice.
   */
  enqueue(item: OutboxItem, judging?: Promise<JudgedPush | undefined>, form?: NoticeForm): Promise<void>
  /** True while exactly this parcel is being sent. */
  isAdmitted(parcel: Parcel): boolean
  /** The gate changed: what waits looks again. */
  wake(): void
  /** What agents said and did not leave yet. */
  waiting(): readonly Waits[]
  /** What of it waits for an owner's word. */
  held(): readonly HeldPush[]
  /** The listener is called when a push waits for an owner's word and, without one named, when one does not any more. The returned function ends that. */
  onHeld(listener: (held?: HeldPush) => void): () => void
  /** An owner's word. It is judged again, and leaves if the hooks ask for nothing else. False: it does not wait for one, or is not as it was. */
  release(key: string): boolean
  withhold(key: string, by: string): boolean
}
