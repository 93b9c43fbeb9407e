import { budgets } from '../model/base/budgets.ts'
import { chatKey } from '../model/chat/push.ts'
import type { Prompt } from '../model/events/record.ts'

export type Asking = Pick<Prompt, 'channel' | 'chat_id' | 'sender_id' | 'sender_name' | 'text'>

interface Sum {
  count: number
  bytes: number
}

/** Of everybody who is no owner. */
const others = 'others'

const boundOf = (key: string): { readonly count: number; readonly bytes: number } => {
  const { perOwner, perSender, perChat, inAll } = budgets.prompts
  if (key === others) return inAll
  return key.startsWith('owner ') ? perOwner : key.startsWith('chat ') ? perChat : perSender
}

/**
 * Counts the messages that an agent has not done with. Each owner has room of their own. All others have it together,
 * and each of them and each chat has a part of it.
 */
export const createPromptRoom = (isOwner: (asking: Asking) => boolean) => {
  const sums = new Map<string, Sum>()
  const held = new Map<string, { readonly keys: readonly string[]; readonly bytes: number }>()

  const keysOf = (asking: Asking): readonly string[] => {
    const sender = `${asking.channel}:${asking.sender_id}`
    return isOwner(asking) ? [`owner ${sender}`] : [`sender ${sender}`, `chat ${chatKey(asking)}`, others]
  }
  const sumOf = (key: string): Sum => sums.get(key) ?? { count: 0, bytes: 0 }

  return {
    /** Whether there is room for one more. */
    fits: (asking: Asking): boolean => {
      const bytes = Buffer.byteLength(asking.text)
      return keysOf(asking).every((key) => {
        const { count, bytes: taken } = sumOf(key)
        return count < boundOf(key).count && taken + bytes <= boundOf(key).bytes
      })
    },
    hold: (promptId: string, asking: Asking): void => {
      const keys = keysOf(asking)
      const bytes = Buffer.byteLength(asking.text)
      held.set(promptId, { keys, bytes })
      for (const key of keys) sums.set(key, { count: sumOf(key).count + 1, bytes: sumOf(key).bytes + bytes })
    },
    release: (promptId: string): void => {
      const { keys = [], bytes = 0 } = held.get(promptId) ?? {}
      held.delete(promptId)
      for (const key of keys) {
        const sum = sumOf(key)
        if (sum.count <= 1) sums.delete(key)
        else sums.set(key, { count: sum.count - 1, bytes: sum.bytes - bytes })
      }
    },
    /** Nothing waits for an agent. */
    isQuiet: (): boolean => held.size === 0,
  }
}
