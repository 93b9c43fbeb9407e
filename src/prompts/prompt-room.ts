import { budgets } from '../shared/base/budgets.ts'
import { chatKey, type Address } from '../core/model/chat/push.ts'
import type { Prompt } from '../core/model/events/record.ts'

export type Asking = Pick<Prompt, 'channel' | 'chat_id' | 'sender_id' | 'sender_name' | 'text'>

interface Usage {
  count: number
  bytes: number
}

/** The key of everybody who is not an owner. */
const others = 'others'

const limitOf = (key: string): { readonly count: number; readonly bytes: number } => {
  const { perOwner, perSender, perChat, inAll } = budgets.prompts
  if (key === others) return inAll
  return key.startsWith('owner ') ? perOwner : key.startsWith('chat ') ? perChat : perSender
}

/**
 * Counts the messages that agents have not finished. Each owner has a limit of their own. All other people
 * share one limit, and each of them and each chat also has a smaller one.
 */
export const createPromptRoom = (isOwner: (asking: Asking) => boolean) => {
  const usages = new Map<string, Usage>()
  const held = new Map<
    string,
    { readonly keys: readonly string[]; readonly bytes: number; readonly chat: string }
  >()

  const keysOf = (asking: Asking): readonly string[] => {
    const sender = `${asking.channel}:${asking.sender_id}`
    return isOwner(asking) ? [`owner ${sender}`] : [`sender ${sender}`, `chat ${chatKey(asking)}`, others]
  }
  const usageOf = (key: string): Usage => usages.get(key) ?? { count: 0, bytes: 0 }

  return {
    /** True when one more message fits within all limits. */
    fits: (asking: Asking): boolean => {
      const bytes = Buffer.byteLength(asking.text)
      return keysOf(asking).every((key) => {
        const { count, bytes: usedBytes } = usageOf(key)
        return count < limitOf(key).count && usedBytes + bytes <= limitOf(key).bytes
      })
    },
    hold: (promptId: string, asking: Asking): void => {
      const keys = keysOf(asking)
      const bytes = Buffer.byteLength(asking.text)
      held.set(promptId, { keys, bytes, chat: chatKey(asking) })
      for (const key of keys)
        usages.set(key, { count: usageOf(key).count + 1, bytes: usageOf(key).bytes + bytes })
    },
    release: (promptId: string): void => {
      const { keys = [], bytes = 0 } = held.get(promptId) ?? {}
      held.delete(promptId)
      for (const key of keys) {
        const usage = usageOf(key)
        if (usage.count <= 1) usages.delete(key)
        else usages.set(key, { count: usage.count - 1, bytes: usage.bytes - bytes })
      }
    },
    /** True when a message of this chat is unfinished. */
    isHeldIn: (address: Address): boolean => held.values().some(({ chat }) => chat === chatKey(address)),
    /** True when no message is unfinished. */
    isQuiet: (): boolean => held.size === 0,
  }
}
