/**
 * The roles of people. An owner may do all. An approver answers the questions about tool calls for the agents
 * and tools that their role names. A viewer reads.
 */
export const ROLES = ['owner', 'approver', 'viewer'] as const
export type Role = (typeof ROLES)[number]

export const isRole = (word: string): word is Role => ROLES.some((role) => role === word)

/**
 * The right that a command needs. `person`: any role, in any form and at any age. `viewer`: an owner or a
 * viewer. `approver`: an owner or an approver, in a form that counts as an answer. `owner`: an owner.
 * `privileged`: an owner, in a form that may change the gate. `off`: the same at any age of the message.
 */
export const NEEDS = ['person', 'viewer', 'approver', 'owner', 'privileged', 'off'] as const
export type Need = (typeof NEEDS)[number]

/** What a role is limited to. Absent: all agents, or all tools. */
export interface Scope {
  /** The ids of agents. */
  readonly agents?: readonly string[]
  /** The names of tools, in any case of letters. */
  readonly tools?: readonly string[]
}

/** The role that somebody gets. Only an approver's role has a scope. */
export interface RoleGiven extends Scope {
  readonly role: Role
}

/**
 * A person who has a role. `id` is like `telegram:7`. `name` is what their messenger called them at pairing.
 */
export interface Person extends RoleGiven {
  readonly id: string
  /** The chat for their notices. */
  readonly chat_id?: string
  readonly name?: string
}

/** True when a role gives this right. */
export const roleGives: (role: Role, need: Need) => boolean = (role, need) =>
  role === 'owner' || need === 'person' || need === role
