import { prose, type Prose, verbatim } from '../core/model/chat/prose.ts'
import { ok, warn, type Check } from './check.ts'
import { ourWords } from '../shared/said/our-words.ts'

/**
 * A hook that answers faster than this gains nothing from a warm start: its time is not interpreter start-up.
 */
export const worthMs = 10

const msWords = (value: number): Prose => verbatim(`${value < 10 ? value.toFixed(1) : Math.round(value)} ms`)

/**
 * Checks whether a warm start would make the hook faster, and whether the hook acts before it gets its input.
 */
export const warmCheck: Check = ({ hook: { entry }, warmth }) => {
  if (warmth === undefined) return []
  const { isSafe, why = 'the warm start could not be tested', coldMs = 0, warmMs = 0 } = warmth
  if (entry.isWarm === true)
    return isSafe
      ? [ok(prose`The warm start is in use: ${msWords(coldMs)} cold, ${msWords(warmMs)} warm.`)]
      : [warn(prose`The warm start is not safe: ${ourWords(why)} Remove "warm" and approve the hook again.`)]
  if (!isSafe) return [ok(prose`Do not use a warm start: ${ourWords(why)}`)]
  return warmMs < coldMs / 2
    ? [
        ok(
          prose`"warm: true" would cut ${msWords(coldMs)} to ${msWords(warmMs)}. It is safe: the hook does nothing before it reads its input.`,
        ),
      ]
    : []
}
