import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { prepareGit } from '../../src/handlers/host/git/git-wrapper.ts'
import { startHookHost, type HookHost } from '../../src/handlers/host/host.ts'
import { startAsGate, type StartAs } from '../../src/shared/gate/separation.ts'
import { chainOf, countOf, pidOf, request } from '../handlers/host/processes.ts'
import { shellsWith } from '../handlers/host/ahead.ts'
import { findAs } from './find-as.ts'
import { hijack, stolen } from './hijack.ts'
import { isRoot, makePeople } from './people.ts'
import { makeWorld, type World } from './world.ts'
import { until } from '../until.ts'

const people = isRoot ? makePeople('person') : undefined
afterAll(() => people?.remove())
let world: World
let host: HookHost
afterEach(async () => {
  await host.stop()
  await world.stop()
})

/** As many seconds, and digits behind them that no other run of these tests has. */
const odd = (seconds: number): string => `${seconds}${process.pid}`
const untilNone = (command: string): Promise<void> =>
  expect.poll(() => countOf(command), { timeout: 5000, interval: 20 }).toBe(0)

const users = isRoot ? (['root', 'person'] as const) : (['oneself'] as const)
const kinds = users.flatMap((who) => (['bwrap', 'unshare'] as const).map((kind) => [kind, who] as const))

const userOf = (who: string): StartAs['user'] => {
  const account = who === 'person' ? people?.of('person') : undefined
  return account === undefined ? undefined : { uid: account.uid, gid: account.gid }
}
const homeOf = ({ home }: World): string => path.join(home, 'hooks', 'home')
/** As the gate of this user makes it. */
const gitOf = (world: World, user: StartAs['user']): string => {
  const made = prepareGit(world.home, homeOf(world))
  if (user !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, made])
  return made
}

/**
 * The hook host in the sandbox that this user's gate would find, in a world with a repository that an agent
 * has prepared.
 */
const start = async (kind: string, who: string): Promise<void> => {
  const user = userOf(who)
  world = await makeWorld(user)
  await enter(kind, who)
}
const enter = async (kind: string, who: string): Promise<void> => {
  const user = userOf(who)
  const git = gitOf(world, user)
  const { startAs = startAsGate, why } = findAs(
    { ...world, root: path.resolve(import.meta.dirname, '../..') },
    user,
    kind,
  )
  expect(why).toBeUndefined()
  const become =
    user === undefined ? [] : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  host = await startHookHost({
    log: () => undefined,
    folders: { home: homeOf(world), tmp: path.join(world.home, 'hooks', 'tmp') },
    git,
    sandbox: [...become, ...startAs.prefix],
  })
}
const run = (...argv: readonly string[]) =>
  host.run(request(argv, { cwd: world.workspace, env: { PATH: '/usr/bin:/bin', HOME: homeOf(world) } }))

describe.each(kinds)('hooks in a sandbox made by %s for %s', (kind, who) => {
  test("the agent's program runs in no git of a hook, and where a hook runs it, it reads no key, writes no seal, and reaches nothing of gate and home", async () => {
    await start(kind, who)
    const gate = world.bystander()
    const owner = fs.statSync(world.workspace)
    const asOwner = isRoot ? { uid: owner.uid, gid: owner.gid } : {}
    execFileSync(
      'sh',
      ['-c', hijack({ home: world.home, userHome: world.userHome, gatePid: gate.pid ?? 0 })],
      { ...asOwner, cwd: world.workspace, env: { PATH: '/usr/bin:/bin', HOME: world.workspace } },
    )
    expect(await run('git', 'status', '--short', 'tracked')).toMatchObject({
      exitCode: 0,
      stdout: 'A  tracked\n',
    })
    expect(fs.existsSync(path.join(world.workspace, 'stolen.txt'))).toBe(false)
    await run('sh', 'thief.sh')
    expect(stolen(world.workspace)).toEqual([])
    expect(fs.readFileSync(path.join(world.userHome, '.bashrc'), 'utf8')).toBe('the person’s own')
    expect(fs.readdirSync(path.join(world.home, 'seal', 'abc'))).toEqual(['guard.sh'])
    expect([gate.exitCode, gate.signalCode]).toEqual([null, null])
  })

  test('what a hook leaves behind ends with its run, and everything with the host, whatever of it is killed', async () => {
    await start(kind, who)
    expect(await run(path.join(world.home, 'seal/abc/guard.sh'))).toMatchObject({
      exitCode: 0,
      stdout: 'sealed\n',
    })
    expect(await run('/bin/sh', '-c', `setsid -f sleep ${odd(71.21)}; echo answer`)).toMatchObject({
      stdout: 'answer\n',
    })
    await untilNone(`sleep ${odd(71.21)}`)
    for (const index of [0, 1, 2]) {
      const lost = run('/bin/sh', '-c', `setsid -f sleep ${odd(71.22)}; exec sleep ${odd(71.22)}`)
      await expect.poll(() => countOf(`sleep ${odd(71.22)}`)).toBe(2)
      const chain = chainOf(host.pid() ?? Number.NaN)
      expect(chain).toHaveLength(3)
      process.kill(chain[index] ?? Number.NaN, 'SIGKILL')
      expect(await lost).toMatchObject({ failure: { kind: 'host' } })
      await untilNone(`sleep ${odd(71.22)}`)
      expect(await run('echo', 'next')).toMatchObject({ stdout: 'next\n' })
    }
  })

  test('what a hook writes to its home and to /tmp is there at the next run and after a restart, for the owner too', async () => {
    await start(kind, who)
    const line =
      'echo one >> ~/.claude/log.txt; echo two >> ~/.cache/seen; echo three >> /tmp/agent-session.log; cat ~/.claude/log.txt'
    expect(await run('/bin/sh', '-c', line)).toMatchObject({ exitCode: 0, stdout: 'one\n', stderr: '' })
    const killed = host.pid() ?? Number.NaN
    process.kill(killed, 'SIGKILL')
    await until('another hook host', () => host.pid() !== undefined && host.pid() !== killed)
    expect(await run('/bin/sh', '-c', line)).toMatchObject({ stdout: 'one\none\n' })
    expect(fs.readFileSync(path.join(homeOf(world), '.cache', 'seen'), 'utf8')).toBe('two\ntwo\n')
    expect(fs.readFileSync(path.join(world.home, 'hooks', 'tmp', 'agent-session.log'), 'utf8')).toBe(
      'three\nthree\n',
    )
  })

  test('a hook that puts a link in the place of its /tmp or of what is mounted below changes nothing at the next start', async () => {
    await start(kind, who)
    const named = path.basename(world.userHome)
    const swap = `rm -rf "$HOME/../tmp"; mv "$HOME" "$HOME.x"; ln -s / "$HOME"; ln -s / "$HOME/../tmp"; ln -s / /tmp/.old; ls -d "$HOME/../tmp/${named}"`
    expect((await run('/bin/sh', '-c', swap)).stdout).toContain(named)
    await host.stop()
    fs.rmSync(path.join(world.home, 'hooks', 'tmp', named), { recursive: true })
    fs.symlinkSync(world.userHome, path.join(world.home, 'hooks', 'tmp', named))
    await enter(kind, who)
    expect(
      await run('/bin/sh', '-c', 'cat "$HOME/../../../../notes.txt"; ls /tmp /tmp/*/notes.txt; echo done'),
    ).toMatchObject({ stdout: expect.not.stringContaining('notes') as string })
    expect(fs.readFileSync(path.join(world.userHome, 'notes.txt'), 'utf8')).toBe('the person’s own')
  })

  test('a shell that waits for a hook is in its sandbox, and the hook sees there what it would see without it', async () => {
    await start(kind, who)
    const show = [
      'for name in cgroup ipc mnt net pid user uts; do readlink /proc/self/ns/$name; done',
      'cat /proc/self/mountinfo /proc/$$/cgroup; tr "\\0" "\\n" < /proc/1/cmdline; echo "$PPID"; pwd',
      'grep -E "^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp)" /proc/$$/status; echo "$$" >&2',
    ].join('; ')
    const often = () =>
      host.run({
        ...request(['/bin/sh', '-c', show], {
          cwd: world.workspace,
          env: { PATH: '/usr/bin:/bin', HOME: homeOf(world) },
        }),
        fingerprint: 'often',
        waits: 'shell',
      })
    const started = await often()
    expect(started).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(world.workspace) })
    await often()
    const namespaces = (pid: number): readonly string[] =>
      ['mnt', 'pid', 'user'].map((name) => fs.readlinkSync(`/proc/${pid}/ns/${name}`))
    const shell = await until(
      'a shell that waits',
      () => shellsWith(show).find(({ group, pid }) => group === pid)?.pid,
    )
    expect(namespaces(shell)).toEqual(namespaces(pidOf(host)))
    expect(namespaces(shell)).not.toEqual(namespaces(process.pid))
    const inside = /^NSpid:.*\s(\d+)$/m.exec(fs.readFileSync(`/proc/${shell}/status`, 'utf8'))?.[1]
    const waited = await often()
    expect(waited.stderr).toBe(`${inside}\n`)
    expect(waited.stdout.split('\n')).toEqual(started.stdout.split('\n'))
  })

  test('no hook writes what stands before the PATH of every hook', async () => {
    await start(kind, who)
    const plant = [
      'first=${PATH%%:*}; echo "$first"; mv "$first" "$first.moved"; mv "$first/.." "$first/../../moved"',
      'mkdir -p "$first"; for name in git sh cat; do echo "#!/bin/sh" > "$first/$name"; chmod +x "$first/$name"; done',
    ].join('\n')
    const { stdout } = await run('/bin/sh', '-c', plant)
    expect(stdout).toBe(`${path.join(world.home, 'run', 'git', 'bin')}\n`)
    expect(fs.readdirSync(stdout.trim())).toEqual(['git'])
    expect((await run('/bin/sh', '-c', 'echo seen | cat; git --version')).stdout).toMatch(
      /^seen\ngit version /,
    )
  })

  test('no hook can take over what holds it, be another user, or see processes outside', async () => {
    await start(kind, who)
    expect(
      (
        await run(
          '/bin/sh',
          '-c',
          'cat /proc/1/environ > /dev/null 2>&1 && echo taken; grep -e CapEff -e CapBnd -e NoNewPrivs /proc/self/status; ps -A -o ppid=,stat=,args= | grep -c "^ *[01] "',
        )
      ).stdout,
    ).toMatch(/^CapEff:\s0+\nCapBnd:\s0+\nNoNewPrivs:\s1\n2\n$/)
  })
})

test('without a sandbox the same program takes everything, so that the above means something', async () => {
  world = await makeWorld()
  host = await startHookHost({ log: () => undefined })
  const gate = spawn('sleep', ['600'])
  execFileSync('sh', ['-c', hijack({ home: world.home, userHome: world.userHome, gatePid: gate.pid ?? 0 })], {
    cwd: world.workspace,
    env: { PATH: '/usr/bin:/bin', HOME: world.workspace },
  })
  expect(await run('git', 'status', '--short', 'tracked')).toMatchObject({
    exitCode: 0,
    stdout: 'A  tracked\n',
  })
  expect(fs.existsSync(path.join(world.workspace, 'stolen.txt'))).toBe(false)
  await run('sh', 'thief.sh')
  expect(stolen(world.workspace)).toEqual(
    expect.arrayContaining(['key', 'ledger', 'state', 'config', 'seal', 'notes', 'bashrc', 'run']),
  )
  gate.kill()
})

test('a program that was written just now, and that somebody still holds open, is started in a moment; one that stays so is told', async () => {
  world = await makeWorld()
  host = await startHookHost({ log: () => undefined })
  const file = path.join(world.workspace, 'fresh')
  fs.copyFileSync(fs.realpathSync('/bin/echo'), file)
  fs.chmodSync(file, 0o755)
  const held = fs.openSync(file, 'r+')
  const soon = run(file, 'started')
  setTimeout(() => fs.closeSync(held), 10)
  expect(await soon).toMatchObject({ exitCode: 0, stdout: 'started\n' })
  const still = fs.openSync(file, 'r+')
  expect(await run(file, 'started')).toMatchObject({
    failure: { kind: 'limit', detail: expect.stringContaining('ETXTBSY') },
  })
  fs.closeSync(still)
})
