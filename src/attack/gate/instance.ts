import { execa } from 'execa'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { systemFolders } from '../../shared/hooks/hook-world.ts'
import type { GateFacts } from '../facts.ts'
import { childLike, hookHostLike, stateOf } from '../facts.ts'
import type { Target } from '../forgery.ts'
import { freePort } from './free-port.ts'
import { chooseGuard, forbidden, holding, redacting } from './guard.ts'
import { ask, json } from '../means.ts'
import { layOut } from './lay-out.ts'
import type { AttackMode } from './mode.ts'
import type { Owner } from './owner.ts'
import { openSession } from './page-client.ts'
import { surelyWithinMs, until } from './until.ts'
import { createGateProcess, type GateProcess } from './process.ts'
import { createWaiting, noAnswer, post, verdictOf } from './waiting.ts'

/** The content of the ledger in a gate's folder. */
export interface LedgerFacts {
  readonly problem?: string
  readonly revision: number
  readonly isOn: boolean
  readonly owners: readonly string[]
  readonly approvals: readonly { readonly fingerprint: string; readonly command: string }[]
}

/** Reads the folder of a gate from outside, by the rules of the gate. */
export interface GateReader {
  /** Reads and verifies the ledger. */
  ledger(home: string): LedgerFacts
  /** Reads the setting that bridges use while the gate is away. */
  away(home: string): unknown
}

export interface InstancePorts {
  readonly mode: AttackMode
  readonly owner: Owner
  readonly read: GateReader
  /** The path of hookgate's program. */
  readonly cli: string
  /** The folder of hookgate's own code. */
  readonly tree: string
}

/** A gate that exists only to be attacked. */
export interface Instance {
  target(): Promise<Target>
  /** Returns the state of the running gate and its ledger, seen from outside. */
  gate(): Promise<GateFacts>
  gatePid(): number
  readonly home: string
  readonly workspace: string
  readonly userHome: string
  secrets(): readonly (readonly [string, string])[]
  restart(): Promise<void>
  restore(): Promise<void>
  ownerSwitches(): Promise<void>
  remove(): Promise<void>
}

const copy = async (from: string, to: string): Promise<void> => {
  await rm(to, { recursive: true, force: true })
  await execa('cp', ['-a', from, to])
}

/** Sends what the owner types, and waits for the expected reply. */
const createVoice = (owner: Owner) => {
  const tell = async (words: string, pattern: RegExp): Promise<void> => {
    const from = owner.texts().length
    await owner.say(words)
    await until(`${pattern} in the owner's chat`, () =>
      owner
        .texts()
        .slice(from)
        .find((text) => pattern.test(text)),
    ).catch((error: unknown) => {
      throw new Error(`${String(error)} It shows:\n${owner.texts().slice(from).join('\n---\n')}`)
    })
  }
  return {
    tell,
    approve: (event: string, command: string): Promise<void> =>
      tell(`/hooks approve ${event} ${command}`, /✓ Approved/),
  }
}

/** Tracks the logins that the gate gave, and what a thief has of one of them. */
const createLogins = ({ newLogin }: GateProcess) => {
  const given: string[] = []
  let taken: { readonly stolen: NonNullable<Target['stolen']>; readonly origin: string } | undefined
  const secretOf = (login: string): string => new URL(login).hash.slice(1)
  const fresh = async (): Promise<string> => {
    const login = await newLogin()
    given.push(login)
    return login
  }
  /** Returns a session of the page, the login that opened it and a used proof. */
  const steal = async (): Promise<NonNullable<typeof taken>> => {
    const login = await newLogin()
    const { origin, session, headers } = await openSession(login)
    const used = headers('POST', '/api/say')
    await ask(
      { origin },
      {
        method: 'POST',
        path: '/api/say',
        headers: { ...used, ...json, origin },
        body: JSON.stringify({ text: '/whoami' }),
        timeoutMs: surelyWithinMs,
      },
    )
    // This login stays unused, so that an attempt can look for it.
    await fresh()
    return { origin, stolen: { login: secretOf(login), session, proof: used['dpop'] ?? '' } }
  }
  return {
    fresh,
    stolen: async () => (taken ??= await steal()),
    /** Forgets the stolen session, because a restart of the gate ends it. */
    forget: (): void => void (taken = undefined),
    /** Returns the unused logins. A used login is worth nothing, so the stolen one is not among them. */
    unused: (): readonly string[] => given.map(secretOf),
  }
}

/** The pause before a late gate is asked again, in milliseconds. */
const againMs = 1000
/** Parts of the reasons that a gate, its hook host or its guard gives where a busy machine made it late. */
const lateReasons = [
  'The hook host did not answer in time',
  'Expected the hook host to restart in time',
  'Expected an answer within',
]

/** Returns a function that looks at the running gate from outside: its answers, its ledger and what waits. */
const createLook = ({
  home,
  workspace,
  agents,
  owner,
  read,
  waiting,
  pid,
}: Pick<InstancePorts, 'owner' | 'read'> & {
  readonly home: string
  readonly workspace: string
  readonly agents: readonly string[]
  readonly waiting: ReturnType<typeof createWaiting>
  pid(): number | undefined
}): (() => Promise<GateFacts>) => {
  const judgedAs = async (
    command: string,
    endsAtMs = performance.now() + surelyWithinMs,
  ): Promise<string> => {
    const isRunning = stateOf(pid()) === 'runs'
    const answer = await post(
      home,
      agents.at(-1) ?? 'main',
      '/v1/events/pre_tool_call',
      { session_id: 'look', cwd: workspace, tool_name: 'bash', tool_input: { command } },
      { timeoutMs: isRunning ? 20_000 : 100 },
    )
    const verdict = verdictOf(answer)
    const isLate =
      (isRunning && answer === noAnswer) || lateReasons.some((reason) => verdict.includes(reason))
    if (!isLate || performance.now() > endsAtMs) return verdict
    await delay(againMs)
    return judgedAs(command, endsAtMs)
  }

  return async () => {
    const harmful = await judgedAs(forbidden)
    const harmless = await judgedAs('ls')
    const lockdown = /lockdown: ([^"]*)/.exec(harmless)?.[1]
    const { problem = 'good', revision, isOn, owners, approvals } = read.ledger(home)
    return {
      harmful,
      harmless,
      isAnchored: owner.anchored !== undefined,
      ledger: problem,
      revision,
      isOn,
      owners,
      approvals: approvals.map(({ fingerprint }) => fingerprint),
      ...waiting.facts(),
      unheard: waiting.unheard(),
      unseen: waiting.unseen(),
      away: read.away(home),
      lockdown,
    }
  }
}

/**
 * Starts a gate that exists only to be attacked. It has an owner, a guard that was approved last, two agents
 * where the mode has them, a page with an open session, agents at a desk, and a tool call and a message that
 * wait for the owner. The `gateUser` of the mode runs it and owns its folder, and the `agentUser` owns the
 * workspace.
 */
export const startInstance = async ({ mode, owner, read, cli, tree }: InstancePorts): Promise<Instance> => {
  const { gateUser, agents } = mode
  const root = await mkdtemp(join(tmpdir(), 'hookgate-attack-'))
  const userHome = join(root, 'gate')
  const home = join(userHome, '.hookgate')
  const workspace = join(root, 'agent', 'hookgate')
  const older = join(root, 'older')
  const pristine = join(root, 'pristine')
  const consoleFile = join(userHome, 'console.log')
  const cache = join(root, 'cache')
  const hookPath = [...systemFolders, dirname(process.execPath)]
  const guard = chooseGuard(hookPath)
  const bridgePort = await freePort()
  const folders = { home, workspace, userHome }
  const gateProcess = createGateProcess({ gateUser, owner, cli, folders, console: consoleFile, cache })
  const waiting = createWaiting(home, owner, agents)
  const logins = createLogins(gateProcess)

  const start = async (): Promise<void> => {
    await gateProcess.start()
    logins.forget()
    await owner.enter(logins.fresh)
  }
  const { stop } = gateProcess

  const { tell, approve } = createVoice(owner)

  const gate = createLook({ home, workspace, agents, owner, read, waiting, pid: gateProcess.pid })

  const remove = async (): Promise<void> => {
    await stop()
    await owner.close()
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  /** Starts the gate with a messenger that knows no later state. */
  const restored = async (): Promise<void> => {
    await owner.renew()
    await start()
    await owner.anchored?.(read.ledger(home).revision)
    await waiting.raise()
  }
  /**
   * The owner approves one hook before the older copy is made and three hooks after it, the guard last. Then
   * the owner switches on.
   */
  const setUp = async (): Promise<void> => {
    await layOut({ root, cache, folders, guard, bridgePort, mode, owner })
    await owner.renew()
    await start()
    await approve('on_stop', 'true')
    await stop()
    await copy(home, older)
    await start()
    for (const { event, command } of [redacting, holding.proposal, guard.proposal])
      await approve(event, command)
    await tell('/hooks on', /Hooks are ON/)
    await waiting.hold()
    await waiting.grant()
    await stop()
    await copy(userHome, pristine)
    await copy(dirname(workspace), `${pristine}-agent`)
    await execa('chmod', ['-R', 'a+rX', older])
    await restored()
  }
  await setUp().catch(async (error: unknown) => {
    await remove()
    throw error
  })

  return {
    home,
    workspace,
    userHome,
    gate,
    gatePid: () => gateProcess.pid() ?? 0,
    target: async () => {
      const { stolen, origin } = await logins.stolen()
      const approved = read.ledger(home).approvals.find(({ command }) => command === guard.proposal.command)
      const gatePid = gateProcess.pid() ?? 0
      const hookHostPid = childLike(gatePid, hookHostLike)
      return {
        hasPython: guard.hasPython,
        mark: 'forged-mark',
        home,
        workspace,
        userHome,
        older,
        stolen,
        console: consoleFile,
        tree,
        cli: [process.execPath, cli],
        hookPath,
        gatePid,
        sockets: agents.map((agent) => join(home, 'run', `${agent}.sock`)),
        page: origin,
        bridge: {
          origin: `http://127.0.0.1:${bridgePort}`,
          token: readFileSync(join(home, 'secrets', 'bridge-token'), 'utf8').trim(),
        },
        ...waiting.target(),
        hookHostPid,
        guard: approved && {
          fingerprint: approved.fingerprint,
          proposal: guard.proposal,
          script: join(workspace, guard.script),
          word: forbidden,
        },
      }
    },
    secrets: () => [
      ...owner.secrets,
      ...logins.unused().map((login) => ['a login of the page', login] as const),
    ],
    restart: async () => {
      await stop()
      const started = owner.compared === undefined ? start() : owner.compared(start)
      await started.then(waiting.raise).catch(() => undefined)
    },
    restore: async () => {
      await stop()
      await copy(pristine, userHome)
      await copy(`${pristine}-agent`, dirname(workspace))
      await restored()
    },
    ownerSwitches: async () => {
      await tell('/hooks off', /Hooks are OFF|LOCKDOWN/)
      await tell('/hooks on', /Hooks are ON|LOCKDOWN/)
    },
    remove,
  }
}
