import type { Prose } from '../../../src/core/model/chat/prose.ts'
import type { ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import type { MemoryCard } from './card.ts'
import type { Client } from './client.ts'

/** The times of the connection in milliseconds. The limits of requests are those of WeChat's own plugin. */
export const usualTimes = {
  pauseMs: 1000,
  /**
   * The least time between two sends. WeChat refuses several sends within a second for a while
   * (chenhg5/cc-connect#1640).
   */
  sendIntervalMs: 1500,
  /** The wait after the first refusal in a chat, and before a failed upload is repeated. */
  backoffMs: 30_000,
  /** How often a waiting send checks whether the person has written. */
  recheckMs: 5000,
  callMs: 15_000,
  /** How long WeChat may hold the first poll, or a request for the state of a code. */
  holdMs: 35_000,
  /** How long messages may take to be on disk. After that, WeChat is asked for the same messages again. */
  storeTimeoutMs: 30_000,
  transferMs: 60_000,
  /** WeChat's own client repeats the typing sign this often (T, src/messaging/process-message.ts). */
  typingMs: 5000,
}
export type Times = Readonly<typeof usualTimes>

export interface ILinkPorts extends Pick<ChannelPorts, 'log' | 'now' | 'elapsedMs'> {
  trouble(why: Prose, isBack: boolean): void
  /** Asks on the console for the number that the phone shows. Undefined when nobody typed one. */
  number?(prompt: string, signal: AbortSignal): Promise<string | undefined>
}

/** What all parts of the connection share. */
export interface ILinkContext extends ILinkPorts {
  readonly client: Client
  readonly card: MemoryCard
  /** The URL where a login begins. */
  readonly root: string
  readonly times: Times
}
