import { randomUUID } from 'node:crypto'
import inspector from 'node:inspector'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ArmedHook, Entry } from '../../model/entry.ts'
import { formatProblem, ProblemError } from '../../model/problem.ts'
import { fixed, type Prose } from '../../model/prose.ts'
import type { Separation, StartAs } from '../../model/separation.ts'
import { childAs } from './as-agent.ts'
import type { GateFacts } from './facts.ts'
import type { Guard, Target } from './forgery.ts'
import { createKey } from './proof.ts'
import { attackText } from './text.ts'

export interface AttackInUsePorts {
  readonly home: string
  readonly workspace: string
  /** hookgate's own folder. */
  readonly tree: string
  readonly hookPath: string
  readonly agents: readonly { readonly id: string }[]
  readonly gatekeeper: {
    state(): {
      readonly isOn: boolean
      readonly isForcedOn: boolean
      readonly revision: number
      readonly lockdown?: string
      readonly owners: readonly object[]
      readonly approvals: ReadonlyMap<string, unknown>
    }
    armed(): readonly ArmedHook[]
    approvedHooks(): readonly ArmedHook[]
  }
  page(): { url(): string; mintLogin(): string }
  /** Where agents that call HTTP hooks are served, if they are. */
  bridgePort(): number | undefined
  /** The bot's, if there is one. */
  readonly token: string | undefined
  /** Reads the workspace's files again. */
  look(): void
  /** The run is over: whatever else was new meanwhile is told now. */
  over(): void
  readonly separation: Separation['kind']
  /** How a program of an agent's is started. */
  startAs(agentId: string, socketPath: string): StartAs
  /** Words when no messenger keeps how far the ledger had come. */
  noAnchor(): string | undefined
  /** What to do about a missing separation, where more is known than the general words. */
  fix?(): string | undefined
  now(): number
}

export interface AttackInUse {
  /** While true, what is new in the workspace waits to be told: most of it is of the attempts' making. */
  isRunning(): boolean
  /** Whether an alarm about a wrong login is of the attempts' making. True only as often as they make one. */
  excuses(): boolean
  run(isAll: boolean, progress: (text: Prose) => void): Promise<Prose>
}

/** In source this is `.ts`, in `dist` `.js`. */
const cliFile = fileURLToPath(new URL(`../../cli${path.extname(import.meta.url)}`, import.meta.url))
const progressEveryMs = 8000
/** One login that was used, and five guesses. */
const alarmsOfItsOwn = 6

/** An entry as the file spelled it, as far as the attempts change it. */
const proposalOf = ({
  event,
  command,
  args,
  timeoutMs,
  onError,
  priority,
  matcher,
}: Entry): Guard['proposal'] => ({
  event,
  command,
  timeout: timeoutMs / 1000,
  on_error: onError,
  priority,
  ...(args.length === 0 ? {} : { args }),
  ...(matcher === undefined ? {} : { matcher }),
})

/** The first approved command whose script was sealed, to try on it what would weaken a guard. */
const guardIn = (hooks: readonly ArmedHook[], home: string, workspace: string): Guard | undefined => {
  for (const { fingerprint, entry, argv } of hooks) {
    const sealed = argv.find((word) => word.startsWith(path.join(home, 'seal', fingerprint, path.sep)))
    if (entry.type !== 'command' || sealed === undefined) continue
    const inner = path.relative(path.join(home, 'seal', fingerprint), sealed)
    if (!inner.startsWith('_outside'))
      return { fingerprint, proposal: proposalOf(entry), script: path.join(workspace, inner), word: '' }
  }
  return undefined
}

const post = async (
  origin: string,
  to: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> => {
  const { ask, json } = await import('./means.ts')
  const asked = {
    method: 'POST',
    path: `/api/${to}`,
    headers: { ...json, origin, ...headers },
    body: JSON.stringify(body),
  }
  const { status, text } = await ask({ origin }, asked)
  const answer: unknown = status === 200 ? JSON.parse(text) : undefined
  return answer
}

/** Only who asks for the attack pays for it. */
const load = () => Promise.all([import('./attack.ts'), import('./facts.ts'), import('./table.ts')])

/** Tries the forgeries on the running instance itself, without harm: where one would do harm, only the right to it is shown. */
export const createAttackInUse = (ports: AttackInUsePorts): AttackInUse => {
  const { home, workspace, gatekeeper, token } = ports
  const socketOf = (agentId: string): string => path.join(home, 'run', `${agentId}.sock`)
  const agentId = ports.agents[0]?.id ?? 'main'
  let isRunning = false
  let excused = 0
  let stolen: Target['stolen']

  /** A login that was used, and a session that has ended: one that is open must never be in the hands of a process of the agent's. */
  const steal = async (): Promise<Target['stolen']> => {
    const origin = ports.page().url()
    const login = ports.page().mintLogin()
    const prove = createKey()
    const opened = await post(origin, 'login', { login }, { dpop: prove('POST', `${origin}/api/login`) })
    const session =
      typeof opened === 'object' && opened !== null && 'session' in opened ? opened.session : undefined
    if (typeof session !== 'string') return undefined
    await post(
      origin,
      'logout',
      {},
      { authorization: `DPoP ${session}`, dpop: prove('POST', `${origin}/api/logout`, { session }) },
    )
    return { login, session }
  }

  const target = async (): Promise<Target> => {
    const guard = guardIn(gatekeeper.approvedHooks(), home, workspace)
    const [, { childLike, hookHostLike }] = await load()
    const hookHostPid = childLike(process.pid, hookHostLike)
    const port = ports.bridgePort()
    return {
      isDisposable: false,
      mark: `hookgate-attack-${randomUUID().slice(0, 8)}`,
      home,
      workspace,
      userHome: homedir(),
      tree: ports.tree,
      cli: [process.execPath, cliFile],
      hookPath: ports.hookPath.split(':'),
      gatePid: process.pid,
      sockets: ports.agents.map(({ id }) => socketOf(id)),
      page: ports.page().url(),
      isOn: gatekeeper.state().isOn,
      ...(hookHostPid === undefined ? {} : { hookHostPid }),
      ...(stolen === undefined ? {} : { stolen }),
      ...(guard === undefined ? {} : { guard }),
      ...(port === undefined ? {} : { bridge: { origin: `http://127.0.0.1:${port}` } }),
    }
  }
  const gate = async (): Promise<GateFacts> => {
    const { lockdown, approvals, ...state } = gatekeeper.state()
    const live = gatekeeper
      .armed()
      .map(({ fingerprint, argv, cwd, entry }) => ({ fingerprint, argv, cwd, entry }))
    return {
      ...state,
      approvals: [...approvals.keys()],
      live,
      isAnchored: ports.noAnchor() === undefined,
      seals: gatekeeper.approvedHooks().map(({ checkSeal }) => checkSeal() ?? 'whole'),
      ...(lockdown === undefined ? {} : { lockdown }),
    }
  }

  const run: AttackInUse['run'] = async (isAll, progress) => {
    if (isRunning) return fixed('It is running already.')
    isRunning = true
    try {
      const [{ runAttack }, { createFacts }, { forgeries }] = await load()
      progress(
        fixed(
          `Trying ${forgeries.length} ways around the gate with the agent’s rights. It takes up to a minute, and leaves all as it is.`,
        ),
      )
      stolen = await steal().catch(() => undefined)
      excused = alarmsOfItsOwn
      let saidAtMs = ports.now()
      let count = 0
      const results = await runAttack(
        {
          asAgent: childAs(workspace, ports.startAs(agentId, socketOf(agentId))),
          target,
          facts: createFacts({
            home,
            gatePid: () => process.pid,
            gate,
            hasDebugger: () => inspector.url() !== undefined,
          }),
          secrets: () => (token === undefined ? [] : [['the bot’s token', token]]),
          look: async () => ports.look(),
          // The one thing that an attempt may leave in this process.
          restore: async () => inspector.close(),
          now: ports.now,
        },
        {
          progress: () => {
            count += 1
            if (ports.now() - saidAtMs < progressEveryMs) return
            saidAtMs = ports.now()
            progress(fixed(`… ${count} of ${forgeries.length} tried`))
          },
        },
      )
      const fix = ports.fix?.()
      return attackText(results, {
        separation: ports.separation,
        isAll,
        ...(fix === undefined ? {} : { fix }),
      })
    } catch (error) {
      if (error instanceof ProblemError) return fixed(formatProblem(error.problem))
      throw error
    } finally {
      isRunning = false
      ports.look()
      ports.over()
    }
  }
  return { isRunning: () => isRunning, excuses: () => isRunning && excused-- > 0, run }
}
