import type { EventEnd, Timeline } from '../shared/events/kept.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const stepsMs = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  hourMs,
  3 * hourMs,
  6 * hourMs,
  ...[1, 2, 7, 30, 365].map((days) => days * 24 * hourMs),
]

/** A phone shows so many bars beside each other. */
const mostSteps = 60

const none: Readonly<Record<EventEnd, number>> = { allowed: 0, changed: 0, failed: 0, asked: 0, blocked: 0 }

/** Counts of how events ended, all zero. */
export const noEnds = (): Record<EventEnd, number> => ({ ...none })

/** Counts events in steps of a time. What lies outside counts in the first or the last step. */
export const createTimeline = (
  fromMs: number,
  untilMs: number,
): { add(atMs: number, end: EventEnd): void; counted(): Timeline } => {
  const spanMs = Math.max(minuteMs, untilMs - fromMs)
  const stepMs = stepsMs.find((step) => spanMs / step < mostSteps) ?? Math.ceil(spanMs / mostSteps)
  const startMs = Math.floor(fromMs / stepMs) * stepMs
  const count = Math.max(1, Math.ceil((untilMs - startMs) / stepMs))
  const zeros = (): number[] => Array.from({ length: count }, () => 0)
  const ends = { allowed: zeros(), changed: zeros(), failed: zeros(), asked: zeros(), blocked: zeros() }
  return {
    add: (atMs, end) => {
      const step = Math.max(0, Math.min(count - 1, Math.floor((atMs - startMs) / stepMs)))
      ends[end][step] = (ends[end][step] ?? 0) + 1
    },
    counted: () => ({ startMs, stepMs, ends }),
  }
}
