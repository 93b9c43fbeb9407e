import type { ArmedHook, Matcher } from '../model/entry.ts'
import { contractOf } from '../model/event.ts'
import type { Payload } from '../model/payload.ts'
import { compilePattern, maxProgramSize, searchAll, type BacktrackingPattern, type LinearPattern, type Pattern } from './pattern.ts'
import { createScreen } from './screen.ts'
import { subjectAt, subjectOf } from './subject.ts'
import { wordsOf } from './words.ts'

/** Instructions times characters that one search may cost, about 50 ms. What costs more counts as a match. */
const budget = 2_500_000

type Hits = ReadonlySet<number>
const none: Hits = new Set()
type Slow = (pattern: BacktrackingPattern, text: string) => Promise<boolean>

interface Condition<P extends Pattern = Pattern> {
  /** undefined: the event's search fields. */
  readonly path: string | undefined
  readonly pattern: P
}

/** A hook's place in the order, and all that must match for it to be asked. */
interface Watch {
  readonly index: number
  readonly linear: readonly Condition<LinearPattern>[]
  readonly slow: readonly Condition<BacktrackingPattern>[]
}

/** Patterns that are searched for together, in an event's search fields. */
interface Group {
  readonly size: number
  readonly members: readonly { readonly index: number; readonly pattern: LinearPattern }[]
  readonly search: (text: string) => readonly number[]
}

/** Which of an event's hooks match a payload, by their place in the order. */
export interface MatchPlan {
  /** Synchronous unless a pattern needs the backtracking engine. */
  match(payload: Payload): Hits | Promise<Hits>
}

const conditionsOf = (matcher: Matcher): readonly Condition[] => {
  const compiled = (path: string | undefined, source: string | undefined): readonly Condition[] => {
    if (source === undefined) return []
    const pattern = compilePattern(source)
    // A pattern was checked when its entry was read; one that no longer compiles must not silence its hook.
    return 'wrong' in pattern ? [] : [{ path, pattern }]
  }
  return [...compiled('tool_name', matcher.tool), ...compiled(matcher.field, matcher.pattern)]
}

const watchOf = ({ entry }: ArmedHook, index: number): Watch => {
  const conditions = entry.matcher === undefined ? [] : conditionsOf(entry.matcher)
  return {
    index,
    linear: conditions.flatMap(({ path, pattern }) => (pattern.kind === 'linear' ? [{ path, pattern }] : [])),
    slow: conditions.flatMap(({ path, pattern }) => (pattern.kind === 'backtracking' ? [{ path, pattern }] : [])),
  }
}

const groupUp = (members: Group['members']): readonly Group[] => {
  const groups: { size: number; members: Group['members'][number][] }[] = []
  for (const member of members) {
    const last = groups.at(-1)
    if (last !== undefined && last.size + member.pattern.size <= maxProgramSize) {
      last.members.push(member)
      last.size += member.pattern.size
    } else groups.push({ size: member.pattern.size, members: [member] })
  }
  return groups.map((group) => ({ ...group, search: searchAll(group.members.map(({ pattern }) => pattern)) }))
}

const isFound = (pattern: LinearPattern, text: string): boolean => pattern.size * text.length > budget || pattern.test(text)

const foundIn = ({ size, members, search }: Group, text: string): Group['members'] =>
  size * text.length > budget
    ? members.filter(({ pattern }) => isFound(pattern, text))
    : search(text).flatMap((place) => members[place] ?? [])

/** Searches for the patterns of all groups; a group without a word of its own in the text is passed over. */
const searchGroups = (members: Group['members']): ((text: string) => readonly Group['members'][number][]) => {
  const read = members.map((member) => ({ member, words: wordsOf(member.pattern.source) }))
  const words = new Map(read.flatMap((one) => (one.words === undefined ? [] : [[one.member, one.words]])))
  const always = groupUp(members.filter((member) => !words.has(member)))
  const screened = groupUp(members.filter((member) => words.has(member)))
  const screen = createScreen(screened.map((group) => group.members.flatMap((member) => words.get(member) ?? [])))
  return (text) => {
    const open = screen(text)
    return (open.size === 0 ? always : [...always, ...screened.filter((_, place) => open.has(place))]).flatMap((group) => foundIn(group, text))
  }
}

/** Compiles the matchers of one event's hooks, in their order. `slow` runs what only a backtracking engine can. */
export const planMatches = (hooks: readonly ArmedHook[], slow: Slow): MatchPlan => {
  if (hooks.length === 0) return { match: () => none }
  const grouped: Group['members'][number][] = []
  const always: number[] = []
  const single: Watch[] = []
  for (const watch of hooks.map(watchOf)) {
    const [first, ...others] = watch.linear
    if (watch.slow.length > 0 || others.length > 0 || first?.path !== undefined) single.push(watch)
    else if (first === undefined) always.push(watch.index)
    else grouped.push({ index: watch.index, pattern: first.pattern })
  }
  const search = searchGroups(grouped)

  return {
    match: (payload) => {
      const main = subjectOf(payload, contractOf(payload.event).search)
      const textOf = ({ path }: Condition): string => (path === undefined ? main : subjectAt(payload, path))
      const hits = new Set(always)
      for (const { index } of search(main)) hits.add(index)
      const open = single.filter(({ linear }) => linear.every((condition) => isFound(condition.pattern, textOf(condition))))
      const undecided = open.flatMap(({ index, slow: conditions }) => {
        if (conditions.length > 0) return [{ index, tests: conditions.map((condition) => slow(condition.pattern, textOf(condition))) }]
        hits.add(index)
        return []
      })
      if (undecided.length === 0) return hits
      return Promise.all(undecided.map(async ({ index, tests }) => {
        if ((await Promise.all(tests)).every(Boolean)) hits.add(index)
      })).then(() => hits)
    },
  }
}
