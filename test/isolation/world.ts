import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import { createServer, type Server } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { StartAs } from '../../src/shared/gate/separation.ts'
import { until } from '../until.ts'
import { obeyed, planted, type Findings, type Targets } from './intruder.ts'

export interface World {
  readonly home: string
  readonly workspace: string
  readonly root: string
  readonly userHome: string
  /** Stands for the gate, or for what it started: a process with a secret in its environment. */
  bystander(user?: { readonly uid: number; readonly gid: number }): ChildProcess
  listen(name: string): Promise<string>
  /** Lets the intruder in, with somebody's rights, and tells what it could do. */
  intrude(startAs: StartAs, processes?: readonly ChildProcess[]): Promise<Findings>
  stop(): Promise<void>
}

const gateFiles = [
  'secrets/ledger.key',
  'ledger.jsonl',
  'state.db',
  'gate.yaml',
  'run/gate.lock',
  'run/python/sitecustomize.py',
  'seal/abc/guard.sh',
  'hooks/home/log.txt',
  'hooks/tmp/agent.log',
]
const homeFiles = [
  '.bashrc',
  'notes.txt',
  '.config/chromium/Default/Cookies',
  '.local/share/keyrings/login.keyring',
]
const tools = ['tools/bin/tool', '.local/bin/mine', '.config/bin/hidden']
const codeFiles = ['package.json', 'src/cli.ts']

const readOr = (file: string): string | undefined => {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** A gate's folder, a workspace and hookgate's code below one home, as they are on a person's machine. */
export const makeWorld = async (owner?: { readonly uid: number; readonly gid: number }): Promise<World> => {
  const userHome = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hookgate-world-')))
  const at = (...names: readonly string[]): string => path.join(userHome, ...names)
  const [home, workspace, root] = [at('deep', '.hookgate'), at('workspace'), at('code', 'hookgate')]
  const put = (file: string, text: string, mode = 0o600): void => {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text, { mode })
  }
  for (const name of gateFiles)
    put(
      path.join(home, name),
      '#!/bin/sh\necho sealed\n',
      name.startsWith('seal') ? 0o555 : name === 'run/gate.lock' ? 0o600 : 0o644,
    )
  for (const name of homeFiles) put(at(name), 'the person’s own')
  for (const name of tools) put(at(name), '#!/bin/sh\necho runs\n', 0o755)
  for (const name of codeFiles) put(path.join(root, name), '{"type": "module"}', 0o644)
  for (const folder of [workspace, path.join(home, 'run', 'empty'), path.join(root, 'node_modules')])
    fs.mkdirSync(folder, { recursive: true })
  fs.copyFileSync(path.join(import.meta.dirname, 'intruder.ts'), path.join(root, 'intruder.ts'))
  fs.chmodSync(path.join(home, 'secrets'), 0o700)
  if (owner !== undefined) spawnSync('chown', ['-R', `${owner.uid}:${owner.gid}`, userHome])
  fs.chmodSync(userHome, 0o755)

  const children: ChildProcess[] = []
  const servers: Server[] = []
  const sockets: string[] = []
  return {
    home,
    workspace,
    root,
    userHome,
    bystander: (user = owner) => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'bystander'], {
        ...user,
        cwd: '/',
        env: { TOKEN: 'secret' },
        stdio: 'ignore',
      })
      children.push(child)
      return child
    },
    listen: async (name) => {
      const socket = path.join(home, name)
      fs.mkdirSync(path.dirname(socket), { recursive: true })
      const server = createServer((client) => client.on('error', () => undefined).end())
      servers.push(server)
      sockets.push(socket)
      await new Promise<void>((resolve) => server.listen(socket, resolve))
      fs.chmodSync(socket, 0o600)
      if (owner !== undefined) fs.chownSync(socket, owner.uid, owner.gid)
      return socket
    },
    intrude: async (startAs, processes = children) => {
      const [ownSocket = '', ...otherSockets] = sockets
      const commandOf = (pid: number): string =>
        fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      const known = await until(
        'the bystanders',
        () =>
          processes.every(({ pid = 0 }) => commandOf(pid).endsWith('bystander')) &&
          processes.map(({ pid = 0 }) => ({ pid, command: commandOf(pid) })),
      )
      const ipc = fs.readlinkSync('/proc/self/ns/ipc')
      const targets: Targets = {
        home,
        workspace,
        userHome,
        root,
        processes: known,
        ownSocket,
        otherSockets,
        ipc,
      }
      const [targetsFile, outFile] = [
        path.join(workspace, 'targets.json'),
        path.join(workspace, 'findings.json'),
      ]
      fs.rmSync(outFile, { force: true })
      fs.writeFileSync(targetsFile, JSON.stringify(targets), { mode: 0o644 })
      const [file, ...args] = [
        ...startAs.prefix,
        process.execPath,
        path.join(root, 'intruder.ts'),
        targetsFile,
        outFile,
      ] as const
      // Not waited for with the thread: its own sockets are answered by this process.
      const child = spawn(file, args, {
        ...startAs.user,
        cwd: workspace,
        env: { PATH: process.env['PATH'], HOME: startAs.home ?? userHome },
        stdio: ['pipe', 'ignore', 'pipe'],
        detached: true,
      })
      let errors = ''
      child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
      await new Promise((resolve) => child.once('close', resolve))
      if (!fs.existsSync(outFile)) throw new Error(`The intruder could not work: ${errors}`)
      const came = obeyed.map((name): readonly [string, string] => [
        `write ~/${name}`,
        readOr(at(name)) === planted ? 'OPEN: written' : 'held: not there outside',
      ])
      return { ...(JSON.parse(fs.readFileSync(outFile, 'utf8')) as Findings), ...Object.fromEntries(came) }
    },
    stop: async () => {
      for (const child of children) child.kill('SIGKILL')
      for (const server of servers) await new Promise((resolve) => server.close(resolve))
      fs.rmSync(userHome, { recursive: true, force: true })
    },
  }
}

/** What an intruder got through. */
export const openings = (findings: Findings): readonly string[] =>
  Object.entries(findings)
    .filter(([, what]) => what.startsWith('OPEN'))
    .map(([name, what]) => `${name}: ${what}`)
