import type { Role, RoleGiven } from '../../core/model/gate/person.ts'
import { fixed, prose, verbatim, whole, type Prose } from '../../core/model/chat/prose.ts'

/** One word of plain characters, which has no room for a sentence. */
const plainName = /^[\w.:/-]{1,60}$/

const listWords = (names: readonly string[]): Prose => {
  const text = names.join(', ')
  return names.every((name) => plainName.test(name)) ? verbatim(text) : whole(text)
}

/** The role that somebody has or gets, with its agents and tools. */
export const roleWords = ({ role, agents, tools }: RoleGiven): Prose => {
  if (role === 'owner') return fixed('owner')
  if (role === 'viewer') return fixed('viewer')
  if (agents === undefined && tools === undefined) return fixed('approver for all agents and tools')
  if (tools === undefined) return prose`approver for the agents ${listWords(agents ?? [])} and all tools`
  if (agents === undefined) return prose`approver for all agents and the tools ${listWords(tools)}`
  return prose`approver for the agents ${listWords(agents)} and the tools ${listWords(tools)}`
}

/** The text for a person who has just become an owner. */
export const newOwnerText = fixed(
  'Paired: you are now an owner of this gate. You can type commands here.\n→ /hooks\n→ /help',
)

/** The text for a person who has just got this role. */
export const newRoleText: Readonly<Record<Role, Prose>> = {
  owner: newOwnerText,
  approver: fixed(
    'Paired: you are now an approver of this gate. You are asked here about tool calls of agents.\n→ /asks',
  ),
  viewer: fixed('Paired: you are now a viewer of this gate. You can look at it here.\n→ /hooks'),
}
