import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ArmedHook, Entry } from '../../../src/core/model/hooks/entry.ts'
import { outside } from '../host/outside.ts'
import { pidOf, survivorsOf, untilGone } from '../host/processes.ts'
import { armed, payloadWith, startRig, within, type Rig } from './rig.ts'

let rig: Rig
beforeEach(async () => {
  rig = await startRig({
    env: (_hook, { session_id }): Record<string, string> =>
      session_id === 'synthetic' ? {} : { SESSION: session_id },
  })
})
afterEach(() => rig.stop())

/** Says at its start that it is there, reads its payload, and answers with its process and what it read. */
const script =
  'echo $$ >> "$1"; read -r payload; [ -n "$payload" ] || { echo empty >> "$1.empty"; exit 9; }; case $payload in *fail*) exit 7;; *hang*) sleep 60;; esac; echo "$$ $payload"'
const born = (): readonly string[] =>
  existsSync(join(rig.folder, 'born'))
    ? readFileSync(join(rig.folder, 'born'), 'utf8').trim().split('\n')
    : []
const hookOf = (text = script, entry: Partial<Entry> = {}, rest: Partial<ArmedHook> = {}): ArmedHook =>
  armed(['/bin/sh', '-c', text, 'sh', join(rig.folder, 'born')], { isWarm: true, ...entry }, rest)
const ask = async (hook: ArmedHook, word = 'word', session = 'synthetic') =>
  rig.command.ask(hook, { ...payloadWith({ word }), session_id: session }, within())
const pidIn = (stdout: string): string => stdout.split(' ')[0] ?? ''
const untilBorn = (count: number): Promise<void> =>
  expect.poll(() => born(), { interval: 10 }).toHaveLength(count)
const sawEmpty = (): boolean => existsSync(join(rig.folder, 'born.empty'))

describe('a warm hook', () => {
  test('is started behind each answer and answers the next question, once', async () => {
    const hook = hookOf()
    const pids: string[] = []
    for (let round = 1; round <= 4; round++) {
      const { stdout } = await ask(hook, `word ${round}`)
      expect(stdout).toContain(`"word ${round}"`)
      pids.push(pidIn(stdout))
      await untilBorn(round + 1)
    }
    expect(new Set(pids).size).toBe(4)
    // Whoever answered was the one that was there before the question.
    expect(pids).toEqual(born().slice(0, 4))
  })

  test('without the option is started for each question', async () => {
    const { isWarm: _, ...entry } = hookOf().entry
    const hook = { ...hookOf(), entry }
    await ask(hook)
    await ask(hook)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(born()).toHaveLength(2)
  })

  test('asked twice at once answers each from an instance of its own', async () => {
    const hook = hookOf()
    await ask(hook)
    await untilBorn(2)
    const answers = await Promise.all(['a', 'b', 'c'].map((word) => ask(hook, `this is ${word}`)))
    expect(new Set(answers.map(({ stdout }) => pidIn(stdout))).size).toBe(3)
    answers.forEach(({ stdout }, index) => expect(stdout).toContain(`this is ${'abc'[index]}`))
  })

  test('keeps exit code, time bound and the end of an interest', async () => {
    const hook = hookOf()
    await ask(hook)
    await untilBorn(2)
    expect(await ask(hook, 'fail')).toMatchObject({ exitCode: 7 })
    await untilBorn(3)
    expect(await rig.command.ask(hook, payloadWith({ word: 'hang' }), within(300))).toMatchObject({
      failure: { kind: 'timeout', detail: expect.stringContaining('0.3 s') },
    })
    await ask(hook)
    await untilBorn(5)
    const controller = new AbortController()
    const asked = rig.command.ask(
      hook,
      payloadWith({ word: 'hang' }),
      within(10_000, { signal: controller.signal }),
    )
    controller.abort()
    expect(await asked).toMatchObject({ failure: { kind: 'killed' } })
    await untilGone(outside(Number(born().at(-1))))
    expect(sawEmpty()).toBe(false)
  })

  test('is asked cold when its environment is another one, and waits only when two in a row are alike', async () => {
    const hook = hookOf()
    await ask(hook, 'word', 'one')
    await untilBorn(2)
    const other = await ask(hook, 'word', 'two')
    expect(pidIn(other.stdout)).toBe(born()[2])
    // The one that waited for session one is gone, and nobody waits for session two yet.
    await untilGone(outside(Number(born()[1])))
    await ask(hook, 'word', 'two')
    await untilBorn(5)
    const warm = await ask(hook, 'word', 'two')
    expect(pidIn(warm.stdout)).toBe(born()[4])
    expect(sawEmpty()).toBe(false)
  })

  test.each([['in its working folder'], ['with its words']])(
    'is asked cold when it would not run %s',
    async (what) => {
      const hook = hookOf()
      await ask(hook)
      await untilBorn(2)
      const moved =
        what === 'with its words' ? { ...hook, argv: [...hook.argv, 'more'] } : { ...hook, cwd: '/' }
      expect(pidIn((await ask(moved)).stdout)).toBe(born()[2])
    },
  )

  test('does not take a slot while it waits', async () => {
    const hooks = Array.from({ length: 12 }, (_, index) => hookOf(script, {}, { fingerprint: `f${index}` }))
    await Promise.all(hooks.map((hook) => ask(hook)))
    await untilBorn(24)
    expect(await ask(armed(['/bin/echo', 'free']))).toMatchObject({ stdout: 'free\n' })
  })
})

describe('an instance that', () => {
  test.each([
    ['wrote to stdout', 'echo early; sleep 30'],
    ['wrote to stderr', 'echo early >&2; sleep 30'],
    ['exited', 'exit 0'],
    ['died', 'kill -9 $$'],
  ])('%s while it waited is thrown away, and the question is asked cold', async (_what, early) => {
    // Only the second instance does it.
    const hook = hookOf(
      `echo $$ >> "$1"; [ "$(wc -l < "$1")" -eq 2 ] && { ${early}; }; read -r payload; echo "$$ $payload"`,
    )
    await ask(hook)
    await untilBorn(2)
    await untilGone(outside(Number(born()[1])))
    const { exitCode, stdout } = await ask(hook)
    expect([exitCode, pidIn(stdout)]).toEqual([0, born()[2]])
    expect(stdout).toMatch(/^\d+ \{/)
  })

  test.each([['just before'], ['just behind']])(
    'speaks %s the question answers nothing either',
    async (moment) => {
      const hook = hookOf(
        'echo $$ >> "$1"; if [ "$(wc -l < "$1")" -eq 2 ]; then while [ ! -e "$1.go" ]; do sleep 0.01; done; echo early; : > "$1.said"; sleep 30; fi; read -r payload; echo "$$ $payload"',
      )
      await ask(hook)
      await untilBorn(2)
      // The hook host finds both at once when it wakes up, in the order in which they came.
      process.kill(pidOf(rig.host), 'SIGSTOP')
      const early = moment === 'just before' ? undefined : ask(hook)
      await new Promise((resolve) => setTimeout(resolve, 100))
      writeFileSync(join(rig.folder, 'born.go'), '')
      await expect.poll(() => existsSync(join(rig.folder, 'born.said'))).toBe(true)
      const asked = early ?? ask(hook)
      process.kill(pidOf(rig.host), 'SIGCONT')
      expect((await asked).stdout).toMatch(/^\d+ \{/)
    },
  )
})

describe('an instance is retired', () => {
  const standing = async (): Promise<number> => {
    await ask(hookOf())
    await untilBorn(2)
    const group = outside(Number(born()[1]))
    expect(survivorsOf(group)).toHaveLength(1)
    return group
  }

  test('when its hook is no longer in force, and never sees the end of its input', async () => {
    for (let round = 0; round < 5; round++) {
      await ask(hookOf())
      await expect.poll(() => born().length).toBeGreaterThan(2 * round + 1)
      rig.command.retire?.(new Set(['another']))
      for (const group of born()) await untilGone(outside(Number(group)))
    }
    expect(sawEmpty()).toBe(false)
    expect(await ask(hookOf())).toMatchObject({ exitCode: 0 })
  })

  test('not when others are no longer', async () => {
    await standing()
    rig.command.retire?.(new Set([hookOf().fingerprint]))
    expect(pidIn((await ask(hookOf())).stdout)).toBe(born()[1])
  })

  test('when the gate stops, and never sees the end of its input', async () => {
    const group = await standing()
    await rig.host.stop()
    await untilGone(group)
    expect(sawEmpty()).toBe(false)
  })

  test('when its hook host dies', async () => {
    const group = await standing()
    const before = rig.host.pid()
    process.kill(before ?? Number.NaN, 'SIGKILL')
    await untilGone(group)
    await expect.poll(() => rig.host.pid()).not.toBe(before)
    expect(await ask(hookOf())).toMatchObject({ exitCode: 0 })
  })

  test('and not even started for a hook that only doctor asks', async () => {
    rig.live.add('another')
    await ask(hookOf())
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(born()).toHaveLength(1)
  })

  test('and not started where it uses a file from where that lies, which could be another by the time it is asked', async () => {
    const hook = hookOf(script, {}, { watch: () => Promise.resolve(() => Promise.resolve(undefined)) })
    await ask(hook)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(born()).toHaveLength(1)
    expect(await rig.command.probe(hook)).toEqual({
      isSafe: false,
      why: expect.stringContaining('from its original path'),
    })
  })

  test('and not started for text that a shell reads, whose files no seal holds', async () => {
    const hook = hookOf(script, { shell: 'sh' })
    await ask(hook)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(born()).toHaveLength(1)
  })
})

describe('the probe', () => {
  const probe = (text: string, rest: Partial<ArmedHook> = {}) =>
    rig.command.probe(armed(['/bin/sh', '-c', text], {}, rest))

  test('finds a program safe that waits for its payload, and says what waiting saves', async () => {
    const result = await probe('sleep 0.2; read -r payload; echo "{}"', { cwd: rig.folder })
    expect(result).toMatchObject({ isSafe: true })
    if (!result.isSafe) return
    expect(result.coldMs).toBeGreaterThan(190)
    expect(result.warmMs).toBeLessThan(result.coldMs - 100)
  })

  test.each([
    ['exits', 'exit 0', /it exited \(exit code 0\)/],
    ['speaks', 'echo hello; cat', /wrote to stdout/],
    ['complains', 'echo hello >&2; cat', /wrote to stderr/],
    ['changes its folder', 'echo 1 > count; cat', /It changes "count" in /],
    [
      'connects',
      `exec '${process.execPath}' -e 'require("node:dgram").createSocket("udp4").connect(9, "127.0.0.1"); process.stdin.resume()'`,
      /has a socket open/,
    ],
    ['fails when it is asked', 'read -r payload; kill -9 $$', /SIGKILL ended it/],
    [
      'tells its instances apart',
      '[ -e "$PWD/second" ] && exit 3; read -r payload; touch second',
      /it ends with exit code/,
    ],
  ])('finds a program unsafe that %s', async (what, text, why) => {
    if (what === 'connects' && process.platform !== 'linux') return
    const folder = join(rig.folder, 'cwd')
    mkdirSync(folder)
    const result = await probe(text, { cwd: folder })
    expect(result).toMatchObject({ isSafe: false, why: expect.stringMatching(why) })
  })

  test('starts nothing of a damaged seal, and leaves nothing behind', async () => {
    expect(await probe('touch "$0.born"', { checkSeal: () => 'tampered seal' })).toEqual({
      isSafe: false,
      why: 'tampered seal',
    })
    const probing = probe(`echo $$ > "${join(rig.folder, 'pid')}"; cat`)
    await expect.poll(() => existsSync(join(rig.folder, 'pid'))).toBe(true)
    const group = outside(Number(readFileSync(join(rig.folder, 'pid'), 'utf8')))
    await rig.host.stop()
    expect(await probing).toMatchObject({ isSafe: false })
    await untilGone(group)
  })
})
