import { createBoundedMap } from '../../core/model/base/bounded-map.ts'
import { createHash } from 'node:crypto'
import type { FileFacts, ListedHook } from '../../shared/gate/catalogue.ts'
import { namesOf } from './handler.ts'
import { foldTypography } from '../../core/commands/parse.ts'
import type { CommandPorts } from '../ports.ts'
import { digestOf } from './row.ts'

/** The size of the largest file that is kept for a later comparison, in bytes. */
const maxFileBytes = 32 * 1024
const maxKept = 256
/** The number of remembered pairs of an owner and a command, and of versions seen under each. */
const maxRemembered = 2000
const maxSeen = 64
/** The length of a shortened hash, in characters. */
const everChars = 16
/** The mark among those hashes that says that some were forgotten. */
const anything = '*'

const sha256Of = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

/** Keeps the files of shown hooks, by their hash, so that a later card can tell what changed. */
const createKept = (read: ShownPorts['proposedBytes']) => {
  const kept = createBoundedMap<string, Buffer>(maxKept)
  return {
    keep: (file: FileFacts): void => {
      const { sha256, bytes } = file
      if (bytes > maxFileBytes || kept.has(sha256)) return
      const content = read(file)
      if (content === undefined || sha256Of(content) !== sha256) return
      kept.set(sha256, Buffer.from(content))
    },
    bytes: ({ sha256 }: FileFacts): Buffer | undefined => kept.get(sha256),
  }
}

/**
 * The way an owner was shown a row. `asked`: as the answer to a command. `told`: in an unasked notice, which
 * they may not have read. `line`: as a line of a list, or a short card.
 */
export type Showing = 'asked' | 'told' | 'line'

/** The state of one owner's knowledge under one event and command. */
interface ShownPlace {
  /** The digests of all rows at that time. Undefined: another row was announced since. */
  readonly standing: ReadonlySet<string> | undefined
  /** The rows that they saw, by digest, the latest last. */
  readonly seen: ReadonlyMap<string, ListedHook>
  /** True when they saw only lines of lists, and no card. */
  readonly isByLines: boolean
}

/** A key for each pair of event and command that an owner can type for this row. */
const keysOf = (row: ListedHook): readonly string[] => {
  const events = new Set([row.event, ...(row.entry?.dialect === undefined ? [] : [row.entry.dialect.event])])
  const names = new Set(namesOf(row).map((name) => foldTypography(name)))
  const keyOf = (event: string, name: string): string => sha256Of(JSON.stringify([event.toLowerCase(), name]))
  return [...events].flatMap((event) => [...names].map((name) => keyOf(event, name)))
}

/** The digests of the current rows under each key. */
type ShownRows = ReadonlyMap<string, ReadonlySet<string>>
const nothing: ReadonlySet<string> = new Set()

const createStanding = () => {
  const read = new WeakMap<readonly ListedHook[], ShownRows>()
  return (rows: readonly ListedHook[]): ShownRows => {
    const before = read.get(rows)
    if (before !== undefined) return before
    const standing = new Map<string, Set<string>>()
    for (const row of rows) {
      const digest = digestOf(row)
      if (digest === undefined) continue
      for (const key of keysOf(row)) standing.set(key, (standing.get(key) ?? new Set()).add(digest))
    }
    read.set(rows, standing)
    return standing
  }
}

const isSame = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((one) => b.has(one))

type ShownPorts = Pick<CommandPorts, 'proposedBytes' | 'shownBefore' | 'rememberShown'>

/**
 * Remembers what each owner was last shown under an event and a command. A typed approval may seal exactly
 * that. A row that differs anywhere, or that was added beside it, has to be shown first.
 */
export const createShown = ({ proposedBytes, shownBefore, rememberShown }: ShownPorts) => {
  const { keep, bytes } = createKept(proposedBytes)
  /** The knowledge by owner, event and command, the latest last. */
  const known = createBoundedMap<string, ShownPlace>(maxRemembered)
  /** The shortened hashes of places where something was ever shown, also before a restart. */
  const ever = new Set(shownBefore?.split('\n'))

  const standingIn = createStanding()
  const placeOf = (owner: string, key: string): string => `${owner} ${key}`

  const rememberEver = (places: readonly string[]): void => {
    const fresh = places.map((place) => sha256Of(place).slice(0, everChars)).filter((name) => !ever.has(name))
    if (fresh.length === 0) return
    for (const name of fresh) ever.add(name)
    // A forgotten hash could be that of any place.
    if (ever.size > maxRemembered) ever.add(anything)
    for (const name of [...ever].slice(0, Math.max(0, ever.size - maxRemembered)))
      if (name !== anything) ever.delete(name)
    void rememberShown([...ever].join('\n')).catch(() => undefined)
  }
  const wasEver = (place: string): boolean =>
    ever.has(anything) || ever.has(sha256Of(place).slice(0, everChars))

  const noteAt = (
    place: string,
    now: ReadonlySet<string>,
    row: ListedHook,
    digest: string,
    how: Showing,
  ): void => {
    const before = known.get(place)
    const isByLines = before === undefined ? how === 'line' : before.isByLines && how === 'line'
    // Once a card was shown, a line of a list does not count, because it does not show what an approval would
    // bind.
    const isSeen = how === 'asked' || how === 'told' || (how === 'line' && isByLines)
    const wasSeen = before === undefined || (before.isByLines && !isByLines) ? [] : [...before.seen]
    const others = wasSeen.filter(([other]) => other !== digest || !isSeen)
    const isNew = how === 'asked' || before === undefined
    const kept = isNew ? others.filter(([other]) => now.has(other)) : others
    const seen = isSeen ? [...kept, [digest, row] as const].slice(-maxSeen) : kept
    const standing = isNew ? now : before.standing?.has(digest) === true ? before.standing : undefined
    known.set(place, { standing, seen: new Map(seen), isByLines })
  }

  /** Notes one row. Returns the places under which it was noted. */
  const note = (
    owner: string,
    row: ListedHook,
    rows: readonly ListedHook[],
    how: Showing,
  ): readonly string[] => {
    const digest = digestOf(row)
    if (digest === undefined || owner === '') return []
    const standing = standingIn(rows)
    const places = keysOf(row).map((key) => ({ key, place: placeOf(owner, key) }))
    for (const { key, place } of places) noteAt(place, standing.get(key) ?? nothing, row, digest, how)
    for (const file of row.files) keep(file)
    return places.map(({ place }) => place)
  }

  const knownOf = (
    owner: string,
    row: ListedHook,
  ): readonly { readonly key: string; readonly known: ShownPlace }[] =>
    keysOf(row).flatMap((key) => {
      const what = known.get(placeOf(owner, key))
      return what === undefined ? [] : [{ key, known: what }]
    })

  /** True when this owner has seen this row as it is now, whatever else they saw. */
  const has = (owner: string, row: ListedHook): boolean => {
    const digest = digestOf(row)
    return digest !== undefined && knownOf(owner, row).some(({ known: { seen } }) => seen.has(digest))
  }

  return {
    /** Notes that this owner is shown these rows. `rows`: the current list. */
    note: (owner: string, shown: readonly ListedHook[], rows: readonly ListedHook[], how: Showing): void => {
      rememberEver(shown.flatMap((row) => note(owner, row, rows, how)))
    },
    has,
    /** True when this owner was shown anything in its place since hookgate started. */
    isKnown: (owner: string, row: ListedHook): boolean => knownOf(owner, row).length > 0,
    /**
     * Tells what this owner was shown: nothing (`never`), exactly this and its neighbours (`this`), or
     * something else. The content shown before a restart is no longer known, so it counts as something else.
     */
    stateOf: (owner: string, row: ListedHook, rows: readonly ListedHook[]): 'never' | 'this' | 'other' => {
      const digest = digestOf(row) ?? ''
      const places = knownOf(owner, row)
      if (places.length === 0)
        return keysOf(row).some((key) => wasEver(placeOf(owner, key))) ? 'other' : 'never'
      const now = standingIn(rows)
      const isThis = places.every(
        ({ key, known: { standing, seen } }) =>
          standing !== undefined && seen.has(digest) && isSame(standing, now.get(key) ?? nothing),
      )
      return isThis ? 'this' : 'other'
    },
    /** The version that this owner saw last and that is gone. One of the same file takes precedence. */
    lastSeen: (owner: string, row: ListedHook, rows: readonly ListedHook[]): ListedHook | undefined => {
      const standing = new Set(rows.map(digestOf))
      const seen = knownOf(owner, row).flatMap((place) => [...place.known.seen.values()])
      const gone = seen.filter((other) => !standing.has(digestOf(other)))
      return gone.findLast(({ entry }) => entry?.origin === row.entry?.origin) ?? gone.at(-1)
    },
    /** The bytes of a file that somebody was shown. Undefined when they are not kept. */
    bytes,
  }
}

export type Shown = ReturnType<typeof createShown>
