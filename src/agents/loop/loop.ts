import type { RequestedCall } from './decider.ts'

/** This many equal calls with equal results in a row are a loop. */
const maxSame = 5

/** The turn's last tool call with its result, and how often it was repeated. */
export interface Loop {
  last: string
  count: number
  /** How many loops were found in this turn. */
  rounds: number
}

export const noLoop = (): Loop => ({ last: '', count: 0, rounds: 0 })

export const loopWords = `You made the same call ${maxSame} times and always got the same result. Do something else, or say that you cannot do the task.`
export const loopEnd = `I stopped because I repeated the same call and always got the same result. I am not finished. Tell me what I should do instead.`

/** Counts a call with its result. Returns true when it completes a loop. */
export const closesRound = (loop: Loop, { name, input }: RequestedCall, result: string): boolean => {
  const now = JSON.stringify([name, input, result])
  loop.count = now === loop.last ? loop.count + 1 : 1
  loop.last = now
  if (loop.count < maxSame) return false
  loop.count = 0
  loop.rounds++
  return true
}
