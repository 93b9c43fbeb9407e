import { packageRoot } from '../../config/first-start.ts'
import { prose, verbatim, type Prose } from '../../core/model/chat/prose.ts'

/** A gate that was just started has other work. */
const firstMs = 10 * 60_000
const lookEveryMs = 60 * 60_000
const dayMs = 24 * 60 * 60_000
/** npm may take so long. */
const patienceMs = 30_000
const maxAnswer = 1000
/** The fact in the store: when npm was asked last, and the newest version that the owners were told of. */
const factName = 'update'

export interface UpdatePorts {
  readonly version: string
  /** The newest version. Undefined: it is not known, such as without a network. */
  ask(): Promise<string | undefined>
  recall(key: string): Promise<string | undefined>
  remember(key: string, value: string): Promise<unknown>
  tell(text: Prose): void
  now(): number
}

const numbersOf = (version: string): readonly number[] | undefined => {
  const found = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/.exec(version)
  return found === null ? undefined : found.slice(1).map(Number)
}

/** True when the first version is newer. False for what is no finished version. */
export const isNewer = (one: string, other: string): boolean => {
  const [a, b] = [numbersOf(one), numbersOf(other)]
  if (a === undefined || b === undefined) return false
  const at = a.findIndex((number, index) => number !== b[index])
  return at !== -1 && (a[at] ?? 0) > (b[at] ?? 0)
}

/** Asks for a newer version once a day at most, also over restarts, and tells of each version once. */
export const lookForUpdate = async (ports: UpdatePorts): Promise<void> => {
  const [askedAt = '', told = ''] = ((await ports.recall(factName)) ?? '').split(' ')
  const sinceMs = ports.now() - Number(askedAt)
  // A clock that was set back would put the next question off for long.
  if (askedAt !== '' && sinceMs >= 0 && sinceMs < dayMs) return
  await ports.remember(factName, `${ports.now()} ${told}`)
  const latest = await ports.ask()
  if (latest === undefined || latest === told || !isNewer(latest, ports.version)) return
  await ports.remember(factName, `${ports.now()} ${latest}`)
  ports.tell(
    prose`hookgate ${verbatim(latest)} is out, and this is ${verbatim(ports.version)}. → Read its changes, then npm install --global hookgate@latest and restart it. (To hear nothing of it: updates: false in gate.yaml.)`,
  )
}

/**
 * Asks the registry that npm is set to, by npm itself, which reads its settings. No text but the name of the
 * package goes there. `path`: folders that no agent can write. npm gets no secret of the gate.
 */
export const askNpm = async (
  path: string,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> => {
  const passed = Object.entries(env).filter(([name]) =>
    /^(?:npm_config_\w+|https?_proxy|no_proxy)$/i.test(name),
  )
  // A gate asks once a day, and its start does not wait for this.
  const { execa } = await import('execa')
  const { stdout, failed } = await execa('npm', ['view', 'hookgate', 'version', '--json'], {
    cwd: packageRoot(),
    env: { ...Object.fromEntries(passed), PATH: path, HOME: home, npm_config_update_notifier: 'false' },
    extendEnv: false,
    stdin: 'ignore',
    stderr: 'ignore',
    timeout: patienceMs,
    maxBuffer: maxAnswer,
    reject: false,
  })
  return failed ? undefined : /^"([\d.]+)"\s*$/.exec(stdout)?.[1]
}

/** Looks from time to time. The returned function ends it. */
export const watchUpdates = (ports: UpdatePorts, log: (why: unknown) => void): (() => void) => {
  const look = (): void => void lookForUpdate(ports).catch(log)
  const first = setTimeout(look, firstMs).unref()
  const later = setInterval(look, lookEveryMs).unref()
  return () => {
    clearTimeout(first)
    clearInterval(later)
  }
}
