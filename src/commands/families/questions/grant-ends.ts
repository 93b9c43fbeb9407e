import { readDuration } from '../../../shared/base/duration.ts'
import type { NewGrant } from '../../../core/model/gate/grant.ts'
import { prose, type Prose } from '../../../core/model/chat/prose.ts'
import type { Zone } from '../../../core/model/chat/zone.ts'
import { nextMidnightMs } from '../../../shared/chat/zone.ts'
import { clock, untilWords } from '../../words.ts'

/** The end of a grant: a time in epoch milliseconds, or a number of uses. */
export type GrantEnd = Pick<NewGrant, 'untilMs' | 'uses'>

const dayMs = 24 * 60 * 60_000

/** The buttons of a card that offers a grant: each a shape with an end. */
export const ends = {
  exact: [
    { typed: '1h', label: 'This call: 1 hour' },
    { typed: 'today', label: 'This call: today' },
    { typed: '30d', label: 'This call: 30 days' },
    { typed: '10', label: 'This call: 10 uses' },
  ],
  pattern: [
    { typed: '1h', label: 'Pattern: 1 hour' },
    { typed: 'today', label: 'Pattern: today' },
    { typed: '30d', label: 'Pattern: 30 days' },
    { typed: '10', label: 'Pattern: 10 uses' },
  ],
} as const

/** Reads `1h`, `today`, `30d` or a number of uses. `today` ends at the next midnight of the person's zone. */
export const readEnd = (typed: string, nowMs: number, zone: Zone): GrantEnd | undefined => {
  const word = typed.toLowerCase()
  if (/^\d{1,5}$/.test(word)) return { uses: Number(word) }
  if (word === 'today') return { untilMs: nextMidnightMs(nowMs, zone) }
  const [, days] = /^(\d{1,3})d$/.exec(word) ?? []
  const ms = days === undefined ? readDuration(word) : Number(days) * dayMs
  return ms === undefined ? undefined : { untilMs: nowMs + ms }
}

export const endWords = ({ untilMs, uses }: GrantEnd, nowMs: number): Prose => {
  if (untilMs === undefined) return uses === 1 ? prose`for 1 use` : prose`for ${uses ?? 0} uses`
  return untilMs - nowMs < dayMs ? untilWords(untilMs, nowMs) : prose`until ${clock(untilMs, nowMs)}`
}
