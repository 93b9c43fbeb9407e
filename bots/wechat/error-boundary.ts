import type { ChannelPorts } from '../../src/model/channel.ts'
import { nameOf } from './outcome.ts'

/** Wraps the handler of an event of that name. */
export type Bounded = <A extends readonly unknown[]>(
  event: string,
  handler: (...args: A) => void,
) => (...args: A) => void

/** wechaty lets what a handler throws become an unhandled rejection, which ends the process; so nothing may leave one. */
export const createErrorBoundary =
  (log: ChannelPorts['log']): Bounded =>
  (event, handler) =>
  (...args) => {
    try {
      handler(...args)
    } catch (error) {
      log('error', `wechat: the handler of "${event}" failed`, { error: nameOf(error) })
    }
  }
