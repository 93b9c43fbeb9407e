/**
 * The public API: starts a gate in a process of your own, and names the types of a channel and of an event.
 */
import type { Config } from './config/load.ts'
import type { Options } from './compose/base.ts'
import { runningOf, type Running } from './compose/parts.ts'
import { assemble } from './main.ts'

export { loadConfig, type Config } from './config/load.ts'
export type { Options } from './compose/base.ts'
export type { Running } from './compose/parts.ts'
export { EVENTS, type EventName } from './model/events/event.ts'
export { ProblemError } from './model/gate/problem.ts'
export type { Channel, ChannelPorts, Delivery, Message } from './model/chat/channel.ts'

/** Starts a gate. Throws a ProblemError when that fails, and then nothing is left running. */
export const start = async (config: Config, { log, channels, console, ended }: Options): Promise<Running> =>
  runningOf(
    await assemble(config, {
      log,
      channels,
      console,
      ended,
    }),
  )
