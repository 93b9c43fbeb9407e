import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** No longer may the gate's thread look at nothing else, as an idle desktop counts milliseconds. */
export const maxPauseMs = 50

export interface Pause {
  readonly pausedMs: number
  /** Times an idle desktop's. */
  readonly slowness: number
}

/** The longest pause of the gate's thread since it was asked last, in milliseconds of processor time. */
export const longestPause = async (gate: ChildProcess): Promise<Pause> => {
  const said = once(gate.stdout ?? gate, 'data')
  gate.kill('SIGUSR2')
  const [line] = (await said) as [Buffer]
  const [, pausedMs, slowness] = /^pause (\S+) (\S+)$/m.exec(line.toString()) ?? []
  return { pausedMs: Number(pausedMs), slowness: Number(slowness) }
}
