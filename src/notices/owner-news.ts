import type { OwnerNewsItem } from '../shared/chat/owner-news.ts'
import { fixed, joinProse, named, prose, type Prose } from '../core/model/chat/prose.ts'
import { isSameChat, type Address } from '../core/model/chat/push.ts'
import { hoursOf, minuteOfDay, quietMinutesLeft } from './quiet-hours.ts'

/** The number of different news that a notice after quiet hours names. */
const maxNamed = 10

export interface OwnerNewsPorts {
  /** The private chat of each owner, with the owner's id. */
  owners(): readonly { readonly id: string; readonly chat: Address }[]
  /** Sends an unrequested notice to one owner's chat, within its rate limit. */
  tellOwner(chat: Address, text: Prose): void
  after(delayMs: number, run: () => void): void
  now(): number
  /** An IANA time zone name. When it is absent, the machine's zone is used. */
  readonly tz?: string
}

const newsText = ({ kind, agent_id, count, detail = '', minutes = 1 }: OwnerNewsItem): Prose => {
  const agent = named(agent_id)
  switch (kind) {
    case 'ended':
      return count === 1
        ? prose`${agent} has finished its turn.`
        : prose`${agent} has finished ${count} turns.`
    case 'busy':
      return minutes === 1
        ? prose`${agent} has been busy for 1 minute.`
        : prose`${agent} has been busy for ${minutes} minutes.`
    case 'waits':
      if (detail === '')
        return count === 1
          ? prose`${agent} waits for you.`
          : prose`${agent} has waited for you ${count} times.`
      return count === 1
        ? prose`${agent} waits for you: ${detail}`
        : prose`${agent} has waited for you ${count} times, last with: ${detail}`
    case 'failed':
      if (detail === '') return count === 1 ? prose`${agent} failed.` : prose`${agent} failed ${count} times.`
      return count === 1
        ? prose`${agent} failed: ${detail}`
        : prose`${agent} failed ${count} times, last with: ${detail}`
  }
}

/**
 * Tells the owners the news of `tell_owner`. In an owner's quiet hours the news is kept in memory, and comes
 * as one notice when the hours end.
 */
export const createOwnerNews = (ports: OwnerNewsPorts) => {
  const kept = new Map<string, Map<string, OwnerNewsItem>>()

  const leftMs = (owner: string, { quiet }: OwnerNewsItem): number =>
    quietMinutesLeft(hoursOf(quiet, owner), minuteOfDay(ports.now(), ports.tz)) * 60_000

  const wake = (owner: string): void => {
    const items = [...(kept.get(owner)?.values() ?? [])]
    const waits = items.map((item) => leftMs(owner, item))
    const isQuiet = waits.length > 0 && waits.every((ms) => ms > 0)
    // The clock may have been set meanwhile.
    if (isQuiet) return ports.after(Math.min(...waits), () => wake(owner))
    kept.delete(owner)
    const chat = ports.owners().find(({ id }) => id === owner)?.chat
    if (chat === undefined || items.length === 0) return
    const lines = items.slice(0, maxNamed).map((item) => prose`${fixed('│ ')}${newsText(item)}`)
    ports.tellOwner(chat, joinProse([fixed('In your quiet hours:'), ...lines, fixed('→ /hooks log')], '\n'))
  }

  const keep = (owner: string, item: OwnerNewsItem, ms: number): void => {
    const items = kept.get(owner) ?? new Map<string, OwnerNewsItem>()
    const key = JSON.stringify([item.kind, item.agent_id])
    items.set(key, { ...item, count: item.count + (items.get(key)?.count ?? 0) })
    if (kept.has(owner)) return
    kept.set(owner, items)
    ports.after(ms, () => wake(owner))
  }

  return (item: OwnerNewsItem): void => {
    for (const { id, chat } of ports.owners()) {
      // In the chat of the session the person sees the end, the question or the error itself.
      const isSeen = item.kind !== 'busy' && item.address !== undefined && isSameChat(chat, item.address)
      if (isSeen) continue
      const ms = leftMs(id, item)
      if (ms > 0) keep(id, item, ms)
      else ports.tellOwner(chat, newsText(item))
    }
  }
}
