import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'

/** What an intruder may try its hands on. */
export interface Targets {
  readonly home: string
  readonly workspace: string
  readonly userHome: string
  /** hookgate's own code. */
  readonly root: string
  /** Processes that it must not reach, by number, with how each was started. */
  readonly processes: readonly { readonly pid: number; readonly command: string }[]
  readonly ownSocket: string
  readonly otherSockets: readonly string[]
  /** Names where the gate's own shared memory and message queues are. */
  readonly ipc: string
}

/** Files of the home that other programs obey, and what an intruder writes into them. */
export const obeyed = [
  '.bashrc',
  '.profile',
  '.npmrc',
  '.config/autostart/planted.desktop',
  '.local/bin/planted',
]
export const planted = 'planted'

/** What was tried, and what came of it: `held: …` or `OPEN: …`. */
export type Findings = Readonly<Record<string, string>>

/*
 * Run as the agent's tools are: tries everything that would give it the gate, and writes what came of it into
 * a file. It stops, kills and traces for real: what it is let near does not survive it.
 */
const findings: Record<string, string> = {}
const attempt = (what: string, act: () => unknown): void => {
  try {
    const came = act()
    findings[what] =
      came === undefined ? 'held: nothing is there' : `OPEN: ${JSON.stringify(came).slice(0, 60)}`
  } catch (error) {
    findings[what] = `held: ${error instanceof Error && 'code' in error ? String(error.code) : 'refused'}`
  }
}
const canConnect = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const client = connect(socket, () => resolve(true)).on('error', () => resolve(false))
    client.unref()
  })

const ptrace = `import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
sys.exit(0 if libc.ptrace(16, int(sys.argv[1]), 0, 0) == 0 else 1)`

const tryFiles = ({ home, root, ipc }: Targets): void => {
  for (const name of [
    'secrets/ledger.key',
    'ledger.jsonl',
    'state.db',
    'state.db-wal',
    'gate.yaml',
    'run/gate.lock',
  ])
    attempt(`read ${name}`, () => fs.readFileSync(path.join(home, name)).length)
  for (const name of ['.', 'secrets', 'seal', 'run', 'run/hooks'])
    attempt(
      `list ${name}`,
      () =>
        fs
          .readdirSync(path.join(home, name))
          .filter((entry) => !['agents', 'run', 'main.sock'].includes(entry))
          .join(' ') || undefined,
    )
  for (const name of [
    'planted',
    'seal/planted',
    'secrets/planted',
    'run/planted',
    'run/python/sitecustomize.py',
    'gate.yaml',
  ]) {
    attempt(`write ${name}`, () => {
      fs.writeFileSync(path.join(home, name), 'planted')
      return 'written'
    })
  }
  for (const name of ['home', 'tmp']) {
    const own = path.join(home, 'hooks', name)
    attempt(`list hooks/${name}`, () => fs.readdirSync(own).join(' '))
    attempt(`write hooks/${name}/planted`, () => fs.writeFileSync(path.join(own, 'planted'), '') ?? 'written')
    attempt(`replace hooks/${name} by a link`, () => {
      fs.renameSync(own, `${own}.moved`)
      fs.symlinkSync(path.dirname(root), own)
      return 'replaced'
    })
  }
  for (const folder of [home, path.dirname(home), root, path.dirname(root)]) {
    attempt(
      `move ${folder === home || folder === root ? 'the' : 'what is above the'} ${folder === home || folder === path.dirname(home) ? "gate's folder" : 'code'}`,
      () => {
        fs.renameSync(folder, `${folder}.moved`)
        fs.renameSync(`${folder}.moved`, folder)
        return 'moved'
      },
    )
  }
  for (const name of ['package.json', 'src/cli.ts', 'planted.ts', 'node_modules/planted']) {
    const file = path.join(root, name)
    attempt(`write hookgate's ${name}`, () => {
      fs.closeSync(fs.openSync(file, fs.existsSync(file) ? 'r+' : 'w'))
      return 'written'
    })
  }
  attempt('write node itself', () => fs.closeSync(fs.openSync(process.execPath, 'r+')) ?? 'written')
  attempt('read the disk', () =>
    fs
      .readdirSync('/dev')
      .filter((name) => /^(sd|vd|nvme|mem$|kmem$|port$)/.test(name))
      .find((name) => fs.openSync(`/dev/${name}`, 'r')),
  )
  attempt('write what the kernel starts', () => fs.openSync('/proc/sys/kernel/core_pattern', 'r+'))
  attempt('write a program of the system', () => fs.openSync('/usr/bin/env', 'r+'))
  attempt('be another user', () =>
    execFileSync(process.execPath, ['-e', `process.setuid(${process.getuid?.() === 0 ? 1 : 0})`], {
      stdio: 'ignore',
    }),
  )
  // Shared memory and queues of System V and POSIX belong to the namespace, whoever runs in it.
  attempt('share memory with the gate', () =>
    fs.readlinkSync('/proc/self/ns/ipc') === ipc ? 'shared' : undefined,
  )
  attempt('sudo', () => execFileSync('sudo', ['-n', 'true'], { stdio: 'ignore' }))
  attempt(
    'unmount what hides the gate',
    () =>
      execFileSync(
        'unshare',
        [
          '--user',
          '--map-root-user',
          '--mount',
          'sh',
          '-c',
          `umount -l ${home} && cat ${home}/secrets/ledger.key`,
        ],
        { stdio: ['ignore', 'pipe', 'ignore'] },
      ).length,
  )
  const bits = /^CapEff:\s*(\S+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  findings['rights of its own'] = /^0+$/.test(bits) ? 'held: none' : `OPEN: ${bits}`
}

/** What a person keeps at home, and what a shell or another program there obeys. */
const tryHome = ({ userHome, root }: Targets): void => {
  const at = (name: string): string => path.join(userHome, name)
  for (const name of ['notes.txt', '.config/chromium/Default/Cookies', '.local/share/keyrings/login.keyring'])
    attempt(`read ~/${name}`, () => fs.readFileSync(at(name)).length)
  // Whether it is there outside is for whoever looks from there.
  for (const name of obeyed) {
    try {
      fs.mkdirSync(path.dirname(at(name)), { recursive: true })
      fs.writeFileSync(at(name), planted)
    } catch {}
  }
  for (const name of ['tools/bin/tool', '.local/bin/mine']) {
    attempt(`write ~/${name}`, () => fs.openSync(at(name), 'r+'))
    attempt(`move ~/${name}`, () => fs.renameSync(at(name), at(`${name}.moved`)) ?? 'moved')
  }
  for (const file of [path.join(root, 'package.json'), at('tools/bin/tool')]) {
    const script = 'mount -o remount,bind,rw "$1" || mount -o remount,rw "$1"; : >> "$1/$2"'
    attempt(
      `mount anew, to be written: ${path.basename(file)}`,
      () =>
        execFileSync(
          'unshare',
          [
            '--user',
            '--map-root-user',
            '--mount',
            'sh',
            '-c',
            script,
            'sh',
            path.dirname(file),
            path.basename(file),
          ],
          { stdio: 'ignore' },
        ) ?? 'written',
    )
  }
  attempt('take over the first process', () => fs.readFileSync('/proc/1/environ').length)
  for (const name of ['tools/bin/tool', '.local/bin/mine']) {
    try {
      findings[`run ~/${name}`] = execFileSync(at(name), { encoding: 'utf8' }).trim()
    } catch {
      findings[`run ~/${name}`] = 'does not run'
    }
  }
  try {
    fs.writeFileSync(path.join(process.env['HOME'] ?? '', '.its-own'), 'x')
    findings['its own home'] = 'works'
  } catch {
    findings['its own home'] = 'does not work'
  }
}

const tryProcesses = ({ processes }: Targets): void => {
  for (const [index, { pid, command }] of processes.entries()) {
    const name = `process ${index}`
    // In a namespace of its own the number may be somebody else's.
    const isSeen = (): boolean => {
      try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === command
      } catch {
        return false
      }
    }
    findings[`${name} is seen`] = isSeen() ? 'seen' : 'not seen'
    for (const file of ['environ', 'maps', 'mem', 'cwd', 'fd']) {
      attempt(`${name}: ${file}`, () => {
        if (!isSeen()) return undefined
        if (file === 'cwd') return fs.readlinkSync(`/proc/${pid}/${file}`)
        if (file === 'fd') return fs.readdirSync(`/proc/${pid}/${file}`).length
        return fs.readSync(
          fs.openSync(`/proc/${pid}/${file}`, 'r'),
          Buffer.alloc(16),
          0,
          16,
          file === 'mem' ? 4096 : 0,
        )
      })
    }
    attempt(`${name}: ptrace`, () =>
      isSeen()
        ? execFileSync('python3', ['-c', ptrace, String(pid)], {
            stdio: 'ignore',
            env: { PATH: '/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin' },
          })
        : undefined,
    )
    for (const signal of ['SIGCONT', 'SIGUSR1', 'SIGSTOP', 'SIGKILL'] as const)
      attempt(`${name}: ${signal}`, () => (isSeen() ? process.kill(pid, signal) : undefined))
  }
}

const trySockets = async ({ ownSocket, otherSockets, workspace }: Targets): Promise<void> => {
  for (const socket of otherSockets)
    findings[`connect ${path.basename(path.dirname(socket))}/${path.basename(socket)}`] = (await canConnect(
      socket,
    ))
      ? 'OPEN: connected'
      : 'held: refused'
  findings['its own socket'] = (await canConnect(ownSocket)) ? 'works' : 'does not work'
  try {
    fs.writeFileSync(path.join(workspace, 'its-own.txt'), 'x')
    findings['its own workspace'] = 'works'
  } catch {
    findings['its own workspace'] = 'does not work'
  }
}

const [targetsFile, outFile] = process.argv.slice(2)
if (import.meta.main && targetsFile !== undefined && outFile !== undefined) {
  const targets = JSON.parse(fs.readFileSync(targetsFile, 'utf8')) as Targets
  tryHome(targets)
  tryFiles(targets)
  await trySockets(targets)
  tryProcesses(targets)
  fs.writeFileSync(outFile, JSON.stringify(findings))
  process.exit(0)
}
