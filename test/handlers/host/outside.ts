import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A process as these tests see it, with the numbers that it has in its own PID namespace. */
interface Seen {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly ownGroup: number
  readonly namespace: string
  /** In ticks since the machine started. */
  readonly bornAt: number
}

const seen = (pid: string): readonly Seen[] => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const numbers = (name: string): readonly number[] =>
      new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.split(/\s+/).map(Number) ?? []
    if (/^State:\s*Z/m.test(status)) return []
    const bornAt = Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19])
    const groups = numbers('NSpgid')
    return [
      {
        pid: Number(pid),
        parent: numbers('PPid')[0] ?? 0,
        group: groups[0] ?? 0,
        ownGroup: groups.at(-1) ?? 0,
        namespace: readlinkSync(`/proc/${pid}/ns/pid`),
        bornAt,
      },
    ]
  } catch {
    // It ended meanwhile, or is another user's.
    return []
  }
}

/** The namespaces that a hook host of these tests made, also when it is gone. */
const namespaces = new Set<string>()

const look = (): readonly Seen[] => {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(seen)
  const own = all.find(({ pid }) => pid === process.pid)?.namespace
  const family = new Set([process.pid])
  // A child has not always the higher number.
  for (let size = 0; size < family.size;) {
    size = family.size
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid)
  }
  for (const { pid, namespace } of all) if (family.has(pid) && namespace !== own) namespaces.add(namespace)
  return all
}

/** To be called while a hook host lives, when its hooks are looked for only after its end. */
export const noteNamespaces = (): void => {
  if (process.platform === 'linux') look()
}

/** A group that nobody is in. */
const nobody = Number.NaN

/**
 * The process group here of the one that says, from inside a hook host or beside it, that its number is
 * `group`.
 * Nobody's when it is gone already: numbers inside mean others here.
 */
export const outside = (group: number): number => {
  // 0 is the group of the host itself there.
  if (!(group > 1)) return nobody
  if (process.platform !== 'linux') return group
  const all = look()
  const here = all.find(({ pid }) => pid === process.pid)
  const isIt = (one: Seen): boolean =>
    one.ownGroup === group &&
    (namespaces.has(one.namespace) || (one.namespace === here?.namespace && one.bornAt >= here.bornAt))
  return all.find(isIt)?.group ?? nobody
}
