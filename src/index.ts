/**
 * The public API: starts a gate in a process of your own, and names the types of a channel and of an event.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Config } from './config/load.ts'
import type { Options } from './compose/base.ts'
import { startGround } from './compose/ground.ts'
import type { Running } from './compose/parts.ts'

export { loadConfig, type Config } from './config/load.ts'
export type { Options } from './compose/base.ts'
export type { Running } from './compose/parts.ts'
export { EVENTS, type EventName } from './core/model/events/event.ts'
export { ProblemError } from './core/model/gate/problem.ts'
export type { Channel, ChannelPorts, Delivery, Message, Unkept } from './core/model/chat/channel.ts'

/** Starts a gate. Throws a ProblemError when that fails, and then nothing is left running. */
export const start = async (config: Config, options: Options): Promise<Running> => {
  const begun = startGround(config, options)
  // Its programs answer between two parts of the code.
  await import('./compose/base.ts')
  await turn()
  const { assembleOn } = await import('./main.ts')
  const { runningOf } = await import('./compose/parts.ts')
  return runningOf(await assembleOn(begun))
}
