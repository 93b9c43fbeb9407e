import type { Entry } from '../model/entry.ts'

const windowMs = 1000
/** What looking at proposals may take of each second; one more may have begun by then. */
const maxMs = 300

interface Looked<T> {
  readonly proposal: T
  readonly round: number
}

/**
 * The same for proposals that somebody made expensive: the gate looks at them for a part of each second, in turns, and
 * shows what it knew last of the others; `later` stands for one that it never looked at. Nothing is approved by it: an approval reads its files anew.
 */
export const paced = <T>(propose: (entry: Entry) => T, later: (entry: Entry) => T, now: () => number = () => performance.now()): ((entry: Entry) => T) => {
  const known = new WeakMap<Entry, Looked<T>>()
  let [beganMs, spentMs, round] = [-Infinity, 0, 0]
  /** Some had no turn in this second, in the one before. */
  let [isShort, wasShort] = [false, false]
  return (entry) => {
    const startedMs = now()
    if (startedMs - beganMs >= windowMs) {
      if (!isShort) round += 1
      ;[beganMs, spentMs, wasShort, isShort] = [startedMs, 0, isShort, false]
    }
    const last = known.get(entry)
    const hadTurn = last?.round === round
    if (last !== undefined && hadTurn && wasShort) return last.proposal
    if (spentMs >= maxMs) {
      isShort ||= !hadTurn
      return last?.proposal ?? later(entry)
    }
    const proposal = propose(entry)
    spentMs += now() - startedMs
    known.set(entry, { proposal, round })
    return proposal
  }
}
