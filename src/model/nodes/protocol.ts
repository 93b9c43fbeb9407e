import type { AgentMake } from '../gate/agent.ts'
import type { SwitchFacts } from '../gate/client.ts'

/** The version of the protocol between a gate and its nodes. A gate refuses a node of another version. */
export const nodeProtocol = 1

/** The paths on which a gate serves its nodes. */
export const nodePaths = {
  enrol: '/v1/node/enrol',
  stream: '/v1/node/stream',
  beat: '/v1/node/beat',
  /** Behind it: the id of an agent and a path of its interface, such as `main/v1/push`. */
  agents: '/v1/node/agents/',
  /** Behind it: the client and the event. */
  bridge: '/v1/node/bridge/',
} as const

/** The gate writes a line so often, in milliseconds, and the node answers each with a beat. */
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

/** A line of the stream from the gate to a node. The first one says which agents the node runs. */
export type NodeLine =
  | { readonly type: 'hello'; readonly node: string; readonly agents: readonly NodeAgent[] }
  /** The state of the gate, again and again. The node says by its number that it knows it. */
  | { readonly type: 'state'; readonly number: number; readonly facts: SwitchFacts }
