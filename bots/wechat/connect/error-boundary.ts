import type { ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import { nameOf } from '../outcome.ts'

/** Wraps the handler of an event, so that it never throws. */
export type Bounded = <A extends readonly unknown[]>(
  event: string,
  handler: (...args: A) => void,
) => (...args: A) => void

/**
 * Logs the errors of handlers. In wechaty, an error of a handler becomes an unhandled rejection, which ends
 * the process.
 */
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
