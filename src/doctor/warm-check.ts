import { fixed, prose } from '../model/chat/prose.ts'
import type { Check } from './check.ts'

/**
 * A hook that answers faster than this gains nothing from a warm start: its time is not interpreter start-up.
 */
export const worthMs = 10

const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`

/**
 * Checks whether a warm start would make the hook faster, and whether the hook acts before it gets its input.
 */
export const warmCheck: Check = ({ hook: { entry }, warmth }) => {
  if (warmth === undefined) return []
  const { isSafe, why = 'the warm start could not be tested', coldMs = 0, warmMs = 0 } = warmth
  if (entry.isWarm === true)
    return isSafe
      ? [{ level: 'ok', text: fixed(`The warm start is in use: ${ms(coldMs)} cold, ${ms(warmMs)} warm.`) }]
      : [
          {
            level: 'warn',
            text: prose`The warm start is not safe: ${why} Remove "warm" and approve the hook again.`,
          },
        ]
  if (!isSafe) return [{ level: 'ok', text: prose`Do not use a warm start: ${why}` }]
  return warmMs < coldMs / 2
    ? [
        {
          level: 'ok',
          text: fixed(
            `"warm: true" would cut ${ms(coldMs)} to ${ms(warmMs)}. It is safe: the hook does nothing before it reads its input.`,
          ),
        },
      ]
    : []
}
