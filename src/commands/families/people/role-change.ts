import { nearest } from '../../../shared/base/nearest.ts'
import { ROLES, isRole, type Person, type RoleGiven } from '../../../core/model/gate/person.ts'
import { prose, verbatim, type Prose } from '../../../core/model/chat/prose.ts'
import { exactName } from '../../cards/exact.ts'
import { shorten } from '../../words.ts'

export type ReadRole = { readonly given: RoleGiven } | { readonly wrong: Prose }

const lists: Readonly<Record<string, 'agents' | 'tools'>> = {
  agent: 'agents',
  agents: 'agents',
  tool: 'tools',
  tools: 'tools',
}

/**
 * Reads a role as a person types it: `owner`, `viewer`, or `approver agent main tool bash write_file`. An
 * agent that this gate does not have is refused, because a role for it would look like one that works.
 */
export const readRole = (typed: string, agents: readonly string[]): ReadRole => {
  const [word = '', ...names] = typed.split(/[\s,]+/).filter((name) => name !== '')
  const role = word.toLowerCase()
  if (!isRole(role))
    return {
      wrong: prose`${shorten(exactName(word), 40)} is not a role. The roles are ${verbatim(ROLES.join(', '))}.`,
    }
  if (role !== 'approver' && names.length > 0)
    return { wrong: prose`Only an approver’s role names agents and tools.` }
  const named: { agents: string[]; tools: string[] } = { agents: [], tools: [] }
  let list: 'agents' | 'tools' | undefined
  for (const name of names) {
    const next = Object.hasOwn(lists, name.toLowerCase()) ? lists[name.toLowerCase()] : undefined
    if (next !== undefined) list = next
    else if (list === undefined)
      return {
        wrong: prose`Write agent or tool before ${shorten(exactName(name), 40)}, such as:\n→ /owners add approver agent main tool bash`,
      }
    else named[list].push(name)
  }
  const unknown = named.agents.find((name) => !agents.includes(name))
  if (unknown !== undefined) {
    const meant = nearest(unknown, agents)
    return {
      wrong:
        meant === undefined
          ? prose`This gate has no agent ${shorten(exactName(unknown), 40)}. Its agents are ${verbatim(agents.join(', '))}.`
          : prose`This gate has no agent ${shorten(exactName(unknown), 40)}. Did you mean ${verbatim(meant)}?`,
    }
  }
  return {
    given: {
      role,
      ...(named.agents.length === 0 ? {} : { agents: named.agents }),
      ...(named.tools.length === 0 ? {} : { tools: named.tools }),
    },
  }
}

const rank: Readonly<Record<RoleGiven['role'], number>> = { owner: 2, approver: 1, viewer: 0 }

/** True when the change takes a right away that the person has. */
export const isDownwards = ({ role }: Person, given: RoleGiven): boolean => rank[given.role] < rank[role]

/** A change of a person that waits for the owner's second word. Without `given`, the person is removed. */
export interface PersonChange {
  readonly id: string
  readonly given?: RoleGiven
  readonly by: string
  readonly untilMs: number
}

/** The prefix of the keys of such changes. It keeps their handles apart from others. */
const changeMark = 'change:'
const waitsMs = 10 * 60_000
const maxChanges = 100

/** Keeps the changes that wait, in memory. After a restart the owner types the command again. */
export const createPersonChanges = (now: () => number) => {
  const waiting = new Map<string, PersonChange>()
  let count = 0
  return {
    isKey: (key: string): boolean => key.startsWith(changeMark),
    add: (change: Omit<PersonChange, 'untilMs'>): string => {
      const key = `${changeMark}${++count} ${now()}`
      waiting.set(key, { ...change, untilMs: now() + waitsMs })
      const oldest = waiting.size > maxChanges ? waiting.keys().next().value : undefined
      if (oldest !== undefined) waiting.delete(oldest)
      return key
    },
    /** The change that this owner asked for, once. Undefined when it is over. */
    take: (key: string, by: string): PersonChange | undefined => {
      const change = waiting.get(key)
      if (change === undefined || change.by !== by) return undefined
      waiting.delete(key)
      return now() < change.untilMs ? change : undefined
    },
  }
}

export type PersonChanges = ReturnType<typeof createPersonChanges>
