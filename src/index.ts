/**
 * The public API: starts a gate in a process of your own, and names the types of a channel and of an event.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Config } from './config/load.ts'
import type { Options } from './compose/base.ts'
import { createLife, startGround } from './compose/ground.ts'
import type { Running } from './compose/parts.ts'

export { loadConfig, type Config } from './config/load.ts'
export type { Options } from './compose/base.ts'
export type { Running } from './compose/parts.ts'
export { EVENTS, type EventName } from './model/events/event.ts'
export { ProblemError } from './model/gate/problem.ts'
export type { Channel, ChannelPorts, Delivery, Message } from './model/chat/channel.ts'

/** Starts a gate. Throws a ProblemError when that fails, and then nothing is left running. */
export const start = async (config: Config, options: Options): Promise<Running> => {
  const life = createLife()
  const ground = startGround(config, options, life)
  // It is awaited when everything else has been loaded. Its programs answer between two parts of that.
  ground.catch(() => undefined)
  await import('./compose/base.ts')
  await turn()
  const { assemble } = await import('./main.ts')
  const { runningOf } = await import('./compose/parts.ts')
  return runningOf(await assemble(config, options, life, ground))
}
