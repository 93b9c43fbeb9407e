import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { GateFacts } from '../../src/doctor/attack/facts.ts'
import type { Target } from '../../src/doctor/attack/forgery.ts'
import { childLike, hookHostLike, stateOf } from '../../src/doctor/attack/facts.ts'
import { systemFolders } from '../../src/model/hook-world.ts'
import { readSwitch } from '../../src/bridge/switch-file.ts'
import { fold } from '../../src/gatekeeper/fold.ts'
import { readKey } from '../../src/gatekeeper/key.ts'
import { verifyLedger } from '../../src/gatekeeper/ledger-lines.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { openClient } from '../fixtures/page-client.ts'
import { freePort } from '../free-port.ts'
import { cli, until } from '../e2e/program.ts'
import { openPhone, token, type Chat } from '../e2e/rig.ts'
import type { Mode, User } from './modes.ts'
import { createWaiting, heldChat, post, verdictOf } from './waiting.ts'

export interface Instance {
  target(): Promise<Target>
  /** What the running gate does and its ledger says, looked at from outside. */
  gate(): Promise<GateFacts>
  gatePid(): number
  readonly home: string
  readonly workspace: string
  readonly userHome: string
  secrets(): readonly (readonly [string, string])[]
  restart(): Promise<void>
  restore(): Promise<void>
  ownerSwitches(): Promise<void>
  /** What the owner's chat shows. */
  texts(): readonly string[]
  remove(): Promise<void>
}

const word = 'FORBIDDEN'
const guardScript = `#!/usr/bin/env python3
import json, subprocess, sys, time
payload = json.load(sys.stdin)
text = json.dumps(payload.get("tool_input"))
answer = {"decision": "block", "reason": "forbidden"} if "${word}" in text else {"decision": "ask", "reason": "a person has to say"} if "ASKME" in text else {}
if " GIT" in text:
    subprocess.run(["git", "status"], capture_output=True)
if "SLOWLY" in text:
    time.sleep(10 if "FOREVER" in text else 1.5)
if answer:
    print(json.dumps(answer))
`
const proposal = {
  event: 'pre_tool_call',
  command: './guard.py',
  on_error: 'block',
  timeout: 3,
  files: ['words.txt'],
}
const holding = { event: 'on_outbound_message', command: './hold.sh', matcher: 'HOLDME', on_error: 'block' }
const holdScript = '#!/bin/sh\necho \'{"decision": "ask", "reason": "a person has to say"}\'\n'

const approve = (phone: Chat, event: string, command: string): Promise<string> =>
  phone.ask(`/hooks approve ${event} ${command}`, /✓ Approved/)

const killed = async (child: ChildProcess | undefined): Promise<void> => {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((done) => child.once('exit', done))
  child.kill('SIGKILL')
  child.kill('SIGCONT')
  await gone
}

/**
 * A gate of its own, made to be broken: an owner, a guard that was approved last, two agents, a page with an open session,
 * agents at a desk, a tool call and a message that wait for the owner's word.
 * The mode's `gateUser` runs it and owns its folder; its `agentUser` owns the workspace.
 */
export const startInstance = async ({ gateUser, agentUser, yaml }: Mode): Promise<Instance> => {
  const root = await mkdtemp(join(tmpdir(), 'hg-attack-'))
  let apis = 0
  let api: BotApi
  let phone: Chat
  /** Nothing is pinned there yet: what one keeps pinned would tell a gate that was made whole that it was put back. */
  const newApi = async (): Promise<void> => {
    apis += 1
    api = await startBotApi({ token, firstUpdateId: apis * 1_000_000 })
    phone = openPhone(api)
  }
  await newApi()
  const userHome = join(root, 'gate')
  const home = join(userHome, '.hookgate')
  const workspace = join(root, 'agent', 'hookgate')
  const older = join(root, 'older')
  const pristine = join(root, 'pristine')
  const consoleFile = join(userHome, 'console.log')
  const cache = join(root, 'cache')
  const agents = ['main', 'other']
  let child: ChildProcess | undefined
  let lastLogin = ''
  let stolen: Target['stolen']
  const bridgePort = await freePort()
  const waiting = createWaiting(home, () => api)

  const own = async (path: string, user: User | undefined): Promise<void> => {
    if (user !== undefined) await chown(path, user.uid, user.gid)
  }
  const folder = async (path: string, user: User | undefined): Promise<void> => {
    await mkdir(path, { recursive: true })
    await chmod(path, 0o755)
    await own(path, user)
  }
  const output = (): string => readFileSync(consoleFile, 'utf8')
  /** The login that stands ready: the console goes to a file, so it is in another. */
  const login = (): string | undefined =>
    existsSync(join(home, 'secrets', 'login'))
      ? /Open (\S+)/.exec(readFileSync(join(home, 'secrets', 'login'), 'utf8'))?.[1]
      : undefined
  const bridgeToken = (): string => readFileSync(join(home, 'secrets', 'bridge-token'), 'utf8').trim()
  const logins: string[] = []
  const newLogin = async (): Promise<string> => {
    const before = login()
    child?.stdin?.write('\n')
    const fresh = await until('a login', () => login() !== before && login())
    logins.push(fresh)
    return fresh
  }

  const start = async (): Promise<void> => {
    await writeFile(consoleFile, '')
    await own(consoleFile, gateUser)
    const out = openSync(consoleFile, 'a')
    child = spawn(process.execPath, [cli, 'start'], {
      ...gateUser,
      cwd: userHome,
      stdio: ['pipe', out, out],
      // A folder of the agent's on the person's PATH, before all others.
      env: {
        PATH: `${join(workspace, 'bin')}:${process.env['PATH'] ?? ''}`,
        HOME: userHome,
        HOOKGATE_PORT: '0',
        HOOKGATE_HOME: home,
        HOOKGATE_WORKSPACE: workspace,
        TELEGRAM_BOT_TOKEN: token,
        TELEGRAM_API_ROOT: api.root,
        HOOKGATE_OWNERS: 'telegram:7',
        NODE_COMPILE_CACHE: cache,
      },
    })
    closeSync(out)
    child.stdin?.on('error', () => undefined)
    const mine = child
    await until(
      'the gate to start',
      () => {
        if (mine.exitCode !== null) throw new Error(`hookgate ended with ${mine.exitCode}:\n${output()}`)
        return /Type \/hooks.*in the chat\.\n/.test(output())
      },
      20_000,
    )
    stolen = undefined
  }
  /** The gate has compared itself with what is pinned. */
  const compared = async (asked: number): Promise<void> => {
    await api.waitFor(() => api.calls('getChat').length > asked, 4000).catch(() => undefined)
    await new Promise((done) => setTimeout(done, 1000))
  }
  /** How far the ledger has come is kept outside. */
  const anchored = (): Promise<unknown> =>
    until(
      'the anchor',
      () => api.pinned(7)?.text?.includes(`revision ${readLedger().state.revision} `) ?? false,
    )
  const stop = async (): Promise<void> => killed(child)

  /** A session of the page, the login that opened it and a proof that was used: all as a thief would have them. */
  const steal = async (): Promise<NonNullable<Target['stolen']>> => {
    lastLogin = await newLogin()
    const client = await openClient(lastLogin)
    const { origin, hash } = new URL(lastLogin)
    const headers = client.headers('POST', '/api/say')
    await fetch(`${origin}/api/say`, {
      method: 'POST',
      headers: { ...headers, origin, 'content-type': 'application/json' },
      body: JSON.stringify({ text: '/whoami' }),
    })
    // One that nobody used yet, for whoever can read it.
    await newLogin()
    return { login: hash.slice(1), session: client.session, proof: headers['dpop'] ?? '' }
  }

  const ask = (command: string): Promise<unknown> =>
    post(
      home,
      'other',
      '/v1/events/pre_tool_call',
      { session_id: 'look', cwd: workspace, tool_name: 'bash', tool_input: { command } },
      { timeoutMs: stateOf(child?.pid) === 'runs' ? 20_000 : 100 },
    )

  const readLedger = (): {
    readonly state: ReturnType<typeof fold>['state']
    readonly problem: string | undefined
  } => {
    const key = readKey(home)
    const file = join(home, 'ledger.jsonl')
    const { entries, problem } = Buffer.isBuffer(key)
      ? verifyLedger(existsSync(file) ? readFileSync(file) : Buffer.alloc(0), key)
      : { entries: [], problem: key }
    return { state: fold(entries).state, problem }
  }

  const gate = async (): Promise<GateFacts> => {
    const harmful = verdictOf(await ask(word))
    const harmless = verdictOf(await ask('ls'))
    const lockdown = /lockdown: ([^"]*)/.exec(harmless)?.[1]
    const { state, problem } = readLedger()
    return {
      harmful,
      harmless,
      isAnchored: true,
      ledger: problem ?? 'good',
      revision: state.revision,
      isOn: state.isOn,
      owners: [...state.owners.keys()],
      approvals: [...state.approvals.keys()],
      ...waiting.facts(),
      unheard: waiting.unheard(),
      away: readSwitch(home),
      ...(lockdown === undefined ? {} : { lockdown }),
    }
  }

  const copy = (from: string, to: string): void => {
    execFileSync('rm', ['-rf', to])
    execFileSync('cp', ['-a', from, to])
  }

  const remove = async (): Promise<void> => {
    await stop()
    await api.stop()
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  /** Under a bot that knows of no later state. */
  const restored = async (): Promise<void> => {
    await api.stop()
    await newApi()
    await start()
    await anchored()
    await waiting.raise()
  }
  /** An owner who approved two hooks, one before the older copy was made and the guard after it, and switched on. */
  const setUp = async (): Promise<void> => {
    await chmod(root, 0o755)
    await folder(userHome, gateUser)
    await folder(dirname(workspace), agentUser)
    await folder(workspace, agentUser)
    await folder(home, gateUser)
    await mkdir(cache, { mode: 0o700 })
    await own(cache, gateUser)
    await writeFile(
      join(home, 'gate.yaml'),
      `${yaml}channels: {telegram: {chats: [${heldChat}]}}\nbridge: {http: {port: ${bridgePort}}}\n`,
    )
    await own(join(home, 'gate.yaml'), gateUser)
    await folder(join(workspace, 'config'), agentUser)
    await folder(join(workspace, 'bin'), agentUser)
    await writeFile(join(workspace, 'guard.py'), guardScript, { mode: 0o755 })
    await writeFile(join(workspace, 'hold.sh'), holdScript, { mode: 0o755 })
    await writeFile(join(workspace, 'words.txt'), 'what it reads\n')
    await writeFile(
      join(workspace, 'config', 'shell_hooks.yaml'),
      JSON.stringify({ hooks: [proposal, holding, { event: 'on_stop', command: 'true' }] }),
    )
    await writeFile(join(workspace, 'config', 'agent.yaml'), 'shell_hooks: {enabled: false}\n')
    if (agentUser !== undefined)
      execFileSync('chown', ['-R', `${agentUser.uid}:${agentUser.gid}`, dirname(workspace)])

    await start()
    await approve(phone, 'on_stop', 'true')
    await stop()
    copy(home, older)
    await start()
    for (const { event, command } of [holding, proposal]) await approve(phone, event, command)
    await phone.ask('/hooks on', /Hooks are ON/)
    await waiting.hold()
    await stop()
    copy(userHome, pristine)
    copy(dirname(workspace), `${pristine}-agent`)
    execFileSync('chmod', ['-R', 'a+rX', older])
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
    gatePid: () => child?.pid ?? 0,
    target: async () => {
      stolen ??= await steal()
      const guard = [...readLedger().state.approvals.values()].find(
        ({ entry }) => entry.command === proposal.command,
      )
      const gatePid = child?.pid ?? 0
      const hookHostPid = childLike(gatePid, hookHostLike)
      return {
        isDisposable: true,
        mark: 'forged-mark',
        home,
        workspace,
        userHome,
        older,
        stolen,
        console: consoleFile,
        tree: resolve(import.meta.dirname, '../..'),
        cli: [process.execPath, cli],
        hookPath: [...systemFolders, dirname(process.execPath)],
        gatePid,
        sockets: agents.map((agent) => join(home, 'run', `${agent}.sock`)),
        page: new URL(lastLogin).origin,
        isOn: true,
        bridge: { origin: `http://127.0.0.1:${bridgePort}`, token: bridgeToken() },
        ...waiting.target(),
        ...(hookHostPid === undefined ? {} : { hookHostPid }),
        ...(guard === undefined
          ? {}
          : {
              guard: { fingerprint: guard.fingerprint, proposal, script: join(workspace, 'guard.py'), word },
            }),
      }
    },
    // One that was used is worth nothing.
    secrets: () => [
      ['the bot’s token', token],
      ...logins
        .filter((login) => login !== lastLogin)
        .map((login) => ['a login of the page', new URL(login).hash.slice(1)] as const),
    ],
    restart: async () => {
      await stop()
      const asked = api.calls('getChat').length
      await start()
        .then(() => compared(asked))
        .then(waiting.raise)
        .catch(() => undefined)
    },
    restore: async () => {
      await stop()
      copy(pristine, userHome)
      copy(`${pristine}-agent`, dirname(workspace))
      await restored()
    },
    ownerSwitches: async () => {
      await phone.ask('/hooks off', /Hooks are OFF|LOCKDOWN/)
      await phone.ask('/hooks on', /Hooks are ON|LOCKDOWN/)
    },
    texts: () => phone.texts(),
    remove,
  }
}
