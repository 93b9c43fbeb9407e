import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GateReader } from '../../attack/gate/instance.ts'
import type { AttackMode, GateFolders } from '../../attack/gate/mode.ts'
import { createPageOwner } from '../../attack/gate/page-owner.ts'
import { attackOwnGate } from '../../attack/run.ts'
import { forgeries } from '../../attack/table.ts'
import { attackText, holesIn } from '../../attack/text.ts'
import { readSwitch } from '../../bridge/switch-file.ts'
import { packageRoot } from '../../config/first-start.ts'
import type { Config } from '../../config/load.ts'
import { fold } from '../../core/gatekeeper/ledger/fold.ts'
import { readKey } from '../../core/gatekeeper/ledger/key.ts'
import { verifyLedger } from '../../core/gatekeeper/ledger/lines.ts'
import { proseText } from '../../core/model/chat/prose.ts'
import { ProblemError } from '../../core/model/gate/problem.ts'
import { startAsGate, type Separation } from '../../shared/gate/separation.ts'
import { findAccount } from '../../isolation/users/accounts.ts'
import { isRoot, mayChangeUsers } from '../../isolation/users/rights.ts'
import { findSandbox } from '../../isolation/sandbox/sandbox.ts'
import { prepareUsers } from '../../isolation/users/users.ts'

export type Kind = Separation['kind']
export const kinds: readonly Kind[] = ['users', 'sandbox', 'none']

/** In source this is `.ts`, in `dist` `.js`. */
export const cliFile = fileURLToPath(new URL(`../../cli${extname(import.meta.url)}`, import.meta.url))

/** Reads the folder of a gate that this process did not open, by the gate's own rules. */
export const gateReader: GateReader = {
  away: readSwitch,
  ledger: (home) => {
    const key = readKey(home)
    const file = join(home, 'ledger.jsonl')
    const { entries, problem } = Buffer.isBuffer(key)
      ? verifyLedger(existsSync(file) ? readFileSync(file) : Buffer.alloc(0), key)
      : { entries: [], problem: key }
    const { revision, isOn, owners, approvals } = fold(entries).state
    return {
      revision,
      isOn,
      owners: [...owners.keys()],
      approvals: [...approvals.values()].map(({ fingerprint, entry }) => ({
        fingerprint,
        command: entry.command,
      })),
      problem,
    }
  },
}

/** The users that gate.yaml names. */
type ConfiguredUsers = Pick<Config, 'hooksUser'> & {
  readonly agents: readonly { readonly id: string; readonly user: string }[]
}

const unavailable = (kind: Kind, why: string, fix: string): ProblemError =>
  new ProblemError({
    code: 'attack.separation',
    message: `Expected "separation: ${kind}" to be possible on this machine, but ${why}.`,
    fix,
  })

const yamlOf = (
  kind: Kind,
  agents: readonly { readonly id: string; readonly user?: string }[],
  rest = '',
): string => {
  const listed = agents.map(
    ({ id, user }) => `${id}: {kind: demo${user === undefined ? '' : `, user: ${user}`}}`,
  )
  return `separation: ${kind}\nagents: {${listed.join(', ')}}\n${rest}`
}

const oneUser = [{ id: 'main' }, { id: 'other' }]
const ids = (agents: readonly { readonly id: string }[]): readonly string[] => agents.map(({ id }) => id)
const nothingToRemove = { remove: (): void => undefined }

const none = (): AttackMode => ({
  separation: 'none',
  agents: ids(oneUser),
  yaml: yamlOf('none', oneUser),
  agentAs: () => startAsGate,
  ...nothingToRemove,
})

const sandboxAround = ({ home, workspace, userHome }: GateFolders): ReturnType<typeof findSandbox> =>
  findSandbox({
    home,
    workspace,
    root: packageRoot(),
    userHomes: [userHome],
    path: [...(process.env['PATH'] ?? '').split(':'), dirname(process.execPath)],
    isRoot: isRoot(),
  })

const sandbox = (): AttackMode => ({
  separation: 'sandbox',
  agents: ids(oneUser),
  yaml: yamlOf('sandbox', oneUser),
  agentAs: async (folders) => {
    const found = await sandboxAround(folders)
    if ('why' in found) throw unavailable('sandbox', found.why, 'Install bubblewrap.')
    const { home, userHome } = folders
    return { ...found.programAs({ sockets: [join(home, 'run', 'main.sock')] }), home: userHome }
  },
  ...nothingToRemove,
})

/** True when this machine has a working sandbox. It is tried on empty folders. */
const hasSandbox = async (): Promise<boolean> => {
  const root = mkdtempSync(join(tmpdir(), 'hookgate-sandbox-'))
  try {
    const userHome = join(root, 'gate')
    const [home, workspace] = [join(userHome, '.hookgate'), join(root, 'agent')]
    for (const folder of [home, workspace]) mkdirSync(folder, { recursive: true })
    return !('why' in (await sandboxAround({ home, workspace, userHome })))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** The users of gate.yaml, each with its own rights, on a folder of the attack's own. */
const users = ({ agents: configured, hooksUser }: ConfiguredUsers): AttackMode => {
  const [main, other] = configured
  const account = main === undefined ? undefined : findAccount(main.user)
  if (main === undefined || account === undefined)
    throw unavailable(
      'users',
      `there is no user ${main?.user ?? 'of an agent'}`,
      'gate.yaml names the users of agents and hooks. Make them, or name others there.',
    )
  const agents = [
    { id: 'main', user: main.user },
    ...(other === undefined ? [] : [{ id: 'other', user: other.user }]),
  ]
  return {
    separation: 'users',
    agentUser: { uid: account.uid, gid: account.gid },
    agents: ids(agents),
    yaml: yamlOf('users', agents, `hooks: {user: ${hooksUser}}\n`),
    agentAs: ({ home, workspace }) => {
      const found = prepareUsers({ home, workspace, root: packageRoot(), agents, hooksUser })
      if ('why' in found) throw unavailable('users', proseText(found.why), proseText(found.fix))
      return found.programAs(account)
    },
    ...nothingToRemove,
  }
}

const areThere = ({ agents, hooksUser }: ConfiguredUsers): boolean =>
  agents.length > 0 && [hooksUser, ...agents.map(({ user }) => user)].every((name) => findAccount(name))

/**
 * The separation that `kind` names, else that of gate.yaml, else the one that a gate on this machine would
 * choose.
 */
const modeFor = async (
  kind: Kind | undefined,
  { separation, agents, hooksUser }: Config,
): Promise<AttackMode> => {
  const configured = { agents, hooksUser }
  const asked = kind ?? (separation === 'auto' ? undefined : separation)
  const canUsers = (): boolean => mayChangeUsers() && areThere(configured)
  switch (asked ?? (canUsers() ? 'users' : (await hasSandbox()) ? 'sandbox' : 'none')) {
    case 'users':
      return users(configured)
    case 'sandbox':
      return sandbox()
    case 'none':
      return none()
  }
}

export interface OwnAttack {
  /** Absent: the kind that a gate on this machine would choose. */
  readonly kind: Kind | undefined
  /** True: blocked attacks are listed, too. */
  readonly isAll: boolean
  /** Parts of the names of attacks to try. Empty: all are tried. */
  readonly only: readonly string[]
  readonly signal: AbortSignal
  /** Gets the progress, line by line. */
  say(line: string): void
}

const progressEveryMs = 10_000

/** Attacks a separate gate, whose owner uses its web page, and reports which attacks were blocked. */
export const attackAndTell = async (
  { kind, isAll, only, signal, say }: OwnAttack,
  config: Config,
): Promise<{ readonly text: string; readonly hasHole: boolean }> => {
  const mode = await modeFor(kind, config)
  const chosen = forgeries.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)))
  if (chosen.length === 0)
    throw new ProblemError({
      code: 'attack.only',
      message: `Expected part of a name of what is tried, got "${only.join(' ')}".`,
      fix: `Say one of ${[...new Set(forgeries.map(({ name }) => name.split('.')[0]))].join(', ')}.`,
    })
  say(
    `A separate gate starts, with separation: ${mode.separation}. ${chosen.length} attacks on it are tried.`,
  )
  let count = 0
  let toldAtMs = performance.now()
  const { results, left } = await attackOwnGate(
    { mode, owner: createPageOwner(), read: gateReader, cli: cliFile, tree: packageRoot() },
    {
      only: (forgery) => chosen.includes(forgery),
      signal,
      progress: () => {
        count += 1
        if (performance.now() - toldAtMs < progressEveryMs) return
        toldAtMs = performance.now()
        say(`… ${count} of ${chosen.length} tried`)
      },
    },
  )
  const { separation } = mode
  return {
    text: attackText(results, { separation, isAll, left }),
    hasHole: left.length > 0 || holesIn(results, separation).length > 0,
  }
}
