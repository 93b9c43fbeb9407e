import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import {
  doing,
  done,
  forging,
  open,
  refused,
  type Forgery,
  type ForgeryReport,
  type Target,
  alone,
  opens,
  undoes,
} from '../forgery.ts'
import { openAt, replace } from '../means.ts'

const isPlain = (file: string): boolean => {
  const stat = fs.lstatSync(file)
  return stat.isFile() || stat.isDirectory()
}

/** A forgery of gate.yaml, the only file with permissions, which is read at each start. */
const gateFile = (name: string, title: string, meaning: string, yaml: string): Forgery =>
  doing('gate.yaml was written', { counts: 'at start', withoutSeparation: meaning })(
    `gate_yaml.${name}`,
    title,
    ({ home }) => replace(path.join(home, 'gate.yaml'), yaml),
  )

const empty = (folder: string): void => {
  for (const name of fs.readdirSync(folder))
    fs.rmSync(path.join(folder, name), { recursive: true, force: true })
}

const maxStartMs = 4000

/** Starts hookgate and waits for the login that only its console may show. */
const startGate = async (target: Target, env: Readonly<Record<string, string>>): Promise<ForgeryReport> => {
  const [program = '', ...words] = target.cli
  const child = spawn(program, [...words, 'start'], {
    cwd: '/',
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: target.workspace,
      HOOKGATE_HOME: target.home,
      HOOKGATE_WORKSPACE: path.join(target.workspace, `.${target.mark}`),
      HOOKGATE_PORT: '0',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  try {
    await Promise.race([
      once(child, 'exit'),
      delay(maxStartMs),
      (async () => {
        while (!/Open http/.test(output)) await delay(20)
      })(),
    ])
    return /Open http/.test(output)
      ? open('its console gave a login')
      : refused(output.split('\n')[0]?.slice(0, 150) ?? 'it ended')
  } finally {
    if (child.pid !== undefined && child.exitCode === null) {
      child.kill('SIGTERM')
      await Promise.race([once(child, 'exit'), delay(1500)])
      child.kill('SIGKILL')
    }
    fs.rmSync(path.join(target.workspace, `.${target.mark}`), { recursive: true, force: true })
  }
}

const verbs =
  'on, off, approve, shadow, promote, revoke, recover, pair, hooks on, y k7f2q, hooks release k7f2q, ' +
  'start --help, audit verify, migrate --from postgres://127.0.0.1:9/none, doctor, fire hooks_on, ' +
  'test on_notification --command true'

const inStore = (target: Target, what: string, act: (db: DatabaseSync) => void): ForgeryReport => {
  const file = path.join(target.home, 'state.db')
  const db = new DatabaseSync(file, { timeout: 2000 })
  try {
    act(db)
  } finally {
    db.close()
  }
  return openAt(file, what)
}

const undoing = { counts: 'at start', answer: 'anchor', withoutSeparation: undoes, varies: true } as const
const goingBack = doing('the folder is an older one', { needs: ['older'], ...undoing })
const emptying = doing('the folder is empty', undoing)
const takingOver = forging({ withoutSeparation: opens })
const storing = forging({ withoutSeparation: 'It could hide what it did, and put messages into the outbox.' })
const hiding = forging({ withoutSeparation: 'It could hide what it did.' })
const plain = forging()
const onPage = forging({ needs: ['page'] })

export const folderForgeries: readonly Forgery[] = [
  goingBack('folder.older', 'put an older copy of the whole folder in its place', ({ home, older = '' }) => {
    empty(home)
    fs.cpSync(older, home, { recursive: true, filter: isPlain })
  }),
  emptying('folder.delete', 'delete the gate’s folder', ({ home }) => empty(home)),
  takingOver('folder.parent', 'replace the gate’s folder by its own', ({ home }) => {
    try {
      fs.rmdirSync(home)
    } catch (error) {
      // Only a user who may also rename the folder gets the error that it is not empty.
      if (error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')
        return openAt(home, 'it can be moved')
      throw error
    }
    return done('it was empty, and was removed')
  }),
  storing('store.edit', 'write into the store of messages and records', (target) =>
    inStore(target, 'a row was written', (db) =>
      db.prepare('INSERT OR REPLACE INTO fact (key, value) VALUES (?, ?)').run(target.mark, 'forged'),
    ),
  ),
  hiding('store.destroy', 'destroy the record of what happened', (target) =>
    inStore(target, 'every record was deleted', (db) => db.exec('DELETE FROM record; DELETE FROM seen')),
  ),
  gateFile(
    'token',
    'let gate.yaml name another bot',
    'The next start would answer to another bot.',
    'channels: {telegram: {token_env: OTHER_TOKEN, chats: [666]}}\n',
  ),
  gateFile(
    'judge',
    'let gate.yaml send the questions of llm hooks to another model',
    'It could answer in the place of your judge.',
    'llm: {base_url: "http://127.0.0.1:9/v1", model: forged}\n',
  ),
  gateFile(
    'user',
    'let gate.yaml give the agent another user',
    'The next start would give it more rights.',
    'agents: {main: {kind: demo, user: root}}\n',
  ),
  gateFile(
    'away',
    'let gate.yaml allow agents at your desk everything while the gate is away',
    alone,
    'bridge: {unreachable: allow}\n',
  ),
  plain('second.locked', 'start a second gate on the same folder', (target) =>
    startGate(target, { HOOKGATE_OWNERS: 'telegram:666' }),
  ),
  takingOver('second.unlocked', 'start a second gate after removing lock and sockets', async (target) => {
    const run = path.join(target.home, 'run')
    for (const name of fs.readdirSync(run).filter((name) => /\.(sock|lock)$/.test(name)))
      fs.unlinkSync(path.join(run, name))
    return startGate(target, { HOOKGATE_OWNERS: 'telegram:666' })
  }),
  onPage('cli.fake_home', 'start a gate of its own on the page’s port', async (target) => {
    const fake = path.join(target.workspace, `.${target.mark}-home`)
    try {
      return await startGate(target, {
        HOOKGATE_HOME: fake,
        HOOKGATE_PORT: new URL(target.page ?? '').port,
        HOOKGATE_OWNERS: 'telegram:666',
        STARCHILD_SHELL_HOOKS: '1',
      })
    } finally {
      fs.rmSync(fake, { recursive: true, force: true })
    }
  }),
  plain('cli.verbs', 'use the command line for what only an owner may do', async (target) => {
    const [program = '', ...words] = target.cli
    await Promise.all(
      verbs.split(', ').map(async (verb) => {
        const child = spawn(program, [...words, ...verb.split(' ')], {
          cwd: '/',
          env: {
            PATH: process.env['PATH'] ?? '',
            HOME: target.userHome,
            HOOKGATE_HOME: target.home,
            HOOKGATE_WORKSPACE: target.workspace,
            STARCHILD_SHELL_HOOKS: '1',
            HOOKGATE_OWNERS: 'telegram:666',
          },
          stdio: 'ignore',
          timeout: 8000,
          killSignal: 'SIGKILL',
        })
        await once(child, 'exit')
      }),
    )
    return done('all verbs were tried')
  }),
]
