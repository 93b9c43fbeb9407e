import type { CallAsked } from './decider.ts'

/** So often the same call with the same result, one after another, is a loop. */
const maxSame = 5

/** What a turn's last tool call was and gave, and how often in a row. */
export interface Loop {
  last: string
  count: number
  /** How often in this turn the agent went round. */
  rounds: number
}

export const noLoop = (): Loop => ({ last: '', count: 0, rounds: 0 })

export const loopWords = `You did the same thing ${maxSame} times, and each time with the same result. It will not change. Do something else, or say that you cannot.`
export const loopEnd = `I stopped: I did the same thing over and over, with the same result each time. I am not finished. Write to me what I should do instead.`

/** Counts a call with what it gave. True where this one closes a round. */
export const closesRound = (loop: Loop, { name, input }: CallAsked, told: string): boolean => {
  const now = JSON.stringify([name, input, told])
  loop.count = now === loop.last ? loop.count + 1 : 1
  loop.last = now
  if (loop.count < maxSame) return false
  loop.count = 0
  loop.rounds++
  return true
}
