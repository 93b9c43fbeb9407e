import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { done, open, refused, type Forgery, type ForgeryReport, type Target } from '../forgery.ts'
import { carryOut, openAt, replace } from '../means.ts'
import { alone, opens, undoes } from '../meanings.ts'

const isPlain = (file: string): boolean => {
  const stat = fs.lstatSync(file)
  return stat.isFile() || stat.isDirectory()
}

/** A forgery of gate.yaml, the only file with permissions, which is read at each start. */
const gateFile = (name: string, title: string, meaning: string, yaml: string): Forgery => ({
  name: `gate_yaml.${name}`,
  title,
  counts: 'at start',
  withoutSeparation: { meaning },
  attempt: carryOut('gate.yaml was written')(({ home }) => replace(path.join(home, 'gate.yaml'), yaml)),
})

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

const verbs = [
  'on',
  'off',
  'approve',
  'shadow',
  'promote',
  'revoke',
  'recover',
  'pair',
  'hooks on',
  'y k7f2q',
  'hooks release k7f2q',
  'start --help',
  'audit verify',
  'migrate --from postgres://127.0.0.1:9/none',
  'doctor',
  'fire hooks_on',
  'test on_notification --command true',
]

export const folderForgeries: readonly Forgery[] = [
  {
    name: 'folder.older',
    title: 'put an older copy of the whole folder in its place',
    needs: ['older'],
    counts: 'at start',
    answer: 'anchor',
    withoutSeparation: { meaning: undoes, varies: true },
    attempt: carryOut('the folder is an older one')(({ home, older = '' }) => {
      empty(home)
      fs.cpSync(older, home, { recursive: true, filter: isPlain })
    }),
  },
  {
    name: 'folder.delete',
    title: 'delete the gate’s folder',
    counts: 'at start',
    answer: 'anchor',
    withoutSeparation: { meaning: undoes, varies: true },
    attempt: carryOut('the folder is empty')(({ home }) => empty(home)),
  },
  {
    name: 'folder.parent',
    title: 'replace the gate’s folder by its own',
    withoutSeparation: { meaning: opens },
    attempt: ({ home }) => {
      try {
        fs.rmdirSync(home)
      } catch (error) {
        // Only a user who may also rename the folder gets the error that it is not empty.
        if (error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')
          return openAt(home, 'it can be moved')
        throw error
      }
      return done('it was empty, and was removed')
    },
  },
  {
    name: 'store.edit',
    title: 'write into the store of messages and records',
    withoutSeparation: { meaning: 'It could hide what it did, and put messages into the outbox.' },
    attempt: (target) => {
      const file = path.join(target.home, 'state.db')
      const db = new DatabaseSync(file, { timeout: 2000 })
      try {
        db.prepare('INSERT OR REPLACE INTO fact (key, value) VALUES (?, ?)').run(target.mark, 'forged')
      } finally {
        db.close()
      }
      return openAt(file, 'a row was written')
    },
  },
  {
    name: 'store.destroy',
    title: 'destroy the record of what happened',
    withoutSeparation: { meaning: 'It could hide what it did.' },
    attempt: (target) => {
      const file = path.join(target.home, 'state.db')
      const db = new DatabaseSync(file, { timeout: 2000 })
      try {
        db.exec('DELETE FROM record; DELETE FROM seen')
      } finally {
        db.close()
      }
      return openAt(file, 'every record was deleted')
    },
  },
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
  {
    name: 'second.locked',
    title: 'start a second gate on the same folder',
    timeoutMs: 8000,
    attempt: (target) => startGate(target, { HOOKGATE_OWNERS: 'telegram:666' }),
  },
  {
    name: 'second.unlocked',
    title: 'start a second gate after removing lock and sockets',
    timeoutMs: 9000,
    withoutSeparation: { meaning: opens },
    attempt: async (target) => {
      const run = path.join(target.home, 'run')
      for (const name of fs.readdirSync(run).filter((name) => /\.(sock|lock)$/.test(name)))
        fs.unlinkSync(path.join(run, name))
      return startGate(target, { HOOKGATE_OWNERS: 'telegram:666' })
    },
  },
  {
    name: 'cli.fake_home',
    title: 'start a gate of its own on the page’s port',
    needs: ['page'],
    timeoutMs: 8000,
    attempt: async (target) => {
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
    },
  },
  {
    name: 'cli.verbs',
    title: 'use the command line for what only an owner may do',
    timeoutMs: 15_000,
    attempt: async (target) => {
      const [program = '', ...words] = target.cli
      await Promise.all(
        verbs.map(async (verb) => {
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
      return done(`${verbs.length} verbs were tried`)
    },
  },
]
