import type { Address } from '../model/chat/push.ts'

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

  const agentOf = (address: Address): string => {
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
      agentOf(address) === agentId &&
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
    restore: async (): Promise<void> => {
      for (const key of (await ports.recall())?.split('\n') ?? []) written.add(key)
    },
  }
}

export type Chats = ReturnType<typeof createChats>
