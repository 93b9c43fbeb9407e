import type { Address } from '../model/chat/push.ts'

const maxRemembered = 1000

export interface ChatsPorts {
  /** Agents in order; the first serves every chat that no other names. */
  readonly agents: readonly { readonly id: string; readonly chats: readonly string[] }[]
  /** Chats, as `telegram:-100`, that are served beside the owners' own. */
  readonly configured: readonly string[]
  /** The group of which a chat is a topic, or that it is. */
  groupOf(address: Address): string | undefined
  owners(): readonly { readonly id: string; readonly chat_id?: string }[]
  recall(): Promise<string | undefined>
  remember(chats: string): Promise<void>
  log(level: 'warn', what: string): void
}

const keyOf = ({ channel, chat_id }: Address): string => `${channel}:${chat_id}`

/** Which agent serves a chat, and where an agent may speak: an owner's private chat, a configured one, or one in which it was written to. */
export const createChats = (ports: ChatsPorts) => {
  const written = new Set<string>()
  const configured = new Set(ports.configured)

  /** A chat and the group around it: what names the group names its topics, unless one is named by itself. */
  const around = (address: Address): readonly Address[] => {
    const group = ports.groupOf(address)
    return group === undefined || group === address.chat_id
      ? [address]
      : [address, { channel: address.channel, chat_id: group }]
  }

  const agentOf = (address: Address): string => {
    const named = around(address).flatMap((place) =>
      ports.agents.filter(({ chats }) => chats.includes(keyOf(place)) || chats.includes(place.chat_id)),
    )
    return (named[0] ?? ports.agents[0])?.id ?? 'main'
  }
  const isConfigured = (address: Address): boolean =>
    around(address).some((place) => configured.has(keyOf(place)))

  /** Where each owner is told things. An owner's id is `channel:person`. */
  const ofOwners = (): readonly Address[] =>
    ports
      .owners()
      .flatMap(({ id, chat_id }) =>
        chat_id === undefined ? [] : [{ channel: id.slice(0, id.indexOf(':')), chat_id }],
      )

  return {
    agentOf,
    ofOwners,
    isConfigured,
    isOwnChat: (agentId: string, address: Address): boolean =>
      agentOf(address) === agentId &&
      (written.has(keyOf(address)) ||
        isConfigured(address) ||
        ofOwners().some((chat) => keyOf(chat) === keyOf(address))),
    /** Somebody whom the agent serves wrote here. */
    note: (address: Address): void => {
      if (written.has(keyOf(address))) return
      written.add(keyOf(address))
      ports
        .remember([...written].slice(-maxRemembered).join('\n'))
        .catch(() => ports.log('warn', 'a chat could not be remembered'))
    },
    restore: async (): Promise<void> => {
      for (const key of (await ports.recall())?.split('\n') ?? []) written.add(key)
    },
  }
}

export type Chats = ReturnType<typeof createChats>
