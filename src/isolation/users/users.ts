import { existsSync, realpathSync } from 'node:fs'
import { fixed, prose, type Prose, verbatim } from '../../core/model/chat/prose.ts'
import type { StartAs } from '../../shared/gate/separation.ts'
import { findAccount, type Account } from './accounts.ts'
import { changeableBy, giveWorkspace, shareHome, takeBack } from './permissions.ts'
import { isRoot, mayChangeUsers, systemProgram } from './rights.ts'
import { firstProcessScript, runScript } from '../run-script.ts'

/** Why separate users are not possible, as a clause, and what the owner can do, as a sentence. */
export interface NoUsers {
  readonly why: Prose
  readonly fix: Prose
}

export interface UsersOptions {
  readonly home: string
  readonly workspace: string
  /** The folder of hookgate's own code. */
  readonly root: string
  readonly agents: readonly { readonly id: string; readonly user: string }[]
  readonly hooksUser: string
}

export interface Users {
  readonly agents: ReadonlyMap<string, Account>
  readonly hooks: Account
  programAs(account: Account): StartAs
  /**
   * Returns how a long-running host is started. Where the machine allows it, the host gets its own process
   * namespace, and all processes there end with the host.
   */
  hostAs(account: Account): StartAs
}

const refuse = (why: Prose, fix: Prose): NoUsers => ({ why, fix })

/** Finds the accounts, and checks that they keep agent, hooks and gate apart. */
const findUsers = ({ agents, hooksUser }: UsersOptions): Pick<Users, 'agents' | 'hooks'> | NoUsers => {
  const found = new Map<string, Account>()
  for (const [option, name] of [
    ...agents.map(({ id, user }) => [`agents.${id}.user`, user] as const),
    ['hooks.user', hooksUser] as const,
  ]) {
    const account = findAccount(name)
    if (account === undefined)
      return refuse(
        prose`there is no user ${verbatim(name)}`,
        prose`Make it: useradd --system --create-home ${verbatim(name)} (or name another in gate.yaml: ${verbatim(option)}).`,
      )
    if (account.uid === 0 || account.uid === process.getuid?.())
      return refuse(
        account.uid === 0
          ? prose`${verbatim(name)} is root`
          : prose`${verbatim(name)} is the gate’s own user`,
        prose`Name another in gate.yaml: ${verbatim(option)}.`,
      )
    // The hooks' group may enter the folder of the seals, so the agent must not be a member of it.
    const twin = [...found].find(
      ([, other]) =>
        other.uid === account.uid || (option === 'hooks.user' && other.groups.includes(account.gid)),
    )
    if (twin !== undefined)
      return refuse(
        prose`${verbatim(twin[0])} and ${verbatim(option)} are one user or in one group`,
        fixed('Give each its own in gate.yaml.'),
      )
    found.set(option, account)
  }
  const hooks = found.get('hooks.user')
  if (hooks === undefined) throw new Error('the hooks have no user')
  return {
    hooks,
    agents: new Map(
      agents.flatMap(({ id }) =>
        [...found].filter(([option]) => option === `agents.${id}.user`).map(([, account]) => [id, account]),
      ),
    ),
  }
}

/**
 * The script prints the first thing that its user cannot do. `$1` is node, `$2` the code, `$3` the workspace,
 * and `$4` is not empty if the workspace must be writable. Then follow the gate's folders.
 */
const reach =
  'c() { [ -x "$1" ] && cd "$1"; }; { "$1" --version >/dev/null || echo node; [ -r "$2/package.json" ] || echo code; c "$3" || echo workspace; [ -z "$4" ] || [ -w "$3" ] || echo write; shift 4; for f; do c "$f" || echo home; done; } 2>/dev/null | { read -r word && echo "$word" && exit 1; exit 0; }'

const unreachable = (name: string, word: string, { home, workspace, root }: UsersOptions): NoUsers => {
  const who = verbatim(name)
  const missing: Readonly<Record<string, NoUsers>> = {
    node: {
      why: prose`${who} cannot run ${verbatim(process.execPath)}`,
      fix: fixed('Install Node where every user can run it.'),
    },
    code: {
      why: prose`${who} cannot read ${verbatim(root)}`,
      fix: fixed('Install hookgate where every user can read it, such as /opt.'),
    },
    workspace: {
      why: prose`${who} cannot enter the workspace ${verbatim(workspace)}`,
      fix: fixed('Name a folder that it can enter: HOOKGATE_WORKSPACE=/srv/hookgate.'),
    },
    write: {
      why: prose`${who} cannot write the workspace ${verbatim(workspace)}`,
      fix: prose`Give it to the agent: chown -R ${who} ${verbatim(workspace)}`,
    },
    home: {
      why: prose`${who} cannot pass through ${verbatim(home)}`,
      fix: fixed('Name a folder that it can enter: HOOKGATE_HOME=/var/lib/hookgate.'),
    },
  }
  return (
    (Object.hasOwn(missing, word) ? missing[word] : undefined) ?? {
      why: prose`nothing can be started as ${who} (${verbatim(word)})`,
      fix: fixed('Check whether the system allows that user to run programs.'),
    }
  )
}

/**
 * Checks that the parent is the first process of the namespace, which no other user can take over. `$1` and
 * `$2` are the expected user and group.
 */
const isContained =
  '[ "$PPID" = 1 ] && [ "$(id -u) $(id -g)" = "$1 $2" ] && [ "$(readlink /proc/self)" != "" ]'

/**
 * Returns the command prefix that starts a host as a user, in its own process namespace. When the host ends,
 * the first process there ends too, and the kernel kills all other processes, whatever session and
 * environment they have.
 */
const ownProcesses = (
  { setpriv, unshare }: { readonly setpriv: string; readonly unshare: string },
  { uid, gid }: Account,
): readonly string[] => [
  setpriv,
  '--pdeathsig',
  'KILL',
  unshare,
  '--pid',
  '--ipc',
  '--mount-proc',
  '--propagation',
  'slave',
  '--fork',
  '--kill-child=KILL',
  '--',
  '/bin/sh',
  '-c',
  firstProcessScript(`${setpriv} --reuid=${uid} --regid=${gid} --clear-groups`),
  'sh',
]

/** Prepares the gate's folder and the workspace for separate users, or returns why that is not possible. */
export const prepareUsers = (options: UsersOptions): Users | NoUsers => {
  const { home, workspace, root } = options
  if (!mayChangeUsers())
    return refuse(
      fixed('hookgate may not change users'),
      fixed('Start it as root or as a service (config/service).'),
    )
  const setpriv = systemProgram('setpriv')
  // Without setpriv, every process that such a service starts would keep its rights.
  if (setpriv === undefined && !isRoot())
    return refuse(fixed('setpriv is missing'), fixed('Install util-linux.'))
  const found = findUsers(options)
  if ('why' in found) return found
  const { agents, hooks } = found
  const all = [...agents.values(), hooks]
  const programAs = ({ uid, gid, home: own }: Account): StartAs => ({
    prefix: setpriv === undefined ? [] : [setpriv, '--no-new-privs', '--inh-caps=-all'],
    user: { uid, gid },
    home: existsSync(own) ? own : workspace,
  })
  const unshare = systemProgram('unshare')
  const hostAs = (account: Account): StartAs => {
    const plain = programAs(account)
    if (!isRoot() || setpriv === undefined || unshare === undefined) return plain
    const { uid, gid } = account
    const contained = {
      prefix: ownProcesses({ setpriv, unshare }, account),
      becomes: { uid, gid },
      home: plain.home,
    }
    return runScript(contained, isContained, [String(uid), String(gid)]) === undefined ? contained : plain
  }
  const [first] = agents.values()
  let isGiven = false
  const failing = (): NoUsers | undefined => {
    for (const place of [realpathSync(home), realpathSync(root), realpathSync(process.execPath)]) {
      const open = changeableBy(place, all)
      if (open !== undefined)
        return refuse(
          prose`${verbatim(open)} can be changed by agent or hooks`,
          fixed('Give it to root: chown root and chmod go-w.'),
        )
    }
    shareHome(home, hooks)
    if (first !== undefined) isGiven = giveWorkspace(workspace, first)
    for (const account of all) {
      const own =
        account === hooks ? [`${home}/seal`, `${home}/run/hooks`, `${home}/run/empty`] : [`${home}/run`]
      const missing = runScript(programAs(account), reach, [
        process.execPath,
        root,
        workspace,
        account === first ? 'write' : '',
        ...own,
      ])
      if (missing !== undefined) return unreachable(account.name, missing, options)
    }
    return undefined
  }
  let refusal: NoUsers | undefined
  try {
    refusal = failing()
  } catch (error) {
    refusal = refuse(
      prose`the gate’s folder cannot be shared out (${verbatim(error instanceof Error ? error.message : 'unknown')})`,
      fixed('Give it to the user that hookgate runs as.'),
    )
  }
  if (refusal === undefined) return { agents, hooks, programAs, hostAs }
  if (isGiven) takeBack(workspace)
  return refusal
}
