import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** What the gate itself says of its state: whatever a forgery is after. Compared whole, as JSON. */
export type GateFacts = Readonly<Record<string, unknown>> & {
  readonly lockdown?: string
  /** Whether a messenger keeps how far the ledger had come. */
  readonly isAnchored?: boolean
}

/** What counts, seen from the gate's side. */
export interface Facts {
  readonly gate: GateFacts
  /** What lies in the gate's folder, by path: kind, mode and SHA-256. */
  readonly files: ReadonlyMap<string, string>
  /** What a restart changes as well. */
  readonly passing: {
    readonly gate: string
    readonly hookHost: string
    readonly sockets: string
    readonly debugger: string
  }
}

/** Changes by itself, or with every event: what hooks and agents write, messages, records, what runs right now. */
const lively =
  /^(hooks\/(home|tmp)\/.*|agents\/.*|secrets\/(login|wechat\.json(\.new)?)|state\.db.*|run\/gate\.lock|run\/hooks(\/.*)?|run\/[^/]+\.sock)$/
const maxFiles = 20_000

/** Looks at a folder again and again; a file is hashed anew only when its stat moved. */
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
        if (lively.test(inner) || facts.size > maxFiles) continue
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

/** `runs`, `stopped`, `traced` or `gone`; where there is no /proc only whether it lives. */
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

/** The direct children of a process whose command line a pattern fits. Linux only: elsewhere none are found. */
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

export const hookHostLike = /hooks\/host\/process\.[jt]s/

/** Node's own: where its debugger listens when a signal asks for it. */
const debuggerPort = 9229

/** Whether another process has its debugger's door open, by the sockets that are its own. Linux only: elsewhere it never does. */
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
  /** What the gate says of itself; `gone` where it does not answer. */
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
