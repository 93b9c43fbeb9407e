import { createHooks, type Hooks, type HooksPorts } from '../../core/hooks/hooks.ts'
import type { ChannelPorts } from '../../core/model/chat/channel.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import { conditionOf } from '../condition/condition.ts'
import { createAsyncHooks, type AsyncHookPorts } from './async-hooks.ts'
import { createBacktracking } from './backtracking.ts'
import { createShadows, type ShadowPorts, type Shadows } from './shadows.ts'

export interface ObservedHooksPorts
  extends
    Omit<HooksPorts, 'observers' | 'conditionOf' | 'marksOpenly' | 'searchSlowly' | 'searchForShadows'>,
    Pick<AsyncHookPorts, 'hearsRefusals'>,
    Pick<ChannelPorts, 'log'> {
  /** Keeps what the shadows of an event answered. */
  readonly recordShadows: ShadowPorts['record']
}

export interface ObservedHooks extends Omit<Hooks, 'stop'> {
  /** What a shadow would have done since the start. Undefined when it got no event yet. */
  shadowCounts: Shadows['counts']
  stop(): Promise<void>
}

/**
 * True for the one hook whose mark an owner may say yes to: nobody decides by the letters of a secret. Whom a
 * message goes to is another matter, so a mark of redact_pii hides something.
 */
const marksOpenly = ({ type, command }: Pick<Entry, 'type' | 'command'>): boolean =>
  type === 'builtin' && command === 'redact_secrets'

/** The core's hooks with what they take from here: conditions, slow patterns, async hooks and shadows. */
export const createObservedHooks = (ports: ObservedHooksPorts): ObservedHooks => {
  const slow = createBacktracking()
  const slowOfShadows = createBacktracking()
  let shadowCounts: Shadows['counts'] = () => undefined
  const hooks = createHooks({
    ...ports,
    conditionOf,
    marksOpenly,
    searchSlowly: slow.test,
    searchForShadows: slowOfShadows.test,
    observers: (asking) => {
      const shadows = createShadows({ ...ports, ...asking, record: ports.recordShadows })
      shadowCounts = shadows.counts
      return { ...shadows, begin: createAsyncHooks({ ...ports, ...asking }).begin }
    },
  })
  return {
    ...hooks,
    shadowCounts,
    stop: async () => {
      hooks.stop()
      await Promise.all([slow.stop(), slowOfShadows.stop()])
    },
  }
}
