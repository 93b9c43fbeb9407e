/** The public API: start a gate in a process of your own, and the words to write a channel or to read an event. */
export { loadConfig, type Config } from './config/load.ts'
export { start, type Options, type Running } from './main.ts'
export { EVENTS, type EventName } from './model/event.ts'
export { ProblemError } from './model/problem.ts'
export type { Channel, ChannelPorts, Delivery, Message } from './model/channel.ts'
