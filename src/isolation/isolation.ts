import { homedir, userInfo } from 'node:os'
import { dirname } from 'node:path'
import type { HookWorld } from '../shared/hooks/hook-world.ts'
import { fixed, prose, proseText, verbatim } from '../core/model/chat/prose.ts'
import { ProblemError } from '../core/model/gate/problem.ts'
import { startAsGate, type Separation, type StartAs } from '../shared/gate/separation.ts'
import { markName, markOf, reapOrphans } from './orphans.ts'
import { hooksOwn, prepareHookHome, prepareKept } from './hook-home.ts'
import {
  hookPathOf,
  objectionOfNone,
  objectionOfSandbox,
  objectionOfUsers,
  type Objection,
} from './hook-path.ts'
import { mountsFor, openHome, type SandboxOptions } from './sandbox/mounts.ts'
import { isUnder, realOf } from './paths.ts'
import { canEnter, readRulesOf, type ReadLaw } from './reading.ts'
import { isRoot, mayChangeUsers } from './users/rights.ts'
import { runScript, startScript } from './run-script.ts'
import { findSandbox, processNamespace } from './sandbox/sandbox.ts'
import { strictSandbox, type StrictSandbox } from './sandbox/strict.ts'
import { prepareUsers, type UsersOptions } from './users/users.ts'

export interface SeparationOptions extends UsersOptions {
  /** The separation that gate.yaml asks for. */
  readonly separation: 'auto' | Separation['kind']
  /** The folder of the user's own hooks. Its files are proposals, wherever the folder lies. */
  readonly agentHooks: string
}

/** The users and sandboxes that separate the gate, the agents and the hooks, and how each is started. */
export interface Isolation {
  readonly separation: Separation
  /** Returns how the host of an agent is started. Of the gate's folder the host sees only its socket. */
  agent(id: string, socketPath: string): StartAs
  /**
   * How the hook host is started: its user (absent: the gate's own user), the command prefix of its sandbox,
   * and the prefix of its mark.
   */
  readonly hooks: {
    readonly user?: NonNullable<StartAs['user']> & Pick<StartAs, 'prefix'>
    readonly sandbox?: readonly string[]
    readonly mark: string
  }
  /** Makes a sandbox for a program that nobody approved. */
  readonly strict: StrictSandbox
  /** The environment that hooks find: PATH, home and temporary folders. */
  readonly world: HookWorld
  /** The environment variable that every process started by hookgate has. */
  readonly mark: { readonly name: string; readonly value: string }
  /**
   * Runs a shell script as the agent, when the gate writes into the agent's folder: a link there leads the
   * script no further than the agent itself. Returns the output of a script that failed. The gate blocks
   * meanwhile, so this is only for its start.
   */
  asAgent(script: string, args: readonly string[], input?: string): string | undefined
  /**
   * The same as `asAgent`, without blocking the gate. The script is killed when it is late. Never rejects.
   */
  asAgentLater(script: string, args: readonly string[], input?: string): Promise<string | undefined>
  /** The data from which the two rules below are made. */
  readonly readLaw: ReadLaw
  /** Returns why a file that was opened at this path may not be shown or sealed; undefined when it may. */
  refuses(descriptor: number, path: string): string | undefined
  /** The same for a file that only lists hooks and is never sealed. */
  refusesSource(descriptor: number, path: string): string | undefined
}

const install = 'Install bubblewrap, or run hookgate as root with users for agent and hooks (config/service).'

/**
 * Returns the home of the environment and the home in the system's list of users, whose files a login reads.
 */
const homes = (): readonly string[] => {
  try {
    return [homedir(), userInfo().homedir]
  } catch {
    // The user is not in the system's list.
    return [homedir()]
  }
}

const openWords = (home: string, workspace: string): string =>
  home === '/'
    ? 'HOME is the root folder. Start hookgate with another HOME.'
    : `the workspace ${workspace} holds it, and what is written there can run as you. Name another: HOOKGATE_WORKSPACE=${home}/hookgate.`

const scriptRunners = (who: StartAs): Pick<Isolation, 'asAgent' | 'asAgentLater'> => ({
  asAgent: (script, args, input) => runScript(who, script, args, input),
  asAgentLater: (script, args, input) => startScript(who, script, args, input),
})
const readRulesFor = (readLaw: ReadLaw): Pick<Isolation, 'readLaw' | 'refuses' | 'refusesSource'> => ({
  readLaw,
  ...readRulesOf(readLaw),
})

const demand = (wanted: 'users' | 'sandbox', why: string, fix: string): never => {
  throw new ProblemError({
    code: 'separation.missing',
    message: `Expected "separation: ${wanted}" of gate.yaml to be possible, but ${why}.`,
    fix,
  })
}

/**
 * Finds out by trying how far the agent can be separated from the gate, and prepares that separation. It
 * kills processes that a dead gate of this folder left behind. Throws a ProblemError when the separation that
 * gate.yaml asks for is not possible.
 */
export const isolate = async (options: SeparationOptions): Promise<Isolation> => {
  const { home, workspace, root, separation: wanted } = options
  const started = (process.env['PATH'] ?? '').split(':')
  const own = hooksOwn(home)
  /** npm puts the programs of hookgate's own packages first in PATH; these are left out. */
  const isForeign = (folder: string): boolean => !isUnder(realOf(root), realOf(folder))
  /**
   * Where hooks do not have their own /tmp, they share the machine's, and their temporary files lie beside
   * their home.
   */
  const worldOf = (objection: Objection, tmp?: string): HookWorld => ({
    ...hookPathOf(started.filter(isForeign), process.execPath, objection),
    home: own.home,
    tmpdir: tmp ?? own.tmp,
    tmp: own.tmp,
  })
  const mark = { name: markName, value: markOf(home) }
  const hooks = { mark: mark.value }
  const places: SandboxOptions = {
    home,
    workspace,
    root,
    userHomes: homes(),
    path: [...started, dirname(process.execPath)],
    isRoot: isRoot(),
  }

  const users =
    wanted === 'auto' || wanted === 'users'
      ? prepareUsers(options)
      : { why: prose`gate.yaml says separation: ${verbatim(wanted)}`, fix: fixed('Remove that line.') }
  if (!('why' in users)) {
    const accounts = [...users.agents.values()]
    const agent = (id: string): StartAs => {
      const account = users.agents.get(id)
      return account === undefined
        ? demand('users', `agent ${id} has no user`, 'Name one in gate.yaml.')
        : users.hostAs(account)
    }
    const [first = users.hooks] = accounts
    const asHooks = users.programAs(users.hooks)
    await reapOrphans(home, [startAsGate, ...accounts.map(users.programAs), asHooks])
    prepareHookHome(home, users.hooks)
    return {
      world: worldOf(objectionOfUsers(accounts, users.hooks, (folder) => canEnter(users.hooks, folder))),
      separation: {
        kind: 'users',
        agent: accounts.map(({ name }) => name).join(', '),
        hooks: users.hooks.name,
      },
      agent,
      mark,
      strict: strictSandbox(places, processNamespace(), users.hooks.gid),
      hooks: { ...hooks, user: { uid: users.hooks.uid, gid: users.hooks.gid, prefix: asHooks.prefix } },
      ...scriptRunners(users.programAs(first)),
      ...readRulesFor({ kind: 'reader', home, reader: { uid: first.uid, groups: [first.gid] } }),
    }
  }
  if (wanted === 'users') return demand('users', proseText(users.why), proseText(users.fix))
  await reapOrphans(home, [startAsGate])

  const sandbox = wanted === 'none' ? { why: proseText(users.why) } : await findSandbox(places)
  if ('by' in sandbox) {
    const open = openHome(places)
    return {
      world: worldOf(objectionOfSandbox(mountsFor(places, { sockets: [] })), '/tmp'),
      separation: {
        kind: 'sandbox',
        by: sandbox.by,
        openHome: open && openWords(open, workspace),
        ...(wanted === 'auto' && mayChangeUsers() ? { better: users } : {}),
      },
      agent: (id, socketPath) => sandbox.programAs({ sockets: [socketPath], kept: prepareKept(home, id) }),
      mark,
      strict: strictSandbox(places, processNamespace()),
      hooks: { ...hooks, sandbox: sandbox.programAs('hooks').prefix },
      ...scriptRunners(sandbox.programAs({ sockets: [] })),
      ...readRulesFor({ kind: 'sandbox', places, agentHooks: options.agentHooks }),
    }
  }
  if (wanted === 'sandbox') return demand('sandbox', sandbox.why, install)
  prepareHookHome(home)
  return {
    world: worldOf(objectionOfNone),
    separation: { kind: 'none', why: sandbox.why, fix: wanted === 'none' ? proseText(users.fix) : install },
    agent: () => startAsGate,
    mark,
    strict: strictSandbox(places, processNamespace()),
    hooks,
    ...scriptRunners(startAsGate),
    ...readRulesFor({ kind: 'reader', home }),
  }
}
