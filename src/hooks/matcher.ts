import type { ArmedHook, Matcher } from '../model/entry.ts'
import type { Payload } from '../model/payload.ts'
import { contractOf } from '../model/event.ts'
import { compilePattern, maxProgramSize, unite, type Pattern } from './pattern.ts'
import { subjectAt, subjectOf } from './subject.ts'

/** Instructions times characters that one test may cost, about 50 ms. What costs more counts as a match. */
const budget = 2_500_000

type Hits = ReadonlySet<number>
const none: Hits = new Set()

interface Condition {
  /** undefined: the event's search fields. */
  readonly path: string | undefined
  readonly pattern: Pattern
}

/** A hook's place in the order, and all that must match for it to be asked. */
interface Watch {
  readonly index: number
  readonly conditions: readonly Condition[]
}

interface Group {
  readonly united: Pattern
  readonly watches: readonly Watch[]
}

/** Which of an event's hooks match a payload, by their place in the order. */
export interface MatchPlan {
  /** Synchronous unless a pattern needs the backtracking engine. */
  match(payload: Payload): Hits | Promise<Hits>
}

const conditionsOf = (matcher: Matcher): readonly Condition[] => {
  const compiled = (path: string | undefined, source: string): readonly Condition[] => {
    const pattern = compilePattern(source)
    // A pattern was checked when its entry was read; one that no longer compiles must not silence its hook.
    return 'wrong' in pattern ? [] : [{ path, pattern }]
  }
  return [
    ...(matcher.tool === undefined ? [] : compiled('tool_name', matcher.tool)),
    ...(matcher.pattern === undefined ? [] : compiled(matcher.field, matcher.pattern)),
  ]
}

const sizeOf = (pattern: Pattern): number => (pattern.kind === 'linear' ? pattern.size : maxProgramSize)

const isGroupable = ({ conditions }: Watch): boolean =>
  conditions.length === 1 && conditions[0]?.path === undefined && conditions[0]?.pattern.kind === 'linear'

const groupUp = (watches: readonly Watch[]): readonly Group[] => {
  const groups: Watch[][] = []
  let size = Infinity
  for (const watch of watches) {
    const cost = watch.conditions.reduce((sum, { pattern }) => sum + sizeOf(pattern), 0)
    if (size + cost > maxProgramSize) {
      groups.push([])
      size = 0
    }
    groups.at(-1)?.push(watch)
    size += cost
  }
  return groups.map((members) => ({ united: unite(members.flatMap(({ conditions }) => conditions.map(({ pattern }) => pattern))), watches: members }))
}

const test = (pattern: Pattern, text: string, slow: (source: string, text: string) => Promise<boolean>): boolean | Promise<boolean> => {
  if (sizeOf(pattern) * text.length > budget) return true
  return pattern.kind === 'linear' ? pattern.test(text) : slow(pattern.source, text)
}

/** Compiles the matchers of one event's hooks, in their order. `slow` runs what only a backtracking engine can. */
export const planMatches = (hooks: readonly ArmedHook[], slow: (source: string, text: string) => Promise<boolean>): MatchPlan => {
  const watches = hooks.map((hook, index): Watch => ({ index, conditions: hook.entry.matcher === undefined ? [] : conditionsOf(hook.entry.matcher) }))
  const always: Hits = new Set(watches.filter(({ conditions }) => conditions.length === 0).map(({ index }) => index))
  const groups = groupUp(watches.filter(isGroupable))
  const single = watches.filter((watch) => watch.conditions.length > 0 && !isGroupable(watch))
  const base = always.size === 0 ? none : always

  const matchesAll = async (watch: Watch, payload: Payload, main: string): Promise<boolean> => {
    for (const { path, pattern } of watch.conditions) {
      if (!(await test(pattern, path === undefined ? main : subjectAt(payload, path), slow))) return false
    }
    return true
  }

  const matchSingles = async (hits: Hits, payload: Payload, main: string): Promise<Hits> => {
    const matched = await Promise.all(single.map(async (watch) => ((await matchesAll(watch, payload, main)) ? [watch.index] : [])))
    return new Set([...hits, ...matched.flat()])
  }

  return {
    match: (payload) => {
      const main = subjectOf(payload, contractOf(payload.event).search)
      let hits: Set<number> | undefined
      for (const group of groups) {
        if (test(group.united, main, slow) === false) continue
        hits ??= new Set(base)
        for (const { index, conditions } of group.watches) {
          if (conditions.every(({ pattern }) => test(pattern, main, slow) !== false)) hits.add(index)
        }
      }
      return single.length === 0 ? (hits ?? base) : matchSingles(hits ?? base, payload, main)
    },
  }
}
