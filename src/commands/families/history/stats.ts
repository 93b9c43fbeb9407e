import type { Deeds, HistoryStats, HookStats, HookDeed } from '../../../shared/events/kept.ts'
import { joinProse, prose, verbatim, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import { refusal } from '../../../core/model/chat/notice.ts'
import { findShown } from '../../find.ts'
import { eventWords } from '../../cards/row.ts'
import { handlerWords } from '../../cards/handler.ts'
import type { Command, CommandPorts } from '../../ports.ts'
import { oneLine, shorten } from '../../words.ts'
import { labelWords } from '../../../shared/said/our-words.ts'

const hourMs = 60 * 60_000
const units = { h: hourMs, d: 24 * hourMs } as const
const defaultDays = 7
const maxShown = 8

interface TimeSpan {
  readonly sinceMs: number
  readonly words: Prose
  /** What is left of the typed text, which names a hook. */
  readonly rest: string
}

const hourWords = (count: number): Prose =>
  count === 1 ? prose`the last hour` : prose`the last ${count} hours`

const dayWords = (count: number): Prose => (count === 1 ? prose`the last day` : prose`the last ${count} days`)

/** Reads `[handle] [7d]`: the time comes last. */
const spanOf = (typed: string, nowMs: number): TimeSpan => {
  const [, rest = typed, count = String(defaultDays), unit = 'd'] =
    /^(.*?)\s*\b([1-9]\d{0,3}) ?([dh])$/i.exec(typed) ?? []
  const isHours = unit.toLowerCase() === 'h'
  const number = Number(count)
  return {
    sinceMs: nowMs - number * (isHours ? units.h : units.d),
    words: isHours ? hourWords(number) : dayWords(number),
    rest: rest.trim(),
  }
}

const times = (count: number): Prose => (count === 1 ? prose`once` : prose`${count} times`)

const deedWords: readonly (readonly [HookDeed, (count: number) => Prose])[] = [
  ['blocked', (count) => prose`blocked ${count}`],
  ['asked', (count) => prose`asked a person ${count}`],
  ['wrote', (count) => prose`changed ${count}`],
  ['failed', (count) => prose`failed ${count}`],
]

const msWords = (ms: number): string => (ms < 10 ? ms.toFixed(1) : String(Math.round(ms)))

const wouldWords: typeof deedWords = [
  ['blocked', (count) => prose`would have blocked ${count}`],
  ['asked', (count) => prose`would have asked you ${count}`],
  ['wrote', (count) => prose`would have changed ${count}`],
  ['failed', (count) => prose`failed ${count}`],
]

const sumOf = (deeds: Deeds): number => Object.values(deeds).reduce((sum, each) => sum + each, 0)
const didOf = (deeds: Deeds, words: typeof deedWords): readonly Prose[] =>
  words.flatMap(([deed, of]) => (deeds[deed] === 0 ? [] : [of(deeds[deed])]))

/** What a hook did and, as a shadow, would have done, on lines below its name. */
const deedLines = ({ deeds, shadow, p50Ms, p95Ms, lastBlocked }: HookStats): Prose => {
  const count = sumOf(deeds)
  const decided =
    count === 0 ? [] : [joinProse([prose`was asked ${times(count)}`, ...didOf(deeds, deedWords)], ' · ')]
  const asShadow =
    shadow === undefined
      ? []
      : [
          joinProse(
            [prose`was asked as a shadow ${times(sumOf(shadow.deeds))}`, ...didOf(shadow.deeds, wouldWords)],
            ' · ',
          ),
        ]
  const took =
    p50Ms === undefined || p95Ms === undefined
      ? []
      : [prose`half within ${verbatim(msWords(p50Ms))} ms, 95 % within ${verbatim(msWords(p95Ms))} ms`]
  const last = lastBlocked === undefined ? [] : [prose`the last block → /hooks why ${verbatim(lastBlocked)}`]
  const lastWould =
    shadow?.lastBlocked === undefined
      ? []
      : [prose`the last event that it would have blocked → /hooks why ${verbatim(shadow.lastBlocked)}`]
  return proseLines(
    ...[...decided, ...asShadow, ...took, ...last, ...lastWould].map((line) => prose`  ${line}`),
  )
}

const eventCount = ({ verdicts: { allow, ask, block } }: HistoryStats): number => allow + ask + block

const verdictLine = ({ verdicts: { allow, ask, block }, changed }: HistoryStats): Prose =>
  joinProse(
    [
      prose`${allow} allowed`,
      ask > 0 && prose`${ask} asked`,
      block > 0 && prose`${block} blocked`,
      changed > 0 && prose`${changed} changed`,
    ],
    ' · ',
  )

const missedLines = ({ missed }: HistoryStats): readonly Prose[] =>
  missed === 0 ? [] : [prose`⚠ ${missed} events are missing: they came too fast, or the disk failed.`]

const allText = (stats: HistoryStats, span: TimeSpan): Prose => {
  const count = eventCount(stats)
  if (count === 0) return prose`Nothing happened in ${span.words}.`
  const shown = stats.hooks.slice(0, maxShown)
  const left = stats.hooks.length - shown.length
  return proseLines(
    prose`${count === 1 ? prose`1 event` : prose`${count} events`} in ${span.words}`,
    prose`  ${verdictLine(stats)}`,
    ...shown.map(
      (hook) =>
        prose`${labelWords(shorten(oneLine(hook.label), 60))}  ${eventWords(hook.event)}\n${deedLines(hook)}`,
    ),
    left > 0 && prose`… and ${left} more hooks`,
    ...missedLines(stats),
  )
}

export const statsCommand = (ports: CommandPorts): Command => ({
  path: 'hooks stats',
  usage: '/hooks stats [handle] [7d]',
  summary: 'how often hooks were asked, what they did, and how long they took',
  need: 'viewer',
  needsRefresh: true,
  run: async (typed, context) => {
    const { history } = ports
    if (history === undefined)
      return refusal(prose`No event is kept here: gate.yaml says history: {days: 0}.`)
    const span = spanOf(typed, ports.now())
    if (span.rest === '') return allText(await history.stats({ sinceMs: span.sinceMs }), span)
    const found = findShown(span.rest, ports.rows(), ports, context)
    if ('wrong' in found) return found.wrong
    const texts: Prose[] = []
    for (const row of found.rows) {
      const { live } = row
      const name = prose`${handlerWords(row, 60)}  ${eventWords(row.event)}`
      if (live === undefined) {
        texts.push(prose`${name}\n  is not approved, so it was never asked`)
        continue
      }
      const stats = await history.stats({ sinceMs: span.sinceMs, fingerprint: live })
      const [hook] = stats.hooks
      texts.push(
        hook === undefined
          ? prose`${name}\n  was not asked in ${span.words}`
          : proseLines(prose`${name}, in ${span.words}\n${deedLines(hook)}`, ...missedLines(stats)),
      )
    }
    return joinProse(texts, '\n\n')
  },
})
