import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { GateFacts } from '../../src/doctor/attack/facts.ts'
import type { Target } from '../../src/doctor/attack/forgery.ts'
import { childLike, hookHostLike, stateOf } from '../../src/doctor/attack/facts.ts'
import { hookPath } from '../../src/hooks/plane.ts'
import { fold } from '../../src/gatekeeper/fold.ts'
import { readKey } from '../../src/gatekeeper/key.ts'
import { verifyLedger } from '../../src/gatekeeper/ledger-lines.ts'
import { isObject } from '../../src/model/json.ts'
import { startBotApi } from '../fixtures/bot-api/server.ts'
import { openClient } from '../fixtures/page-client.ts'
import { cli, until } from '../e2e/program.ts'
import { openPhone, token } from '../e2e/rig.ts'

export interface User {
  readonly uid: number
  readonly gid: number
}

export interface Instance {
  target(): Promise<Target>
  /** What the running gate does and its ledger says, looked at from outside. */
  gate(): Promise<GateFacts>
  gatePid(): number
  readonly home: string
  readonly workspace: string
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
answer = {"decision": "block", "reason": "forbidden"} if "${word}" in text else {}
if " GIT" in text:
    subprocess.run(["git", "status"], capture_output=True)
if "SLOWLY" in text:
    time.sleep(10 if "FOREVER" in text else 1.5)
if answer:
    print(json.dumps(answer))
`
const proposal = { event: 'pre_tool_call', command: './guard.py', on_error: 'block', timeout: 3, files: ['words.txt'] }

const killed = async (child: ChildProcess | undefined): Promise<void> => {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((done) => child.once('exit', done))
  child.kill('SIGKILL')
  child.kill('SIGCONT')
  await gone
}

/**
 * A gate of its own, made to be broken: an owner, a guard that was approved last, two agents, a page with an open session.
 * `gateUser` runs it and owns its folder; `agentUser` owns the workspace and the agents' sockets.
 */
export const startInstance = async ({ gateUser, agentUser }: { readonly gateUser?: User; readonly agentUser?: User } = {}): Promise<Instance> => {
  const root = await mkdtemp(join(tmpdir(), 'hg-attack-'))
  const api = await startBotApi({ token })
  const phone = openPhone(api)
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
  const login = (): string | undefined => (existsSync(join(home, 'secrets', 'login')) ? /Open (\S+)/.exec(readFileSync(join(home, 'secrets', 'login'), 'utf8'))?.[1] : undefined)
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
      ...gateUser, cwd: userHome, stdio: ['pipe', out, out],
      env: { PATH: process.env['PATH'] ?? '', HOME: userHome, HOOKGATE_PORT: '0', HOOKGATE_HOME: home, HOOKGATE_WORKSPACE: workspace, TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: api.root, HOOKGATE_OWNERS: 'telegram:7', NODE_COMPILE_CACHE: cache },
    })
    closeSync(out)
    child.stdin?.on('error', () => undefined)
    const mine = child
    await until('the gate to start', () => {
      if (mine.exitCode !== null) throw new Error(`hookgate ended with ${mine.exitCode}:\n${output()}`)
      return /Type \/hooks.*in the chat\.\n/.test(output())
    }, 20_000)
    // As the separation into users leaves them: an agent's socket is the agent's.
    for (const agent of agents) await own(join(home, 'run', `${agent}.sock`), agent === 'main' ? agentUser : gateUser)
    stolen = undefined
  }
  const stop = async (): Promise<void> => killed(child)

  /** A session of the page, the login that opened it and a proof that was used: all as a thief would have them. */
  const steal = async (): Promise<NonNullable<Target['stolen']>> => {
    lastLogin = await newLogin()
    const client = await openClient(lastLogin)
    const { origin, hash } = new URL(lastLogin)
    const headers = client.headers('POST', '/api/say')
    await fetch(`${origin}/api/say`, { method: 'POST', headers: { ...headers, origin, 'content-type': 'application/json' }, body: JSON.stringify({ text: '/whoami' }) })
    // One that nobody used yet, for whoever can read it.
    await newLogin()
    return { login: hash.slice(1), session: client.session, proof: headers['dpop'] ?? '' }
  }

  const ask = (agent: string, command: string): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const sent = request({ socketPath: join(home, 'run', `${agent}.sock`), method: 'POST', path: '/v1/events/pre_tool_call', headers: { 'content-type': 'application/json' }, timeout: stateOf(child?.pid) === 'runs' ? 20_000 : 100 }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => resolve(JSON.parse(text)))
    })
    sent.on('timeout', () => sent.destroy()).on('error', () => resolve('no answer'))
    sent.end(JSON.stringify({ session_id: 'look', cwd: workspace, tool_name: 'bash', tool_input: { command } }))
    return promise
  }
  const verdictOf = (answer: unknown): string => (isObject(answer) ? JSON.stringify([answer['verdict'], answer['reason']]) : 'no answer')

  const gate = async (): Promise<GateFacts> => {
    const harmful = verdictOf(await ask('other', word))
    const harmless = verdictOf(await ask('other', 'ls'))
    const lockdown = /lockdown: ([^"]*)/.exec(harmless)?.[1]
    const key = readKey(home)
    const text = await Promise.resolve().then(() => readFileSync(join(home, 'ledger.jsonl'))).catch(() => Buffer.alloc(0))
    const verified = Buffer.isBuffer(key) ? verifyLedger(text, key) : { entries: [], problem: key }
    const { state } = fold(verified.entries)
    return {
      harmful, harmless, ledger: verified.problem ?? 'good', revision: state.revision, isOn: state.isOn, owners: [...state.owners.keys()], approvals: [...state.approvals.keys()],
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
  /** An owner who approved two hooks, one before the older copy was made and the guard after it, and switched on. */
  const setUp = async (): Promise<void> => {
    await chmod(root, 0o755)
    await folder(userHome, gateUser)
    await folder(dirname(workspace), agentUser)
    await folder(workspace, agentUser)
    await folder(home, gateUser)
    await mkdir(cache, { mode: 0o700 })
    await own(cache, gateUser)
    await chmod(home, 0o711)
    await writeFile(join(home, 'gate.yaml'), 'agents: {main: {kind: demo}, other: {kind: demo}}\n')
    await own(join(home, 'gate.yaml'), gateUser)
    await folder(join(workspace, 'config'), agentUser)
    await writeFile(join(workspace, 'guard.py'), guardScript, { mode: 0o755 })
    await writeFile(join(workspace, 'words.txt'), 'what it reads\n')
    await writeFile(join(workspace, 'config', 'shell_hooks.yaml'), JSON.stringify({ hooks: [proposal, { event: 'on_stop', command: 'true' }] }))
    await writeFile(join(workspace, 'config', 'agent.yaml'), 'shell_hooks: {enabled: false}\n')
    if (agentUser !== undefined) execFileSync('chown', ['-R', `${agentUser.uid}:${agentUser.gid}`, dirname(workspace)])

    await start()
    await phone.ask('/hooks approve on_stop true', /✓ Approved/)
    await stop()
    copy(home, older)
    await start()
    await phone.ask(`/hooks approve ${proposal.event} ${proposal.command}`, /✓ Approved/)
    await phone.ask('/hooks on', /Hooks are ON/)
    await stop()
    copy(userHome, pristine)
    copy(dirname(workspace), `${pristine}-agent`)
    execFileSync('chmod', ['-R', 'a+rX', older])
    await start()
  }
  await setUp().catch(async (error: unknown) => {
    await remove()
    throw error
  })

  return {
    home, workspace, gate,
    gatePid: () => child?.pid ?? 0,
    target: async () => {
      stolen ??= await steal()
      const key = readKey(home)
      const approvals = Buffer.isBuffer(key) ? [...fold(verifyLedger(readFileSync(join(home, 'ledger.jsonl')), key).entries).state.approvals.values()] : []
      const guard = approvals.find(({ entry }) => entry.command === proposal.command)
      const gatePid = child?.pid ?? 0
      const hookHostPid = childLike(gatePid, hookHostLike)
      return {
        isDisposable: true, mark: 'forged-mark', home, workspace, userHome, older, stolen, console: consoleFile,
        tree: resolve(import.meta.dirname, '../..'), cli: [process.execPath, cli], hookPath: hookPath.split(':'), gatePid, sockets: agents.map((agent) => join(home, 'run', `${agent}.sock`)),
        page: new URL(lastLogin).origin, isOn: true,
        ...(hookHostPid === undefined ? {} : { hookHostPid }),
        ...(guard === undefined ? {} : { guard: { fingerprint: guard.fingerprint, proposal, script: join(workspace, 'guard.py'), word } }),
      }
    },
    secrets: () => [['the bot’s token', token], ...logins.map((login) => ['a login of the page', new URL(login).hash.slice(1)] as const), ['the console’s login', logins.at(-1) ?? '']],
    restart: async () => {
      await stop()
      await start().catch(() => undefined)
    },
    restore: async () => {
      await stop()
      copy(pristine, userHome)
      copy(`${pristine}-agent`, dirname(workspace))
      await start()
    },
    ownerSwitches: async () => {
      await phone.ask('/hooks off', /Hooks are OFF/)
      await phone.ask('/hooks on', /Hooks are ON/)
    },
    texts: phone.texts,
    remove,
  }
}
