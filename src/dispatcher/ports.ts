import type { Channel } from '../model/channel.ts'
import type { Content } from '../model/content.ts'
import type { HeldPush, NoticeForm, Parcel, Waits } from '../model/push.ts'
import type { Ended, OutboxItem } from '../model/record.ts'
import type { JudgedPush, Settled } from './judged.ts'

export interface DoorPorts {
  channel(name: string): Channel | undefined
  gate(): { readonly revision: number; readonly lockdown?: string }
  /** Puts an item's body to the hooks as they stand now. `consent`: to what an owner said yes. Never rejects. */
  judge(item: OutboxItem, consent?: string): Promise<JudgedPush>
  /** A push waits for an owner's word, or, without one named, does not any more. */
  heldChanged(held?: HeldPush): void
  store: {
    putOutbox(item: OutboxItem): Promise<void>
    setOutbox(id: string, change: Partial<Pick<OutboxItem, 'state' | 'revision' | 'body'>>): Promise<void>
    removeOutbox(id: string, ended?: Ended): Promise<void>
  }
  /** A notice with these buttons is about to leave, or has left. */
  buttonsLeft(presses: readonly string[]): void
  /** A notice that shows what these handles name leaves with some of it hidden by this hook; or it has left, and all of it stands there. */
  shown(handles: readonly string[], hiddenBy?: string): void
  /** The bytes of a file that was kept, or undefined when they are no longer those. */
  readFile(sha256: string): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** The messenger's id of the message that a push is about. */
  messageOf(item: OutboxItem, content: Content): Promise<string | undefined>
  /** Something left or will never leave. `sent` is what left of it. What it returns is called once that is on disk: no earlier may anybody rely on it. */
  settled(item: OutboxItem, settled: Settled, sent: Content | undefined): () => void
  after(delayMs: number, run: () => void): void
  /** For intervals, by a clock that nobody can set. */
  elapsedMs(): number
  /** For what is shown or kept. */
  now(): number
  log(
    level: 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ): void
}

/** What an agent said could not be written down, so nothing of it leaves. */
export class Unkept extends Error {}

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
  /** An owner's word. It is judged again, and leaves if the hooks ask for nothing else. False: it does not wait for one, or is not as it was. */
  release(key: string): boolean
  withhold(key: string, by: string): boolean
}
