import type { Payload } from '../../model/events/payload.ts'
import type { ArmedHook } from '../../model/hooks/entry.ts'
import type { Verdict } from '../../model/hooks/verdict.ts'
import type { Asking } from './asking.ts'
import type { EventPlan } from './event-plan.ts'

/** One event with the payload as it came. `hits`: the places of the matching hooks in the plan. */
export interface AsyncOccasion {
  readonly plan: EventPlan
  readonly payload: Payload
  readonly hits: ReadonlySet<number>
  readonly chain: readonly string[]
}

/** An event after its verdict. */
export interface ShadowOccasion extends Omit<AsyncOccasion, 'hits'> {
  /** The payload at each place of the order, as `Settlement` has it. */
  readonly arrivals?: readonly Payload[] | undefined
  readonly revision: number
}

/** What async hooks got of an event, for its record. */
export type AsyncNews = Pick<Verdict, 'warnings' | 'hooks'>

/** The hooks that only observe: async hooks and shadows. No answer of theirs changes a verdict. */
export interface Observers {
  /**
   * Passes an event to async hooks. Those that get it before any other hook is asked have it when this
   * resolves. The function passes the verdict to the others, and says what each async hook got.
   */
  begin(occasion: AsyncOccasion): Promise<(verdict: Verdict) => Promise<AsyncNews>>
  /** Asks the shadows of an event. Returns at once. */
  after(occasion: ShadowOccasion): void
  stop(): void
}

/** What observers need in order to ask their hooks. */
export interface ObserverAsking {
  readonly ask: Asking['ask']
  /** True while this hook is in force and decides. */
  isLive(hook: ArmedHook): boolean
  /** True while this hook is in force as a shadow. A hook that was promoted meanwhile is another one. */
  isShadow(hook: ArmedHook): boolean
}
