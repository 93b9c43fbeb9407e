import { durationWords } from '../model/base/clock.ts'
import { fixed, prose, type Prose, verbatim } from '../model/chat/prose.ts'
import type { Pause } from './ledger/fold.ts'
import type { Gatekeeper } from './gatekeeper.ts'

export interface RearmPorts {
  readonly gatekeeper: Pick<Gatekeeper, 'pause' | 'state'>
  /** Never rejects. */
  setSwitch(isOn: boolean, by: string): Promise<{ readonly isChanged: boolean; readonly warning?: string }>
  alarm(about: 'switch', text: Prose): void
  /** A warning as words for a chat. */
  said(warning: string): Prose
  /** The wall clock, in epoch milliseconds. */
  now(): number
  /** A monotonic clock, in milliseconds. */
  monotonicMs(): number
}

/** The delay before a failed write is tried again, in milliseconds. */
const againMs = 60_000

/**
 * The remaining time by the wall clock. Never longer than the owner asked for, even when the clock was set
 * back.
 */
const leftMs = ({ sinceMs, forMs }: Pause, nowMs: number): number =>
  Math.max(0, Math.min(forMs, sinceMs + forMs - nowMs))

/**
 * Switches the hooks on again when the time of `/hooks off 15m` is over. After its first look it uses a
 * monotonic clock. It also ends the pause when the wall clock reaches the end, so a clock that was set
 * forward or a machine that slept ends it early, which is safe.
 */
export const createRearm = (ports: RearmPorts) => {
  let counting: { readonly pause: string; readonly endsAtMs: number; notBeforeMs: number } | undefined
  const end = async (pause: Pause, isFirst: boolean): Promise<void> => {
    const words = durationWords(pause.forMs)
    const { warning } = await ports.setSwitch(true, `hookgate: off ${words} ended`)
    const time = verbatim(words)
    if (ports.gatekeeper.state().isOn)
      ports.alarm(
        'switch',
        prose`Hooks are ON again: the ${time} of /hooks off by ${pause.by} are over.${warning === undefined ? [] : prose`\n⚠ ${ports.said(warning)}`}`,
      )
    else if (isFirst)
      ports.alarm(
        'switch',
        prose`✗ Hooks are still OFF, although the ${time} of /hooks off by ${pause.by} are over.\n${warning === undefined ? fixed('The gate’s folder could not be written.') : ports.said(warning)}\n→ /hooks on`,
      )
  }
  return {
    /**
     * Must be called at least every second while the gate runs. Resolves when what it had to do is done.
     * Never rejects.
     */
    look: async (): Promise<void> => {
      const pause = ports.gatekeeper.pause()
      if (pause === undefined) counting = undefined
      if (pause === undefined || ports.gatekeeper.state().lockdown !== undefined) return
      const key = `${pause.n} ${pause.sinceMs}`
      const [nowMs, ticksMs] = [ports.now(), ports.monotonicMs()]
      if (counting?.pause !== key)
        counting = { pause: key, endsAtMs: ticksMs + leftMs(pause, nowMs), notBeforeMs: 0 }
      const isOver = ticksMs >= counting.endsAtMs || nowMs >= pause.sinceMs + pause.forMs
      if (!isOver || ticksMs < counting.notBeforeMs) return
      const isFirst = counting.notBeforeMs === 0
      // When it cannot be written, the pause stays, and a later look tries again.
      counting.notBeforeMs = ticksMs + againMs
      await end(pause, isFirst)
    },
  }
}
