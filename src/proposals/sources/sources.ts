import { normalize } from 'node:path'
import { canonicalEntry } from '../../core/model/approval/canonical.ts'
import type { ProposedHook } from '../../shared/gate/catalogue.ts'
import { readAgentHooks } from './foreign/agent-hooks.ts'
import { readClaudePlugin } from './foreign/claude-plugin.ts'
import { readClaudeSettings, readerOf } from './foreign/claude-settings.ts'
import { readCopilot } from './foreign/copilot.ts'
import { readCursor } from './foreign/cursor.ts'
import { readDockerAgent } from './foreign/docker-agent.ts'
import type { SourceFiles } from './foreign/files.ts'
import { readKimi } from './foreign/kimi.ts'
import type { ForeignPorts, ReadForeign } from './foreign/foreign.ts'
import { maxHooks, readShellHooks, type ForeignSource, type ShellHooks } from './shell-hooks.ts'
import { unreadable, type Source } from './source.ts'
import { shellHooksFile, type System } from './systems.ts'
import type { createTargets } from './targets.ts'

export { shellHooksFile }

/**
 * The most characters of all sources together. The gate does nothing else while it reads them. The worst case
 * of this size takes a few seconds.
 */
const maxTotalChars = 2 * 1024 * 1024

interface SourcePorts extends ForeignPorts, SourceFiles {
  /**
   * The folder of the user's own Agent Hooks, as an absolute path. It is read before those of the workspace.
   */
  readonly userHooks: string
  /** The home of the person who started hookgate. `~` stands for it. */
  readonly person: string
  /** Checks the target of a proposal: a URL, a builtin's event, or variables. */
  readonly targets?: ReturnType<typeof createTargets>
  /** Called when a DNS lookup changed the list of proposals. */
  changed?(): void
  /** The last readable contents from an earlier reader. */
  readonly readable?: Readable
  /** A clock in milliseconds from any starting point, for tests. */
  clock?(): number
}

/** The last readable contents of each source. They are used while the file cannot be read. */
export interface Readable {
  readonly own: ShellHooks
  /** The key is the system and the path. */
  readonly foreign: ReadonlyMap<string, readonly ProposedHook[]>
}

/**
 * A reading that took longer than this is followed by a pause of nine times its length, so that the author of
 * the files cannot block the gate.
 */
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

/** The result of reading one path, with the stamps that show when it is out of date. */
interface SourceMemory {
  readonly source: Source
  /** The proposals of the last successful reading. */
  readonly lastReadable: readonly ProposedHook[]
  readonly stamps: ReadonlyMap<string, string>
  readonly chars: number
  /** A part was left out, because the sources before it used up the limit. */
  readonly isCut: boolean
}

/** Leaves out an entry that an approval could not tell from an earlier one. */
const distinct = (proposed: readonly ProposedHook[]): readonly ProposedHook[] => {
  const seen = new Set<string>()
  return proposed.filter((place) => {
    if (place.kind === 'invalid') return true
    const before = seen.size
    return seen.add(canonicalEntry(place.entry)).size > before
  })
}

const limited = (proposed: readonly ProposedHook[]): readonly ProposedHook[] => {
  const rest = proposed.length - maxHooks
  if (rest <= 0) return proposed
  const message = `Expected at most ${maxHooks} hooks from all files together, got ${proposed.length}. The last ${rest} are not listed.`
  return [
    ...proposed.slice(0, maxHooks),
    {
      kind: 'invalid',
      event: 'sources',
      command: `(${rest} more)`,
      problem: { code: 'source.total', message, fix: 'Propose fewer hooks. Approved hooks stay in force.' },
    },
  ]
}

/**
 * The name of an Agent Hook. By the specification, a project's hook replaces the user's hook of the same
 * name. Here both run, and a remark says so.
 */
const nameOf = (place: ProposedHook): string | undefined =>
  place.kind === 'entry' && place.entry.dialect?.name === 'agent-hooks' ? place.entry.name : undefined

const withDuplicateRemarks = (sources: readonly (readonly ProposedHook[])[]): readonly ProposedHook[] => {
  const origins = new Map<string, string>()
  return sources.flatMap((proposed) => {
    const earlier = new Map(origins)
    return proposed.map((place): ProposedHook => {
      const name = nameOf(place)
      if (place.kind === 'invalid' || name === undefined) return place
      if (!origins.has(name)) origins.set(name, place.entry.origin)
      const other = earlier.get(name)
      return other === undefined
        ? place
        : { ...place, remarks: [...(place.remarks ?? []), `${other} has a hook of the same name. Both run.`] }
    })
  })
}

const proposedOf = (
  { system, place }: ForeignSource,
  { source: { problem }, lastReadable }: SourceMemory,
): readonly ProposedHook[] =>
  problem === undefined
    ? lastReadable
    : [{ kind: 'invalid', event: system, command: place, problem }, ...lastReadable]

/**
 * Reads the proposals of the workspace and of the user's own folder again on demand. When a file cannot be
 * read, its last readable proposals stay listed with a problem.
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

  const hasChanged = ({ stamps }: SourceMemory): boolean =>
    [...stamps].some(([place, stamp]) => ports.stamp(place) !== stamp)

  /** Reads one path, unless it was read before and none of its files changed. */
  const read = (
    key: string,
    { isFresh, leftChars }: { readonly isFresh: boolean; readonly leftChars: number },
    reader: (watched: ForeignPorts) => Source,
  ): SourceMemory => {
    const known = memories.get(key)
    if (known !== undefined && !isFresh && !known.isCut && known.chars <= leftChars && !hasChanged(known))
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
    /** The stamp is taken before the reading, so that a change in between is noticed. */
    const noted =
      <T>(look: (place: string) => T) =>
      (place: string): T => {
        if (!stamps.has(place)) stamps.set(place, ports.stamp(place))
        return look(place)
      }
    const found = reader({
      dialects: ports.dialects,
      read: noted(readLimited),
      list: noted(ports.list),
      isExecutable: noted(ports.isExecutable),
    })
    const memory = {
      source: found,
      lastReadable:
        found.problem === undefined
          ? found.proposed
          : (known?.lastReadable ?? ports.readable?.foreign.get(key) ?? []),
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
        // Few users have this folder. A missing one is no fault, and a new one is noticed.
        if (isOptional && 'why' in watched.list(place) && ports.stamp(place) === '') return { proposed: [] }
        return readers[one.system](place, watched)
      })
      leftChars -= memory.chars
      return proposedOf(one, memory)
    })
    source = {
      proposed: limited(distinct([...own.proposed, ...withDuplicateRemarks(foreign)])),
      problem,
    }
    judge()
    void ports.targets?.lookUp(source.proposed).then((isNew) => {
      if (!isNew) return
      judge()
      ports.changed?.()
    })
  }

  /**
   * Reads the sources, unless the pause after a long reading is still running. A later call then finds the
   * changes.
   */
  const loadInTime = (isFresh: boolean): boolean => {
    const beganMs = clock()
    if (beganMs < notBeforeMs) return false
    load(isFresh)
    const tookMs = clock() - beganMs
    notBeforeMs = tookMs > longMs ? clock() + 9 * tookMs : -Infinity
    return true
  }

  const isCurrent = (): boolean => ![...memories.values()].some(hasChanged)

  loadInTime(true)
  return {
    get: (): Source => judged,
    readable: (): Readable => ({
      own,
      foreign: new Map([...memories].map(([key, { lastReadable }]) => [key, lastReadable])),
    }),
    /** Every path that was looked at, relative to the workspace or absolute. */
    places: (): readonly string[] => [...memories.values()].flatMap(({ stamps }) => [...stamps.keys()]),
    /** False while a change has not been read, because the last reading took long. */
    isCurrent,
    reload: (): void => void loadInTime(true),
    /**
     * Reads changed sources again. It compares stamps from stat only, which is cheap enough for once a
     * second. True when something changed.
     */
    reloadIfMoved: (): boolean => {
      return !isCurrent() && loadInTime(false)
    },
  }
}
