import { fixed, prose } from '../model/chat/prose.ts'
import type { Check } from './check.ts'

/** Shorter answers have nothing to gain: what is left of them is not the start of an interpreter. */
export const worthMs = 10

const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`

/** Whether a hook would gain from waiting started at its stdin, and whether anything of it would happen too early. */
export const warmCheck: Check = ({ hook: { entry }, warmth }) => {
  if (warmth === undefined) return []
  const { isSafe, why = 'it could not be tried', coldMs = 0, warmMs = 0 } = warmth
  if (entry.isWarm === true)
    return isSafe
      ? [{ level: 'ok', text: fixed(`is warm: ${ms(coldMs)} cold, ${ms(warmMs)} warm`) }]
      : [
          {
            level: 'warn',
            text: prose`It is warm and should not be: ${why} Take "warm" out and approve it again.`,
          },
        ]
  if (!isSafe) return [{ level: 'ok', text: prose`leave it cold: ${why}` }]
  return warmMs < coldMs / 2
    ? [
        {
          level: 'ok',
          text: fixed(
            `"warm: true" would make ${ms(coldMs)} ${ms(warmMs)}, and is safe: it does nothing before it reads`,
          ),
        },
      ]
    : []
}
