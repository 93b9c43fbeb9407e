import type { Address } from '../model/push.ts'

const maxRemembered = 1000

export interface ChatsPorts {
  /** Agents in order; the first serves every chat that no other names. */
  readonly agents: readonly { readonly id: string; readonly chats: readonly string[] }[]
  /** Chats, as `telegram:-100`, that are served beside the owners' own. */
  readonly configured: readonly string[]
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

  const agentOf = (address: Address): string =>
    (ports.agents.find(({ chats }) => chats.includes(keyOf(address)) || chats.includes(address.chat_id)) ?? ports.agents[0])?.id ?? 'main'

  /** Where each owner is told things. An owner's id is `channel:person`. */
  const ofOwners = (): readonly Address[] =>
    ports.owners().flatMap(({ id, chat_id }) => (chat_id === undefined ? [] : [{ channel: id.slice(0, id.indexOf(':')), chat_id }]))

  return {
    agentOf,
    ofOwners,
    isConfigured: (address: Address): boolean => configured.has(keyOf(address)),
    isOwnChat: (agentId: string, address: Address): boolean =>
      agentOf(address) === agentId && (written.has(keyOf(address)) || configured.has(keyOf(address)) || ofOwners().some((chat) => keyOf(chat) === keyOf(address))),
    /** Somebody whom the agent serves wrote here. */
    note: (address: Address): void => {
      if (written.has(keyOf(address))) return
      written.add(keyOf(address))
      ports.remember([...written].slice(-maxRemembered).join('\n')).catch(() => ports.log('warn', 'a chat could not be remembered'))
    },
    restore: async (): Promise<void> => {
      for (const key of (await ports.recall())?.split('\n') ?? []) written.add(key)
    },
  }
}
