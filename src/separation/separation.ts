import { homedir } from 'node:os'
import { ProblemError } from '../model/problem.ts'
import { startAsGate, type Separation, type StartAs } from '../model/separation.ts'
import { markName, markOf, reapOrphans } from './orphans.ts'
import { createReadRule } from './reading.ts'
import { isRoot, mayChangeUsers } from './rights.ts'
import { runScript } from './run-script.ts'
import { findSandbox } from './sandbox.ts'
import { prepareUsers, type UsersOptions } from './users.ts'

export interface SeparationOptions extends UsersOptions {
  /** What gate.yaml asks for. */
  readonly separation: 'auto' | Separation['kind']
}

/** Who runs as whom, and how each is started. */
export interface House {
  readonly separation: Separation
  /** How the host of an agent is started; its socket is all that it sees of the gate's folder. */
  agent(id: string, socketPath: string): StartAs
  /** Who the hook host runs as (absent: the gate's own user), and what its mark begins with. */
  readonly hooks: { readonly user?: NonNullable<StartAs['user']> & Pick<StartAs, 'prefix'>; readonly mark: string }
  /** What everything that hookgate starts bears in its environment. */
  readonly mark: { readonly name: string; readonly value: string }
  /** Runs a shell script as the agent, for what the gate writes into the agent's folder: no link there can lead it further than the agent. What it said when it failed. */
  asAgent(script: string, args: readonly string[], input?: string): string | undefined
  /** Why a file that was opened at this path may not be shown or sealed. */
  refuses(descriptor: number, path: string): string | undefined
}

const install = 'Install bubblewrap, or run hookgate as root with users for agent and hooks (config/service).'

const demand = (wanted: 'users' | 'sandbox', why: string, fix: string): never => {
  throw new ProblemError({ code: 'separation.missing', message: `Expected "separation: ${wanted}" of gate.yaml to be possible, but ${why}.`, fix })
}

/**
 * Decides how far the agent is kept from the gate, by trying it out, and makes ready what that takes; ends what a dead
 * gate of this folder left running. Throws a ProblemError when what gate.yaml asks for cannot be had.
 */
export const separate = (options: SeparationOptions): House => {
  const { home, workspace, root, separation: wanted } = options
  const mark = { name: markName, value: markOf(home) }
  const hooks = { mark: mark.value }

  const users = wanted === 'auto' || wanted === 'users' ? prepareUsers(options) : { why: `gate.yaml says separation: ${wanted}`, fix: 'Remove that line.' }
  if (!('why' in users)) {
    const accounts = [...users.agents.values()]
    const agent = (id: string): StartAs => {
      const account = users.agents.get(id)
      return account === undefined ? demand('users', `agent ${id} has no user`, 'Name one in gate.yaml.') : users.startAs(account)
    }
    const [first = users.hooks] = accounts
    const asHooks = users.startAs(users.hooks)
    reapOrphans(home, [startAsGate, ...accounts.map(users.startAs), asHooks])
    return {
      separation: { kind: 'users', agent: accounts.map(({ name }) => name).join(', '), hooks: users.hooks.name },
      agent, mark, hooks: { ...hooks, user: { uid: users.hooks.uid, gid: users.hooks.gid, prefix: asHooks.prefix } },
      asAgent: (script, args, input) => runScript(users.startAs(first), script, args, input),
      refuses: createReadRule(home, { uid: first.uid, groups: [first.gid] }),
    }
  }
  if (wanted === 'users') return demand('users', users.why, users.fix)
  reapOrphans(home, [startAsGate])

  const sandbox = wanted === 'none' ? users : findSandbox({ home, workspace, root, userHome: homedir(), isRoot: isRoot() })
  if ('by' in sandbox) {
    return {
      separation: { kind: 'sandbox', by: sandbox.by, ...(wanted === 'auto' && mayChangeUsers() ? { better: `${users.why}. ${users.fix}` } : {}) },
      agent: (_id, socketPath) => sandbox.startAs([socketPath]),
      mark, hooks,
      asAgent: (script, args, input) => runScript(sandbox.startAs([]), script, args, input),
      // Without its capabilities root reads what is root's and what is everybody's.
      refuses: createReadRule(home, isRoot() ? { uid: 0, groups: [0] } : undefined),
    }
  }
  if (wanted === 'sandbox') return demand('sandbox', sandbox.why, install)
  return {
    separation: { kind: 'none', why: sandbox.why, fix: wanted === 'none' ? users.fix : install },
    agent: () => startAsGate,
    mark, hooks,
    asAgent: (script, args, input) => runScript(startAsGate, script, args, input),
    refuses: createReadRule(home, undefined),
  }
}
