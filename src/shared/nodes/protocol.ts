import type { JsonObject } from '../../core/model/base/json.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import type { InboxLine } from '../events/inbox-line.ts'
import type { AgentMake } from '../gate/agent.ts'
import type { SwitchFacts } from '../gate/client.ts'

/** The version of the protocol between a gate and its nodes. A gate refuses a node of another version. */
export const nodeProtocol = 3

/** The paths on which a gate serves its nodes. */
export const nodePaths = {
  enrol: '/v1/node/enrol',
  /**
   * The node asks for lines by a request that the gate answers when there are some, and asks again. Such a
   * request says which state the node knows, so it is a beat, too. It is all that an idle node has open.
   */
  lines: '/v1/node/lines',
  /** Which agents of the node listen. Their lines come among the others, so that they need no connection. */
  inboxes: '/v1/node/inboxes',
  /** Behind it: the id of an agent and a path of its interface, such as `main/v1/push`. */
  agents: '/v1/node/agents/',
  /** Behind it: the client and the event. */
  bridge: '/v1/node/bridge/',
  /** What the workspace of the node proposes now. */
  proposals: '/v1/node/proposals',
  /** Behind it: the id of a question. */
  answers: '/v1/node/answers/',
  /** Behind it: the SHA-256 of a sealed file. */
  files: '/v1/node/files/',
} as const

/** The gate answers a request for lines within this time, in milliseconds, even when nothing is new. */
export const lineEveryMs = 3000
/** A side that hears nothing of the other for so long takes the connection for lost. */
export const silentMs = 10_000

/** A node knows the switch for so long after the gate told it, in milliseconds. */
export const knownForMs = 30_000

/** An agent that a node runs. */
export interface NodeAgent {
  readonly id: string
  readonly user: string
  readonly make: AgentMake
}

/** A question of the gate to a node. */
export type NodeQuestion =
  /** Reads an entry of the node's workspace, and answers what an approval of it binds. */
  | { readonly ask: 'prepare'; readonly entry: Entry }
  /** Asks an approved hook about an event. `chain` has the events that led to it. */
  | {
      readonly ask: 'hook'
      readonly fingerprint: string
      readonly payload: JsonObject
      readonly timeoutMs: number
      readonly chain: readonly string[]
    }

/** A line of the gate to a node. The first one says which agents the node runs. */
export type NodeLine =
  | { readonly type: 'hello'; readonly node: string; readonly agents: readonly NodeAgent[] }
  /** The state of the gate, as the last line of each answer. The node says by its number that it knows it. */
  | { readonly type: 'state'; readonly number: number; readonly facts: SwitchFacts }
  /** The approvals of the node that are in force, as the ledger has them. The others have ended. */
  | { readonly type: 'hooks'; readonly approvals: readonly JsonObject[] }
  | { readonly type: 'question'; readonly id: string; readonly question: NodeQuestion }
  /** Nobody waits for the answer to this question any more. */
  | { readonly type: 'end'; readonly id: string }
  /** A line for an agent of the node, by the number under which it listens. */
  | { readonly type: 'inbox'; readonly number: number; readonly line: InboxLine }
