import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/**
 * The state of the gate, as the gate itself reports it. A forgery tries to change it. It is compared as JSON.
 */
export type GateFacts = Readonly<Record<string, unknown>> & {
  readonly lockdown?: string
  /** True when a messenger has a pinned checkpoint of the ledger. */
  readonly isAnchored?: boolean
}

/** The state that must not change, seen from the side of the gate. */
export interface Facts {
  readonly gate: GateFacts
  /** Maps each path in the gate's folder to mode, owner and SHA-256 of its content. */
  readonly files: ReadonlyMap<string, string>
  /** The state that a restart changes too. */
  readonly passing: {
    readonly gate: string
    readonly hookHost: string
    readonly sockets: string
    readonly debugger: string
  }
}

/**
 * Matches paths that change by themselves or with every event: files of hooks and agents, messages, records,
 * the history and running processes.
 */
const changesByItself =
  /^(hooks\/(home|tmp)\/.*|agents\/.*|secrets\/(login|wechat\.json(\.new)?)|(state|history)\.db.*|run\/gate\.lock|run\/hooks(\/.*)?|run\/[^/]+\.sock)$/
const maxFiles = 20_000

/** Returns a function that reads the state of a folder. A file is hashed again only when its stat changed. */
export const createFolderFacts = (home: string): (() => ReadonlyMap<string, string>) => {
  const known = new Map<string, { readonly stat: string; readonly fact: string }>()
  const factOf = (file: string): string => {
    const { mode, size, ino, ctimeNs, uid } = fs.lstatSync(file, { bigint: true })
    const stat = [mode, size, ino, ctimeNs].join(' ')
    const seen = known.get(file)
    if (seen?.stat === stat) return seen.fact
    const kind = fs.lstatSync(file)
    const content = kind.isFile()
      ? createHash('sha256').update(fs.readFileSync(file)).digest('hex')
      : kind.isSymbolicLink()
        ? fs.readlinkSync(file)
        : ''
    const fact = `${mode.toString(8)} ${uid} ${content}`
    known.set(file, { stat, fact })
    return fact
  }
  return () => {
    const facts = new Map<string, string>()
    const walk = (folder: string): void => {
      for (const name of fs.readdirSync(folder)) {
        const file = path.join(folder, name)
        const inner = path.relative(home, file)
        if (changesByItself.test(inner) || facts.size > maxFiles) continue
        try {
          facts.set(inner, factOf(file))
          if (fs.lstatSync(file).isDirectory()) walk(file)
        } catch (error) {
          facts.set(inner, error instanceof Error && 'code' in error ? String(error.code) : 'unreadable')
        }
      }
    }
    try {
      walk(home)
    } catch {
      facts.set('.', 'gone')
    }
    return facts
  }
}

/** Returns `runs`, `stopped`, `traced` or `gone`. Without /proc it only tells `runs` from `gone`. */
export const stateOf = (pid: number | undefined): string => {
  if (pid === undefined) return 'gone'
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    const letter = stat.slice(stat.lastIndexOf(')') + 2)[0] ?? ''
    return { T: 'stopped', t: 'traced', Z: 'gone', X: 'gone' }[letter] ?? 'runs'
  } catch {
    if (fs.existsSync('/proc/self')) return 'gone'
    try {
      process.kill(pid, 0)
      return 'runs'
    } catch {
      return 'gone'
    }
  }
}

/**
 * Returns the pid of a direct child whose command line matches the pattern. It works on Linux only, and
 * returns undefined elsewhere.
 */
export const childLike = (parent: number, pattern: RegExp): number | undefined => {
  try {
    return fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .find((pid) => {
        try {
          const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
          return (
            Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent &&
            pattern.test(fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
          )
        } catch {
          return false
        }
      })
  } catch {
    return undefined
  }
}

export const hookHostLike = /handlers\/host\/process\.[jt]s/

/** The default port of the debugger of Node, which a signal opens. */
const debuggerPort = 9229

/**
 * True when the debugger port of another process is open, as its sockets show. It works on Linux only, and is
 * false elsewhere.
 */
export const hasDebugger = (pid: number): boolean => {
  try {
    const listening = fs
      .readFileSync(`/proc/${pid}/net/tcp`, 'latin1')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(
        ([, local = '', , state]) =>
          state === '0A' && Number.parseInt(local.split(':')[1] ?? '', 16) === debuggerPort,
      )
      .map((fields) => `socket:[${fields[9] ?? ''}]`)
    return (
      listening.length > 0 &&
      fs.readdirSync(`/proc/${pid}/fd`).some((name) => {
        try {
          return listening.includes(fs.readlinkSync(`/proc/${pid}/fd/${name}`))
        } catch {
          return false
        }
      })
    )
  } catch {
    return false
  }
}

const socketsOf = (home: string): string => {
  const folder = path.join(home, 'run')
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => name.endsWith('.sock'))
      .map((name) => `${name} ${fs.lstatSync(path.join(folder, name)).ino}`)
      .join(', ')
  } catch {
    return 'gone'
  }
}

export interface FactsPorts {
  readonly home: string
  gatePid(): number
  /** Returns the state that the gate reports, or `gone` where it does not answer. */
  gate(): Promise<GateFacts>
  hasDebugger(): boolean
}

export const createFacts = ({ home, gatePid, gate, hasDebugger }: FactsPorts): (() => Promise<Facts>) => {
  const files = createFolderFacts(home)
  return async () => ({
    gate: await gate(),
    files: files(),
    passing: {
      gate: `${gatePid()} ${stateOf(gatePid())}`,
      hookHost: stateOf(childLike(gatePid(), hookHostLike)),
      sockets: socketsOf(home),
      debugger: hasDebugger() ? 'open' : 'closed',
    },
  })
}
