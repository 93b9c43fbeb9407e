/**
 * How much of the gate others can take. Each module takes its numbers from here, and the table in
 * `src/server/README.md` is made from them.
 */
export const budgets = {
  descriptors: {
    /** What listeners leave to the ledger, the store, the messengers and the hooks; at most half of all. */
    reserved: 512,
  },
  /** Each listener's `share` is that of the descriptors that are not reserved. All are less than 1. */
  connections: {
    page: { inAll: 192, perAddress: 128, share: 3 / 16 },
    webhook: { inAll: 200, perAddress: 100, share: 1 / 8 },
    loopback: { inAll: 512, perAddress: 384, share: 1 / 4 },
    bridge: { inAll: 512, perAddress: 512, share: 1 / 8 },
    /** All agents have this share together. */
    agent: { inAll: 256, perAddress: 256, share: 1 / 4 },
  },
  times: {
    /** From the connection, or the end of the request before, to the end of the header. */
    headerMs: 5000,
    /** From the first byte of a request to the last. */
    requestMs: 30_000,
    /** A reader that took nothing of its answer for so long is cut off. */
    stalledMs: 10_000,
    /** From the end of an answer, or the start of a file, until an agent or a client has taken all of it. */
    answerMs: 30_000,
  },
  requests: {
    /** On one connection, one behind the other, without waiting for an answer. */
    perConnection: 32,
    perAgent: 64,
    perBridge: 256,
  },
  bytes: {
    /** Of requests and answers of one agent, or one way of the bridge, that are not yet gone. */
    inFlight: 64 * 1024 * 1024,
    /** Requests up to this size are bounded by their number. */
    smallest: 64 * 1024,
    /** Of lines for an agent that does not read them. */
    inboxUnread: 8 * 1024 * 1024,
  },
  /** Messages of people that an agent has not done with. */
  prompts: {
    perSender: { count: 25, bytes: 256 * 1024 },
    perChat: { count: 50, bytes: 512 * 1024 },
    inAll: { count: 500, bytes: 2 * 1024 * 1024 },
    /** Each owner has room of their own, so that nobody else can take it. */
    perOwner: { count: 200, bytes: 4 * 1024 * 1024 },
  },
  /** Of the history, by class: a record makes room for itself among older ones of its own class alone. */
  records: {
    /** What owners did. */
    acts: 10_000,
    alarms: 10_000,
    /** Alarms about the logins of the page, which any program of this machine can bring about. */
    logins: 5000,
    /** Steps and messages that did not go on, or not without a person's word. */
    blocked: 20_000,
    /** What failed. */
    faults: 10_000,
    /** What somebody tried who may not. */
    refused: 10_000,
    rest: 35_000,
  },
} as const

export type ListenerName = keyof typeof budgets.connections
