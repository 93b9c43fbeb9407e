import type { SessionClient } from '../../../history/sessions/table.ts'
import type { Finding } from '../../../handlers/builtins/guard/judge.ts'

/** What a shipped guard found in a call. `redact`: the call would have gone on without its secrets. */
export interface Judgement {
  readonly word: 'block' | 'ask' | 'redact'
  readonly effect: Finding['effect'] | 'secret'
  /** The part of the call that the guard means. */
  readonly part: string
  readonly reason: string
}

/** One call that would not have gone on as it was. */
export interface Stop extends Judgement {
  readonly atMs: number
  readonly client: SessionClient
  readonly cwd: string
  readonly about: string
  /** How often the same call was made there. */
  readonly times: number
}

/** The effects, the worst first. */
export const effectsInOrder = [
  'destroy',
  'secret',
  'secret-access',
  'remote-exec',
  'git-loss',
  'publish',
  'privilege',
  'persistence',
  'unreadable',
] as const satisfies readonly Judgement['effect'][]

/** A block comes first, and then the worse effect. */
export const byWorst = (a: Judgement, b: Judgement): number =>
  Number(b.word === 'block') - Number(a.word === 'block') ||
  effectsInOrder.indexOf(a.effect) - effectsInOrder.indexOf(b.effect)

const shown = 10
/** So many are kept while more may come. */
const kept = 100
/** So many of one effect come before those of the next one. */
const inTurn = 3

/** The worst of the calls, some of each effect, so that one effect does not hide the others. */
const worstOf = <T extends Stop>(stops: readonly T[], most: number): readonly T[] => {
  const seen = new Map<string, number>()
  const ranked = stops
    .toSorted((a, b) => byWorst(a, b) || b.atMs - a.atMs)
    .map((stop) => {
      const nth = seen.get(stop.effect) ?? 0
      seen.set(stop.effect, nth + 1)
      return { stop, isBlock: Number(stop.word === 'block'), turn: Math.floor(nth / inTurn) }
    })
  return ranked
    .toSorted((a, b) => b.isBlock - a.isBlock || a.turn - b.turn)
    .slice(0, most)
    .map(({ stop }) => stop)
}

/** Keeps the worst calls. The same call in the same place is one of them, with its newest time. */
export const createWorst = () => {
  let known = new Map<string, Stop & { readonly key: string }>()
  return {
    add: (stop: Omit<Stop, 'times'>): void => {
      const key = [stop.client, stop.cwd, stop.about].join('\n')
      const { times, atMs } = known.get(key) ?? { times: 0, atMs: 0 }
      known.set(key, { ...stop, key, times: times + 1, atMs: Math.max(atMs, stop.atMs) })
      if (known.size > 2 * kept)
        known = new Map(worstOf([...known.values()], kept).map((one) => [one.key, one]))
    },
    list: (): readonly Stop[] => worstOf([...known.values()], shown).map(({ key: _key, ...stop }) => stop),
  }
}
