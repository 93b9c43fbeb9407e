import { normalize } from 'node:path'
import type { Entry, ProposedHook } from '../../model/hooks/entry.ts'
import { isObject } from '../../model/base/json.ts'
import { readAgentHooks } from './foreign/agent-hooks.ts'
import { readClaudePlugin } from './foreign/claude-plugin.ts'
import { readClaudeSettings, readerOf } from './foreign/claude-settings.ts'
import { readCopilot } from './foreign/copilot.ts'
import { readCursor } from './foreign/cursor.ts'
import { readDockerAgent } from './foreign/docker-agent.ts'
import type { SourceFiles } from './foreign/files.ts'
import { readKimi } from './foreign/kimi.ts'
import { shellHooksFile } from './place.ts'
import type { ForeignPorts, ReadForeign } from './foreign/foreign.ts'
import { maxHooks, readShellHooks, type ForeignSource, type ShellHooks } from './shell-hooks.ts'
import { unreadable, type Source } from './source.ts'
import type { System } from './systems.ts'
import type { createTargets } from './targets.ts'

export { shellHooksFile }

/** Of all sources together: what the gate reads at once, it does nothing else beside. A few seconds for the worst of this size. */
const maxTotalChars = 2 * 1024 * 1024

export interface SourcePorts extends ForeignPorts, SourceFiles {
  /** The folder of the user's own Agent Hooks, absolute. Read before any that a workspace has. */
  readonly userHooks: string
  /** The home of the person who started hookgate, which `~` means. */
  readonly person: string
  /** Judges what a proposal aims at: an address, a builtin's event. */
  readonly targets?: ReturnType<typeof createTargets>
  /** What was found out about names makes the list another one. */
  changed?(): void
  /** What an earlier reader could read. */
  readonly readable?: Readable
  /** In milliseconds, from any beginning; for tests. */
  clock?(): number
}

/** What could be read last of each source: what a file says that can be read no more. */
export interface Readable {
  readonly own: ShellHooks
  /** By system and place. */
  readonly foreign: ReadonlyMap<string, readonly ProposedHook[]>
}

/** A reading that took longer than this is followed by a pause, nine times as long: whoever writes the files must not hold the gate. */
const longMs = 200

const readers: Readonly<Record<System, ReadForeign>> = {
  'docker-agent': readDockerAgent,
  'claude-code': readClaudeSettings,
  'claude-plugin': readClaudePlugin,
  'agent-hooks': readAgentHooks,
  copilot: readCopilot,
  codex: readerOf({ dialect: 'codex', isSearched: true }),
  gemini: readerOf({ dialect: 'gemini', isSearched: true, isInMs: true }),
  cursor: readCursor,
  kimi: readKimi,
  factory: readerOf({ dialect: 'factory' }),
}

/** What was read of one place, and when that is out of date. */
interface SourceMemory {
  readonly source: Source
  /** What it proposed when it could last be read. */
  readonly good: readonly ProposedHook[]
  readonly stamps: ReadonlyMap<string, string>
  readonly chars: number
  /** Something of it was left out, since the sources before it are so large. */
  readonly isCut: boolean
}

/** Equal for entries that an approval cannot tell apart: its name is for people only. */
const identity = (entry: Entry): string =>
  JSON.stringify(entry, (key, value: unknown) => {
    if (key === 'name') return undefined
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value
  })

const distinct = (proposed: readonly ProposedHook[]): readonly ProposedHook[] => {
  const seen = new Set<string>()
  return proposed.filter((place) => {
    if (place.kind === 'invalid') return true
    const key = identity(place.entry)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

const limited = (proposed: readonly ProposedHook[]): readonly ProposedHook[] => {
  const rest = proposed.length - maxHooks
  if (rest <= 0) return proposed
  const message = `Expected at most ${maxHooks} hooks from all files together, got ${proposed.length}; the last ${rest} are not listed.`
  return [
    ...proposed.slice(0, maxHooks),
    {
      kind: 'invalid',
      event: 'sources',
      command: `(${rest} more)`,
      problem: { code: 'source.total', message, fix: 'Propose fewer; what was approved stays in force.' },
    },
  ]
}

/** Agent Hooks have names, by which a project's would take the place of the user's own. Here both run, and it is said. */
const nameOf = (place: ProposedHook): string | undefined =>
  place.kind === 'entry' && place.entry.dialect?.name === 'agent-hooks' ? place.entry.name : undefined

const withTwinsTold = (sources: readonly (readonly ProposedHook[])[]): readonly ProposedHook[] => {
  const origins = new Map<string, string>()
  return sources.flatMap((proposed) => {
    const told = proposed.map((place): ProposedHook => {
      const other = origins.get(nameOf(place) ?? '')
      if (place.kind === 'invalid' || other === undefined) return place
      return {
        ...place,
        remarks: [...(place.remarks ?? []), `A hook of the same name stands in ${other}; both run.`],
      }
    })
    for (const place of proposed) {
      const name = nameOf(place)
      if (place.kind === 'entry' && name !== undefined && !origins.has(name))
        origins.set(name, place.entry.origin)
    }
    return told
  })
}

/**
 * What the workspace and the user's own folder propose, read again on demand. A file that cannot be read keeps what
 * was read of it last, and says so.
 */
export const createSources = (ports: SourcePorts) => {
  const memories = new Map<string, SourceMemory>()
  let own: ShellHooks = ports.readable?.own ?? { proposed: [] }
  let source: Source = { proposed: [] }
  let judged: Source = source
  const placeOf = (place: string): string =>
    normalize(place.replace(/^~(?=\/|$)/, () => ports.person)).replace(/(?<=.)\/+$/, '')
  const clock = ports.clock ?? ((): number => performance.now())
  let notBeforeMs = -Infinity

  const isMoved = ({ stamps }: SourceMemory): boolean =>
    [...stamps].some(([place, stamp]) => ports.stamp(place) !== stamp)

  /** Reads one place, unless it is known and nothing that was read for it has moved. */
  const read = (
    key: string,
    { isFresh, leftChars }: { readonly isFresh: boolean; readonly leftChars: number },
    reader: (watched: ForeignPorts) => Source,
  ): SourceMemory => {
    const known = memories.get(key)
    if (known !== undefined && !isFresh && !known.isCut && known.chars <= leftChars && !isMoved(known))
      return known
    let chars = 0
    let isCut = false
    const readLimited: ForeignPorts['read'] = (place) => {
      const file = ports.read(place)
      if ('why' in file) return file
      isCut ||= chars + file.text.length > leftChars
      if (chars + file.text.length > leftChars)
        return { why: `too large: all sources together may have ${maxTotalChars} characters` }
      chars += file.text.length
      return file
    }
    const stamps = new Map<string, string>()
    /** The stamp is older than what is read, so that a change in between is seen. */
    const noted =
      <T>(look: (place: string) => T) =>
      (place: string): T => {
        if (!stamps.has(place)) stamps.set(place, ports.stamp(place))
        return look(place)
      }
    const { events, timeouts, shells } = ports
    const found = reader({
      events,
      timeouts,
      shells,
      read: noted(readLimited),
      list: noted(ports.list),
      isExecutable: noted(ports.isExecutable),
    })
    const memory = {
      source: found,
      good:
        found.problem === undefined
          ? found.proposed
          : (known?.good ?? ports.readable?.foreign.get(key) ?? []),
      stamps,
      chars,
      isCut,
    }
    memories.set(key, memory)
    return memory
  }

  const readOwn = (watched: ForeignPorts): ShellHooks => {
    const file = watched.read(shellHooksFile)
    if ('text' in file) return readShellHooks(file.text, shellHooksFile, ports)
    return file.why === 'missing' ? { proposed: [] } : unreadable(shellHooksFile, file.why)
  }

  const proposedOf = (
    { system, place }: ForeignSource,
    { source: { problem }, good }: SourceMemory,
  ): readonly ProposedHook[] =>
    problem === undefined ? good : [{ kind: 'invalid', event: system, command: place, problem }, ...good]

  const judge = (): void => {
    const { targets } = ports
    judged = targets === undefined ? source : { ...source, proposed: source.proposed.map(targets.judge) }
  }

  const load = (isFresh: boolean): void => {
    const {
      source: { problem },
    } = read('', { isFresh, leftChars: maxTotalChars }, (watched) => {
      const next = readOwn(watched)
      if (next.problem === undefined) own = next
      return next
    })
    const wanted = own.sources ?? []
    const userHooks = wanted.some(({ system }) => system === 'agent-hooks')
      ? [{ system: 'agent-hooks' as const, place: ports.userHooks }]
      : []
    const all = new Map([...userHooks, ...wanted].map((one) => [`${one.system} ${placeOf(one.place)}`, one]))
    for (const key of memories.keys()) if (key !== '' && !all.has(key)) memories.delete(key)
    let leftChars = maxTotalChars
    const foreign = [...all].map(([key, one]) => {
      const place = placeOf(one.place)
      const isOptional = one === userHooks[0]
      const memory = read(key, { isFresh, leftChars }, (watched) => {
        // Few users have one; that it is missing is no fault, and that it comes is seen.
        if (isOptional && 'why' in watched.list(place) && ports.stamp(place) === '') return { proposed: [] }
        return readers[one.system](place, watched)
      })
      leftChars -= memory.chars
      return proposedOf(one, memory)
    })
    source = {
      proposed: limited(distinct([...own.proposed, ...withTwinsTold(foreign)])),
      ...(problem === undefined ? {} : { problem }),
    }
    judge()
    void ports.targets?.lookUp(source.proposed).then((isNew) => {
      if (!isNew) return
      judge()
      ports.changed?.()
    })
  }

  /** Reads unless it is too early for that: then what has moved is seen by the next look. */
  const loadInTime = (isFresh: boolean): boolean => {
    const beganMs = clock()
    if (beganMs < notBeforeMs) return false
    load(isFresh)
    const tookMs = clock() - beganMs
    notBeforeMs = tookMs > longMs ? clock() + 9 * tookMs : -Infinity
    return true
  }

  loadInTime(true)
  return {
    get: (): Source => judged,
    readable: (): Readable => ({
      own,
      foreign: new Map([...memories].map(([key, { good }]) => [key, good])),
    }),
    /** Every place that was looked at for it, relative to the workspace or absolute. */
    places: (): readonly string[] => [...memories.values()].flatMap(({ stamps }) => [...stamps.keys()]),
    reload: (): void => void loadInTime(true),
    /** Reads again what has moved, by stat alone; cheap enough for once a second. True when something had. */
    reloadIfMoved: (): boolean => {
      const hasMoved = [...memories.values()].some(isMoved)
      return hasMoved && loadInTime(false)
    },
  }
}
