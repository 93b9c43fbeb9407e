import { homedir, userInfo } from 'node:os'
import { dirname } from 'node:path'
import type { HookWorld } from '../model/hooks/hook-world.ts'
import { ProblemError } from '../model/gate/problem.ts'
import { startAsGate, type Separation, type StartAs } from '../model/gate/separation.ts'
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
import { findSandbox } from './sandbox/sandbox.ts'
import { prepareUsers, type UsersOptions } from './users/users.ts'

export interface SeparationOptions extends UsersOptions {
  /** What gate.yaml asks for. */
  readonly separation: 'auto' | Separation['kind']
  /** The folder of the user's own hooks: proposals wherever it lies. */
  readonly agentHooks: string
}

/** Who runs as whom, and how each is started. */
export interface Isolation {
  readonly separation: Separation
  /** How the host of an agent is started; its socket is all that it sees of the gate's folder. */
  agent(id: string, socketPath: string): StartAs
  /** Who the hook host runs as (absent: the gate's own user), the words that start it in a sandbox, and what its mark begins with. */
  readonly hooks: {
    readonly user?: NonNullable<StartAs['user']> & Pick<StartAs, 'prefix'>
    readonly sandbox?: readonly string[]
    readonly mark: string
  }
  /** What hooks find around them. */
  readonly world: HookWorld
  /** What everything that hookgate starts bears in its environment. */
  readonly mark: { readonly name: string; readonly value: string }
  /** Runs a shell script as the agent, for what the gate writes into the agent's folder: no link there can lead it further than the agent. What it said when it failed. The gate waits for it, so it is for the start alone. */
  asAgent(script: string, args: readonly string[], input?: string): string | undefined
  /** The same while the gate goes on: killed when it is late. Never rejects. */
  asAgentLater(script: string, args: readonly string[], input?: string): Promise<string | undefined>
  /** What the two rules below are made of. */
  readonly readLaw: ReadLaw
  /** Why a file that was opened at this path may not be shown or sealed. */
  refuses(descriptor: number, path: string): string | undefined
  /** The same for a file that only says which hooks there are. */
  refusesSource(descriptor: number, path: string): string | undefined
}

const install = 'Install bubblewrap, or run hookgate as root with users for agent and hooks (config/service).'

/** The environment's home, and the one of the system's list: a login reads that one's files. */
const homes = (): readonly string[] => {
  try {
    return [homedir(), userInfo().homedir]
  } catch {
    // A user that is in no list.
    return [homedir()]
  }
}

const openWords = (home: string, workspace: string): string =>
  home === '/'
    ? 'HOME is the root folder. Start hookgate with another HOME.'
    : `the workspace ${workspace} holds it, and what is written there can run as you. Name another: HOOKGATE_WORKSPACE=${home}/hookgate.`

const actingAs = (who: StartAs): Pick<Isolation, 'asAgent' | 'asAgentLater'> => ({
  asAgent: (script, args, input) => runScript(who, script, args, input),
  asAgentLater: (script, args, input) => startScript(who, script, args, input),
})
const ruledBy = (readLaw: ReadLaw): Pick<Isolation, 'readLaw' | 'refuses' | 'refusesSource'> => ({
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
 * Decides how far the agent is kept from the gate, by trying it out, and makes ready what that takes; ends what a dead
 * gate of this folder left running. Throws a ProblemError when what gate.yaml asks for cannot be had.
 */
export const isolate = (options: SeparationOptions): Isolation => {
  const { home, workspace, root, separation: wanted } = options
  const started = (process.env['PATH'] ?? '').split(':')
  const own = hooksOwn(home)
  /** npm puts the programs of hookgate's own packages first. */
  const isForeign = (folder: string): boolean => !isUnder(realOf(root), realOf(folder))
  /** Where hooks have no /tmp of their own, that is the machine's, and their temporary files lie beside their home. */
  const worldOf = (objection: Objection, tmp?: string): HookWorld => ({
    ...hookPathOf(started.filter(isForeign), process.execPath, objection),
    home: own.home,
    tmpdir: tmp ?? own.tmp,
    tmp: own.tmp,
  })
  const mark = { name: markName, value: markOf(home) }
  const hooks = { mark: mark.value }

  const users =
    wanted === 'auto' || wanted === 'users'
      ? prepareUsers(options)
      : { why: `gate.yaml says separation: ${wanted}`, fix: 'Remove that line.' }
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
    reapOrphans(home, [startAsGate, ...accounts.map(users.programAs), asHooks])
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
      hooks: { ...hooks, user: { uid: users.hooks.uid, gid: users.hooks.gid, prefix: asHooks.prefix } },
      ...actingAs(users.programAs(first)),
      ...ruledBy({ kind: 'reader', home, reader: { uid: first.uid, groups: [first.gid] } }),
    }
  }
  if (wanted === 'users') return demand('users', users.why, users.fix)
  reapOrphans(home, [startAsGate])

  const places: SandboxOptions = {
    home,
    workspace,
    root,
    userHomes: homes(),
    path: [...started, dirname(process.execPath)],
    isRoot: isRoot(),
  }
  const sandbox = wanted === 'none' ? users : findSandbox(places)
  if ('by' in sandbox) {
    const open = openHome(places)
    return {
      world: worldOf(objectionOfSandbox(mountsFor(places, { sockets: [] })), '/tmp'),
      separation: {
        kind: 'sandbox',
        by: sandbox.by,
        ...(open === undefined ? {} : { openHome: openWords(open, workspace) }),
        ...(wanted === 'auto' && mayChangeUsers() ? { better: `${users.why}. ${users.fix}` } : {}),
      },
      agent: (id, socketPath) => sandbox.programAs({ sockets: [socketPath], kept: prepareKept(home, id) }),
      mark,
      hooks: { ...hooks, sandbox: sandbox.programAs('hooks').prefix },
      ...actingAs(sandbox.programAs({ sockets: [] })),
      ...ruledBy({ kind: 'sandbox', places, agentHooks: options.agentHooks }),
    }
  }
  if (wanted === 'sandbox') return demand('sandbox', sandbox.why, install)
  prepareHookHome(home)
  return {
    world: worldOf(objectionOfNone),
    separation: { kind: 'none', why: sandbox.why, fix: wanted === 'none' ? users.fix : install },
    agent: () => startAsGate,
    mark,
    hooks,
    ...actingAs(startAsGate),
    ...ruledBy({ kind: 'reader', home }),
  }
}
