import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { findAccount } from '../../../src/isolation/users/accounts.ts'
import { markName, markOf, reapOrphans } from '../../../src/isolation/orphans.ts'
import { createReadRule } from '../../../src/isolation/reading.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import { prepareUsers, type Users } from '../../../src/isolation/users/users.ts'
import { countOf } from '../../handlers/host/processes.ts'
import { isRoot, makePeople } from '../people.ts'
import { makeWorld, openings, type World } from '../world.ts'

const people = isRoot ? makePeople('agent', 'other', 'hooks') : undefined
afterAll(() => people?.remove())
let world: World | undefined
afterEach(async () => {
  await world?.stop()
  world = undefined
})

const nameOf = (name: 'agent' | 'other' | 'hooks'): string => people?.of(name).name ?? name
const prepare = (
  of: World,
  over: Partial<Parameters<typeof prepareUsers>[0]> = {},
): ReturnType<typeof prepareUsers> =>
  prepareUsers({
    ...of,
    agents: [
      { id: 'main', user: nameOf('agent') },
      { id: 'second', user: nameOf('other') },
    ],
    hooksUser: nameOf('hooks'),
    ...over,
  })
/** Why there are no separate users, and what to do. Undefined: there are. */
const wordsOf = (users: ReturnType<typeof prepareUsers>): string | undefined =>
  'why' in users ? `${proseText(users.why)}. ${proseText(users.fix)}` : undefined
const prepared = (of: World): Users => {
  const users = prepare(of)
  if ('why' in users) throw new Error(wordsOf(users))
  return users
}

describe.runIf(isRoot || process.env['CI'] === 'true')('three users', () => {
  test('the agent reaches its socket and its workspace, and nothing of gate, hooks and the other agent', async () => {
    world = await makeWorld()
    const users = prepared(world)
    const [agent, other] = [users.agents.get('main'), users.agents.get('second')]
    if (agent === undefined || other === undefined) throw new Error('an agent has no user')
    for (const [name, { uid, gid }] of [
      ['run/main.sock', agent],
      ['run/second.sock', other],
      ['run/hooks/s', users.hooks],
    ] as const)
      fs.chownSync(await world.listen(name), uid, gid)
    const bystanders = [world.bystander(), world.bystander(users.hooks), world.bystander(other)]
    const findings = await world.intrude(users.programAs(agent))
    // Another user's memory is kept by its mode; a host has a namespace of its own all the same, which is
    // looked at below.
    const open = openings(findings).filter((line) => !line.startsWith('share memory'))
    expect(open).toEqual([])
    expect(findings).toMatchObject({
      'its own socket': 'works',
      'its own workspace': 'works',
      'process 0 is seen': 'seen',
      'process 1 is seen': 'seen',
    })
    expect(Object.keys(findings).length).toBeGreaterThan(60)
    for (const { exitCode, signalCode } of bystanders) expect([exitCode, signalCode]).toEqual([null, null])
  })

  test("the hooks' user reads and runs seals, enters the workspace and reads neither key nor ledger", async () => {
    world = await makeWorld()
    const users = prepared(world)
    const { prefix, user } = users.programAs(users.hooks)
    const can = (...words: readonly string[]): string => {
      const [file, ...args] = [...prefix, ...words] as const
      const { status, stdout } = spawnSync(file ?? '', args, {
        ...user,
        cwd: world?.workspace,
        encoding: 'utf8',
        env: { PATH: '/usr/bin:/bin' },
      })
      return `${status} ${stdout.trim()}`
    }
    const { home } = world
    expect(can(`${home}/seal/abc/guard.sh`)).toBe('0 sealed')
    expect(can('cat', `${home}/seal/abc/guard.sh`)).toMatch(/^0 /)
    for (const name of ['secrets/ledger.key', 'ledger.jsonl', 'state.db', 'gate.yaml'])
      expect(can('cat', `${home}/${name}`)).toBe('1 ')
    for (const name of ['seal/abc/guard.sh', 'seal/abc/new', 'seal/new'])
      expect(can('sh', '-c', `echo x > ${home}/${name}`)).not.toMatch(/^0/)
    expect(can('ls', `${home}/run/hooks`)).not.toMatch(/^0/)
    expect(
      can(
        'sh',
        '-c',
        'id -G; grep -c "CapEff:.0*$" /proc/self/status; grep -c "NoNewPrivs:.1" /proc/self/status',
      ),
    ).toBe(`0 ${users.hooks.gid}\n1\n1`)
  })

  test("a workspace that was made just now is the agent's; one with something in it is left alone, and told", async () => {
    world = await makeWorld()
    expect('agents' in prepare(world)).toBe(true)
    expect(fs.statSync(world.workspace).uid).toBe(people?.of('agent').uid)
    await world.stop()
    world = await makeWorld()
    fs.writeFileSync(path.join(world.workspace, 'mine.txt'), '')
    expect(wordsOf(prepare(world))).toBe(
      `${nameOf('agent')} cannot write the workspace ${world.workspace}. Give it to the agent: chown -R ${nameOf('agent')} ${world.workspace}`,
    )
    expect(fs.statSync(world.workspace).uid).toBe(0)
  })

  const told: readonly (readonly [
    string,
    (world: World) => Partial<Parameters<typeof prepareUsers>[0]>,
    RegExp,
  ])[] = [
    [
      'a user that is not there',
      () => ({ hooksUser: 'nobody-at-all' }),
      /^there is no user nobody-at-all\. Make it: useradd --system --create-home nobody-at-all \(or name another in gate\.yaml: hooks\.user\)\.$/,
    ],
    [
      'root',
      () => ({ agents: [{ id: 'main', user: 'root' }] }),
      /^root is root\. Name another in gate\.yaml: agents\.main\.user\.$/,
    ],
    [
      'one user for both',
      () => ({ hooksUser: nameOf('agent') }),
      /^agents\.main\.user and hooks\.user are one user or in one group\. Give each its own/,
    ],
    [
      'one user for two agents',
      () => ({
        agents: [
          { id: 'a', user: nameOf('agent') },
          { id: 'b', user: nameOf('agent') },
        ],
      }),
      /^agents\.a\.user and agents\.b\.user are one user/,
    ],
    [
      "a gate's folder that nobody can enter",
      ({ userHome }) => {
        fs.chmodSync(path.join(userHome, 'deep'), 0o700)
        return {}
      },
      /^hgt-\S+ cannot pass through \/\S+\. Name a folder that it can enter: HOOKGATE_HOME=\/var\/lib\/hookgate\.$/,
    ],
    [
      'code that nobody can read',
      ({ userHome }) => {
        fs.chmodSync(path.join(userHome, 'code'), 0o700)
        return {}
      },
      /^hgt-\S+ cannot read \/\S+\. Install hookgate where every user can read it/,
    ],
    [
      'a folder above that the agent could exchange',
      ({ userHome }) => {
        fs.chownSync(path.join(userHome, 'deep'), people?.of('agent').uid ?? 0, 0)
        return {}
      },
      /^\/\S+\/deep can be changed by agent or hooks\. Give it to root/,
    ],
    [
      'code that anybody can change',
      ({ root }) => {
        fs.chmodSync(root, 0o777)
        return {}
      },
      /^\/\S+\/hookgate can be changed by agent or hooks/,
    ],
  ]
  test.each(told)('%s: three users cannot be had, and why', async (_, change, words) => {
    world = await makeWorld()
    const users = prepare(world, change(world))
    expect(wordsOf(users)).toMatch(words)
    expect(fs.statSync(world.workspace).uid).toBe(0)
  })

  test('what an agent puts apart ends with its host: a session of its own, two forks, no environment', async () => {
    world = await makeWorld()
    const users = prepared(world)
    const account = users.agents.get('main')
    if (account === undefined) throw new Error('an agent has no user')
    const { prefix, user, becomes } = users.hostAs(account)
    expect(becomes).toEqual({ uid: account.uid, gid: account.gid })
    const seconds = `${87_000 + Math.floor(Math.random() * 999)}.${process.pid}`
    const apart = `env -i setsid sh -c "(sleep ${seconds} &) " >/dev/null 2>&1; id -u; grep NoNewPrivs /proc/self/status; readlink /proc/self/ns/ipc; read -r word; exit 3`
    const [file, ...args] = [...prefix, '/bin/sh', '-c', apart] as const
    const host = spawn(file, args, {
      ...user,
      cwd: world.workspace,
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const isLeft = (): boolean => countOf(`sleep ${seconds}`) > 0
    let said = ''
    host.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await expect.poll(() => said).toContain('ipc:')
    expect(said).toContain(`${account.uid}`)
    expect(said).not.toContain(fs.readlinkSync('/proc/self/ns/ipc'))
    while (!isLeft()) await new Promise(setImmediate)
    host.stdin.end('go\n')
    const [code]: readonly unknown[] = await once(host, 'exit')
    expect(code).toBe(3)
    await expect.poll(isLeft, { timeout: 10_000 }).toBe(false)
  })

  test("orphans of each user are found by the gate's mark and ended with that user's rights, and nobody else", async () => {
    world = await makeWorld()
    const users = prepared(world)
    const { home } = world
    const left = [...users.agents.values(), users.hooks].map((account) => {
      const { prefix, user } = users.programAs(account)
      const [file, ...args] = [...prefix, 'sleep', '86421'] as const
      const begin = (mark: string): ChildProcess =>
        spawn(file, args, {
          ...user,
          cwd: '/',
          stdio: 'ignore',
          env: { PATH: '/usr/bin:/bin', [markName]: mark },
        })
      return {
        startAs: users.programAs(account),
        orphan: begin(`${markOf(home)}x`),
        other: begin(`${markOf('/another')}x`),
      }
    })
    const isReady = ({ pid = 0 }: ChildProcess): boolean =>
      fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep')
    while (!left.every(({ orphan, other }) => isReady(orphan) && isReady(other)))
      await new Promise(setImmediate)
    await reapOrphans(
      home,
      left.map(({ startAs }) => startAs),
    )
    for (const { orphan, other } of left) {
      if (orphan.signalCode === null) await once(orphan, 'exit')
      expect([orphan.signalCode, other.signalCode]).toEqual(['SIGKILL', null])
      other.kill('SIGKILL')
    }
  })

  test('what the agent proposes is read only if the agent could read it, wherever links led', async () => {
    world = await makeWorld()
    const agent = people?.of('agent')
    if (agent === undefined) throw new Error('the agent has no user')
    fs.chownSync(world.workspace, agent.uid, agent.gid)
    const refuses = createReadRule(world.home, { uid: agent.uid, groups: [agent.gid] })
    const at = (...names: readonly string[]): string => path.join(world?.workspace ?? '', ...names)
    const put = (file: string, mode: number, uid = 0, gid = 0): string => {
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, 'x')
      fs.chmodSync(file, mode)
      fs.chownSync(file, uid, gid)
      return file
    }
    const judged = (file: string): string | undefined => {
      const descriptor = fs.openSync(file, 'r')
      try {
        return refuses(descriptor, file)
      } finally {
        fs.closeSync(descriptor)
      }
    }
    expect(judged(put(at('own.sh'), 0o600, agent.uid))).toBeUndefined()
    expect(judged(put(at('group.sh'), 0o040, 0, agent.gid))).toBeUndefined()
    expect(judged(put(at('all.sh'), 0o644))).toBeUndefined()
    const own = 'a file that the agent itself may not read'
    expect(judged('/etc/shadow')).toBe(own)
    expect(judged(put(at('denied.sh'), 0o077, agent.uid))).toBe(own)
    put(path.join(world.userHome, 'private', 'notes', 'key.pem'), 0o644)
    fs.chmodSync(path.join(world.userHome, 'private'), 0o700)
    fs.symlinkSync(path.join(world.userHome, 'private', 'notes'), at('innocent'))
    expect(judged(at('innocent', 'key.pem'))).toBe(own)
    fs.symlinkSync(path.join(world.home, 'secrets'), at('here'))
    expect(judged(at('here', 'ledger.key'))).toBe('a file inside the gate’s own folder')
    const descriptor = fs.openSync('/etc/shadow', 'r')
    expect(refuses(descriptor, at('own.sh'))).toBe('one that was exchanged while it was opened')
    expect(refuses(descriptor, at('gone.sh'))).toBe('one that was moved while it was opened')
    fs.closeSync(descriptor)
  })
})

test('an account is read as the system reads it: the first line of that name, numbers only, with all its groups', async () => {
  world = await makeWorld()
  const files = { passwd: path.join(world.workspace, 'passwd'), group: path.join(world.workspace, 'group') }
  fs.writeFileSync(
    files.passwd,
    'root:x:0:0::/root:/bin/sh\nada:x:1001:1002:Ada,,,:/home/ada:/bin/sh\nada:x:0:0::/:/bin/sh\nbad:x:-1:5::/:\nhex:x:0x10:5::/:\nlong:x:4294967295:5::/:\nshort:x:7\n',
  )
  fs.writeFileSync(files.group, 'ada:x:1002:\ndocker:x:998:bob,ada\nsudo:x:27:adam\nbroken\n')
  expect(findAccount('ada', files)).toEqual({
    name: 'ada',
    uid: 1001,
    gid: 1002,
    home: '/home/ada',
    groups: [1002, 998],
  })
  for (const name of ['bad', 'hex', 'long', 'short', 'eve', '', 'ada:x'])
    expect(findAccount(name, files)).toBeUndefined()
  expect(findAccount('ada', { passwd: '/nowhere', group: '/nowhere' })).toBeUndefined()
})
