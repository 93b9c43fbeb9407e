import type { Acted } from '../core/model/gate/problem.ts'
import type { AgentBudget, BudgetExtension } from '../core/model/hooks/budget.ts'
import type { Address } from '../core/model/chat/push.ts'
import type { AgentWord, Prompt } from '../core/model/events/record.ts'

/** The agents that serve chats. */
export interface AgentCommandPorts {
  /** The agents of gate.yaml, in their order. `kind`: demo, openai or acp. */
  agents(): readonly {
    readonly id: string
    readonly kind: string
    /** The node on which it runs. Absent: it runs on the machine of the gate. */
    readonly node?: string
    readonly isConnected: boolean
    /** The number of messages that it works on, and of those that wait for it. */
    readonly given: number
    readonly waiting: number
  }[]
  /** The agent that serves a chat. */
  agentOf(address: Address): string
  /** Makes an agent the one that serves a chat. Undefined: there is no such agent. */
  chooseAgent(address: Address, agentId: string): { readonly before: string } | undefined
  /** Sends a word to the chat's agent. False when none is connected. */
  tellAgent(what: AgentWord, address: Address): boolean
  /** True while the chat's agent works on a message of this chat, or is about to. */
  isWorking(address: Address): boolean
  /** Gives the chat's agent a message. */
  prompt(message: Omit<Prompt, 'prompt_id' | 'agent_id' | 'state'>): Promise<void>
  /**
   * Asks the agent host to restore the last snapshot, by default that of the chat's agent. The texts come
   * from the agent's user.
   */
  undo(
    address: Address,
    agentId: string | undefined,
  ): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }>
}

/** The machines whose agents and clients this gate judges. */
export interface NodeCommandPorts {
  /** The address that nodes use. Undefined: gate.yaml has no nodes. */
  readonly nodeUrl: string | undefined
  /** The name of the machine of the gate. */
  readonly gateMachine: string
  /** The gates that wait to take over, in words. Rejects when the database cannot be reached. */
  waitingGates(): Promise<readonly string[]>
  /** The nodes in the order in which they were let in. `at` says when, in ISO 8601. */
  nodes(): readonly {
    readonly name: string
    readonly at: string
    readonly agents: readonly string[]
    /** Undefined: it is not connected. */
    readonly connected: { readonly version: string; readonly lagMs?: number } | undefined
    /** When it was heard last, by the wall clock. Undefined: never since the start of the gate. */
    readonly heardMs: number | undefined
  }[]
  /** Makes a code with which one machine becomes the node of this name. */
  inviteNode(name: string, by: string): Acted<{ readonly code: string }>
  removeNode(name: string, by: string): Promise<Acted>
  /**
   * Resolves when all connected nodes know the state of the gate, at the latest after `withinMs`. The result
   * names those that have not said so, and those that have lost the gate and still know an earlier state.
   */
  untoldNodes(withinMs: number): Promise<readonly string[]>
}

/** What agents may use. */
export interface BudgetCommandPorts {
  readonly budget: {
    /** The state of each budget in force, for every agent that it has counted. */
    state(): readonly AgentBudget[]
    /** Undefined: no limit of the agent is spent. */
    extend(agent: string, times: number, by: string): BudgetExtension | undefined
    /** True when the stored counts could not be read. */
    isUnreadable(): boolean
    startAnew(by: string): void
  }
}
