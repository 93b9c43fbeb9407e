import { parseJson } from '../core/model/base/json.ts'
import type { Address } from '../core/model/chat/push.ts'

const maxRemembered = 1000

export interface ChatsPorts {
  /** The agents in order. The first one serves every chat that no other agent names. */
  readonly agents: readonly { readonly id: string; readonly chats: readonly string[] }[]
  /** Chats, such as `telegram:-100`, that are served in addition to the owners' own chats. */
  readonly configured: readonly string[]
  /** The group that a chat belongs to as a topic, or the chat itself if it is a group. */
  groupOf(address: Address): string | undefined
  owners(): readonly { readonly id: string; readonly chat_id?: string }[]
  recall(): Promise<string | undefined>
  remember(chats: string): Promise<void>
  /** The agents that owners chose for chats, as stored before. */
  recallChosen(): Promise<string | undefined>
  rememberChosen(chosen: string): Promise<void>
  log(level: 'warn', what: string): void
}

/** The private chats of people. A person's id is `channel:person`. */
export const chatsOf = (
  people: readonly { readonly id: string; readonly chat_id?: string }[],
): readonly Address[] =>
  people.flatMap(({ id, chat_id }) =>
    chat_id === undefined ? [] : [{ channel: id.slice(0, id.indexOf(':')), chat_id }],
  )

const keyOf = ({ channel, chat_id }: Address): string => `${channel}:${chat_id}`

/**
 * Says which agent serves a chat, and where an agent may speak: in an owner's private chat, in a configured
 * chat, or in a chat where somebody it serves wrote to it.
 */
export const createChats = (ports: ChatsPorts) => {
  const written = new Set<string>()
  /** The agent that an owner chose, by chat. */
  const chosen = new Map<string, string>()
  /** The earlier agents of each chat. They may finish there what they were given. */
  const earlier = new Map<string, Set<string>>()
  const configured = new Set(ports.configured)

  /**
   * Returns the chat and its group. A setting for the group applies to its topics, unless a topic has its
   * own.
   */
  const around = (address: Address): readonly Address[] => {
    const group = ports.groupOf(address)
    return group === undefined || group === address.chat_id
      ? [address]
      : [address, { channel: address.channel, chat_id: group }]
  }

  const isAgent = (agentId: string | undefined): agentId is string =>
    ports.agents.some(({ id }) => id === agentId)

  const agentOf = (address: Address): string => {
    const choice = chosen.get(keyOf(address))
    if (isAgent(choice)) return choice
    const named = around(address).flatMap((chat) =>
      ports.agents.filter(({ chats }) => chats.includes(keyOf(chat)) || chats.includes(chat.chat_id)),
    )
    return (named[0] ?? ports.agents[0])?.id ?? 'main'
  }
  const isConfigured = (address: Address): boolean =>
    around(address).some((chat) => configured.has(keyOf(chat)))

  /** The private chat of each owner. */
  const ofOwners = (): readonly Address[] => chatsOf(ports.owners())

  return {
    agentOf,
    ofOwners,
    isConfigured,
    isOwnChat: (agentId: string, address: Address): boolean =>
      (agentOf(address) === agentId || earlier.get(keyOf(address))?.has(agentId) === true) &&
      (written.has(keyOf(address)) ||
        isConfigured(address) ||
        ofOwners().some((chat) => keyOf(chat) === keyOf(address))),
    /** Records that somebody whom the agent serves wrote in this chat. */
    note: (address: Address): void => {
      if (written.has(keyOf(address))) return
      written.add(keyOf(address))
      ports
        .remember([...written].slice(-maxRemembered).join('\n'))
        .catch(() => ports.log('warn', 'the list of chats could not be saved'))
    },
    /** An owner chose the agent of this chat. Undefined: there is no such agent. */
    choose: (address: Address, agentId: string): { readonly before: string } | undefined => {
      if (!isAgent(agentId)) return undefined
      const [key, before] = [keyOf(address), agentOf(address)]
      if (before === agentId) return { before }
      earlier.set(key, (earlier.get(key) ?? new Set()).add(before))
      chosen.delete(key)
      chosen.set(key, agentId)
      ports
        .rememberChosen(JSON.stringify([...chosen].slice(-maxRemembered)))
        .catch(() => ports.log('warn', 'the agent of a chat could not be saved'))
      return { before }
    },
    restore: async (): Promise<void> => {
      const stored = parseJson((await ports.recallChosen()) ?? '[]')
      for (const pair of Array.isArray(stored) ? stored : []) {
        const [key, agentId] = Array.isArray(pair) ? pair : []
        if (typeof key === 'string' && typeof agentId === 'string') chosen.set(key, agentId)
      }
      for (const key of (await ports.recall())?.split('\n') ?? []) written.add(key)
    },
  }
}

export type Chats = ReturnType<typeof createChats>
