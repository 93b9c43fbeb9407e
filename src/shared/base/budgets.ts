/**
 * The limits on what others can use of the gate. Each module takes its numbers from here, and the table in
 * `src/server/README.md` is generated from them.
 */
export const budgets = {
  descriptors: {
    /**
     * The descriptors that listeners leave to the ledger, the store, the messengers and the hooks. At most
     * half of all.
     */
    reserved: 512,
  },
  /**
   * The `share` of each listener is its part of the descriptors that are not reserved. The sum is less than
   * 1. Nodes have what the others leave, because with many descriptors those need less than their shares.
   */
  connections: {
    page: { inAll: 192, perAddress: 128, share: 3 / 16 },
    webhook: { inAll: 200, perAddress: 100, share: 1 / 8 },
    loopback: { inAll: 512, perAddress: 384, share: 1 / 4 },
    bridge: { inAll: 512, perAddress: 512, share: 1 / 8 },
    /** All agents together have this share. */
    agent: { inAll: 256, perAddress: 256, share: 1 / 4 },
    metrics: { inAll: 16, perAddress: 16, share: 1 / 64 },
    /** All nodes may come from the address of one proxy. */
    node: { inAll: 4096, perAddress: 4096 },
  },
  times: {
    /** The time from the connection, or the end of the request before, to the end of the header. */
    headerMs: 5000,
    /** The time from the first byte of a request to the last. */
    requestMs: 30_000,
    /** A reader that reads nothing of its response for this time is disconnected. */
    stalledMs: 10_000,
    /**
     * The time from the end of a response, or the start of a file, until an agent or a client has read all of
     * it.
     */
    answerMs: 30_000,
  },
  requests: {
    /** The number of pipelined requests on one connection. */
    perConnection: 32,
    perAgent: 64,
    perBridge: 256,
  },
  bytes: {
    /** The requests and responses of one agent, or of one direction of the bridge, that are in flight. */
    inFlight: 64 * 1024 * 1024,
    /** Requests up to this size are limited only by their number. */
    smallest: 64 * 1024,
    /** Unread lines for an agent. */
    inboxUnread: 8 * 1024 * 1024,
  },
  /** Messages of people that an agent has not finished. */
  prompts: {
    perSender: { count: 25, bytes: 256 * 1024 },
    perChat: { count: 50, bytes: 512 * 1024 },
    inAll: { count: 500, bytes: 2 * 1024 * 1024 },
    /** Each owner has a limit of their own, so that nobody else can use it up. */
    perOwner: { count: 200, bytes: 4 * 1024 * 1024 },
  },
  /** The number of history records by class. A new record removes only older records of its own class. */
  records: {
    /** Acts of owners. */
    acts: 10_000,
    alarms: 10_000,
    /** Alarms about logins to the page. Any program on this machine can cause them. */
    logins: 5000,
    /** Steps and messages that were blocked. */
    blocked: 20_000,
    /** Steps and messages that needed a person's decision. */
    asked: 20_000,
    /** Failures. */
    faults: 10_000,
    /** Attempts by people without permission. */
    refused: 10_000,
    /** The answers of shadows. */
    shadows: 5000,
    rest: 30_000,
  },
} as const

export type ListenerName = keyof typeof budgets.connections
