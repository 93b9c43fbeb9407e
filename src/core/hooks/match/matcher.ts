import type { ArmedHook, Entry, Matcher } from '../../model/hooks/entry.ts'
import { contractOf } from '../../model/events/event.ts'
import type { Payload } from '../../model/events/payload.ts'
import {
  compilePattern,
  maxProgramSize,
  searchAll,
  type BacktrackingPattern,
  type BacktrackingTest,
  type LinearPattern,
  type Pattern,
} from '../../model/base/pattern.ts'
import { createScreen } from './screen.ts'
import { subjectAt, subjectOf } from './subject.ts'
import { wordsOf } from './words.ts'

/**
 * The cost limit of one search, in instructions times characters, about 50 ms. A more expensive search counts
 * as a match.
 */
const budget = 2_500_000

type Hits = ReadonlySet<number>
const none: Hits = new Set()

interface Search<P extends Pattern = Pattern> {
  /** Undefined: the event's search fields. */
  readonly path: string | undefined
  readonly pattern: P
}

/** The position of a hook in the order, and everything that must match before it is asked. */
interface CompiledMatcher {
  readonly index: number
  readonly entry: Entry
  readonly linear: readonly Search<LinearPattern>[]
  readonly slow: readonly Search<BacktrackingPattern>[]
  readonly condition?: Condition | undefined
}

/**
 * Translates a payload into the names of the entry's own system. Undefined when the event would not have
 * fired there. An entry without a dialect gets the payload unchanged.
 */
export type MatcherView = (entry: Entry, payload: Payload) => Payload | undefined

/** True when the hook has to be asked about a payload, in the names of the hook's own system. */
export type Condition = (payload: Payload) => boolean

/** Compiles the condition of a hook. Undefined: it has none. What cannot be decided has to count as held. */
export type ConditionOf = (hook: Pick<ArmedHook, 'entry' | 'workspace'>) => Condition | undefined

/** Patterns that are searched for together in one text. */
interface Group {
  readonly size: number
  readonly members: readonly { readonly index: number; readonly pattern: LinearPattern }[]
  readonly search: (text: string) => readonly number[]
}

/** Finds the hooks of an event that match a payload, as their positions in the order. */
export interface MatchPlan {
  /** Synchronous unless a pattern needs the backtracking engine. */
  match(payload: Payload): Hits | Promise<Hits>
}

const patternsOf = (matcher: Matcher): readonly Search[] => {
  const compiled = (path: string | undefined, source: string | undefined): readonly Search[] => {
    if (source === undefined) return []
    const pattern = compilePattern(source)
    // A pattern was checked when its entry was read. A pattern that no longer compiles must not silence its
    // hook.
    return 'wrong' in pattern ? [] : [{ path, pattern }]
  }
  return [...compiled('tool_name', matcher.tool), ...compiled(matcher.field, matcher.pattern)]
}

const compiledMatcherOf = (hook: ArmedHook, index: number, conditionOf: ConditionOf): CompiledMatcher => {
  const { entry } = hook
  const searches = entry.matcher === undefined ? [] : patternsOf(entry.matcher)
  return {
    index,
    entry,
    condition: conditionOf(hook),
    linear: searches.flatMap(({ path, pattern }) => (pattern.kind === 'linear' ? [{ path, pattern }] : [])),
    slow: searches.flatMap(({ path, pattern }) =>
      pattern.kind === 'backtracking' ? [{ path, pattern }] : [],
    ),
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

const isFound = (pattern: LinearPattern, text: string): boolean =>
  pattern.size * text.length > budget || pattern.test(text)

const foundIn = ({ size, members, search }: Group, text: string): Group['members'] =>
  size * text.length > budget
    ? members.filter(({ pattern }) => isFound(pattern, text))
    : search(text).flatMap((place) => members[place] ?? [])

/** Searches for the patterns of all groups. A group is skipped when none of its words is in the text. */
const searchGroups = (members: Group['members']): ((text: string) => readonly Group['members'][number][]) => {
  const read = members.map((member) => ({ member, words: wordsOf(member.pattern.source) }))
  const words = new Map(read.flatMap((one) => (one.words === undefined ? [] : [[one.member, one.words]])))
  const always = groupUp(members.filter((member) => !words.has(member)))
  const screened = groupUp(members.filter((member) => words.has(member)))
  const screen = createScreen(
    screened.map((group) => group.members.flatMap((member) => words.get(member) ?? [])),
  )
  return (text) => {
    const open = screen(text)
    return (
      open.size === 0 ? always : [...always, ...screened.filter((_, place) => open.has(place))]
    ).flatMap((group) => foundIn(group, text))
  }
}

/** The agent under whose name the gate fires events about what it says itself. */
const ownAgent = 'hookgate'

/** The node on which an agent runs. Undefined: it runs on the machine of the gate. */
export type NodeOfAgent = (agentId: string) => string | undefined

/** True when the hook is for the agent of the payload. */
const isForAgent = ({ agents, node, nodes }: Entry, { agent_id }: Payload, nodeOf: NodeOfAgent): boolean =>
  (agents === undefined || agent_id === ownAgent || agents.includes(agent_id)) &&
  (node === undefined || nodes === 'all' || node === nodeOf(agent_id))

/** Hooks of the same dialect, event and agents, which share one view of a payload. */
interface HookGroup {
  readonly entry: Entry
  readonly always: number[]
  /** Hooks with a single linear search, grouped by the path of the searched text. */
  readonly grouped: Map<string | undefined, Group['members'][number][]>
  readonly single: CompiledMatcher[]
}

const hookGroupsOf = (hooks: readonly ArmedHook[], conditionOf: ConditionOf): readonly HookGroup[] => {
  const hookGroups = new Map<string, HookGroup>()
  for (const watch of hooks.map((hook, index) => compiledMatcherOf(hook, index, conditionOf))) {
    const { dialect, agents, node, nodes } = watch.entry
    const key = JSON.stringify([dialect?.name, dialect?.event, agents, node, nodes])
    const hookGroup = hookGroups.get(key) ?? {
      entry: watch.entry,
      always: [],
      grouped: new Map<string | undefined, Group['members'][number][]>(),
      single: [],
    }
    hookGroups.set(key, hookGroup)
    const [first, ...others] = watch.linear
    if (watch.slow.length > 0 || others.length > 0 || watch.condition !== undefined)
      hookGroup.single.push(watch)
    else if (first === undefined) hookGroup.always.push(watch.index)
    else
      hookGroup.grouped.set(first.path, [
        ...(hookGroup.grouped.get(first.path) ?? []),
        { index: watch.index, pattern: first.pattern },
      ])
  }
  return [...hookGroups.values()]
}

export interface MatchPorts {
  /** Runs patterns that need a backtracking engine. */
  readonly searchSlowly: BacktrackingTest
  readonly view: MatcherView
  /** Absent: there are no nodes. */
  readonly nodeOf?: NodeOfAgent | undefined
  readonly conditionOf: ConditionOf
}

/** Compiles the matchers of one event's hooks, in their order. */
export const planMatches = (
  hooks: readonly ArmedHook[],
  { searchSlowly, view: viewOf, nodeOf = () => undefined, conditionOf }: MatchPorts,
): MatchPlan => {
  if (hooks.length === 0) return { match: () => none }
  const hookGroups = hookGroupsOf(hooks, conditionOf).map((hookGroup) => ({
    ...hookGroup,
    searches: [...hookGroup.grouped].map(([path, members]) => ({ path, search: searchGroups(members) })),
  }))

  /** `open`: what a backtracking engine searches. It may add to the hits until then. */
  const matchIn = (
    { always, searches, single }: (typeof hookGroups)[number],
    payload: Payload,
    hits: Set<number>,
    open: Promise<void>[],
  ): void => {
    const texts = new Map<string | undefined, string>()
    const textOf = (path: string | undefined): string => {
      const text =
        texts.get(path) ??
        (path === undefined ? subjectOf(payload, contractOf(payload.event).search) : subjectAt(payload, path))
      texts.set(path, text)
      return text
    }
    for (const index of always) hits.add(index)
    for (const { path, search } of searches) for (const { index } of search(textOf(path))) hits.add(index)
    for (const { index, linear, condition, slow: unbounded } of single) {
      const isOpen =
        linear.every(({ path, pattern }) => isFound(pattern, textOf(path))) &&
        (condition === undefined || condition(payload))
      if (!isOpen) continue
      if (unbounded.length === 0) hits.add(index)
      else
        open.push(
          Promise.all(unbounded.map(({ path, pattern }) => searchSlowly(pattern, textOf(path)))).then(
            (found) => {
              if (found.every(Boolean)) hits.add(index)
            },
          ),
        )
    }
  }

  return {
    match: (payload) => {
      const hits = new Set<number>()
      const open: Promise<void>[] = []
      for (const hookGroup of hookGroups) {
        const { entry } = hookGroup
        const view = isForAgent(entry, payload, nodeOf) ? viewOf(entry, payload) : undefined
        if (view !== undefined) matchIn(hookGroup, view, hits, open)
      }
      return open.length === 0 ? hits : Promise.all(open).then(() => hits)
    },
  }
}
