import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startHookHost, type HookHost, type HookHostOptions } from '../../../src/handlers/host/host.ts'
import { noteNamespaces } from './outside.ts'
import {
  createPidFile,
  fixture,
  groupOf,
  hooksUser,
  pidOf,
  request,
  survivorsOf,
  untilGone,
} from './processes.ts'

const quiet: HookHostOptions = { log: () => undefined }
let host: HookHost
let pidFile: ReturnType<typeof createPidFile>

const start = async (options: Partial<HookHostOptions> = {}): Promise<HookHost> => {
  host = await startHookHost({ ...quiet, ...options })
  noteNamespaces()
  return host
}
const hostPid = (): number => pidOf(host)
/** The group of the host and of what holds it. */
const hostGroup = (): number => host.pid() ?? Number.NaN
const stay = (timeoutMs?: number) =>
  request([fixture('stay.sh'), pidFile.path], timeoutMs === undefined ? {} : { timeoutMs })

beforeEach(() => {
  pidFile = createPidFile()
})
afterEach(async () => {
  await host.stop()
  pidFile.remove()
})

describe('the hook host', () => {
  test('answers for a hook', async () => {
    await start()
    const result = await host.run(request([fixture('answer.sh')], { stdin: '{}\n' }))
    expect(result).toMatchObject({ exitCode: 0, stdout: '{"decision":"allow"}\n', isTruncated: false })
  })

  test('gives a hook 5 MB, to every slot at once', async () => {
    await start()
    const big = request([process.execPath, fixture('count-stdin.js')], {
      stdin: 'é'.repeat(2_500_000),
      timeoutMs: 20_000,
    })
    const results = await Promise.all(Array.from({ length: 6 }, () => host.run(big)))
    expect(results.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 6 }, () => '5000000\n'))
  })

  test('gives an input that travels in parts as it was, whatever lies at a border of two parts', async () => {
    await start()
    const part = 256 * 1024
    for (const before of [part - 1, part, 3 * part - 2]) {
      const stdin = `${'x'.repeat(before)}😀\n"\\u000a"${'é'.repeat(part)}`
      const { stdout } = await host.run(request(['/usr/bin/sha256sum'], { stdin, timeoutMs: 20_000 }))
      expect(stdout.split(' ')[0]).toBe(createHash('sha256').update(stdin).digest('hex'))
    }
  })

  test('a run that is stopped while its input travels never starts, and the next one does', async () => {
    await start()
    const abort = new AbortController()
    const large = request(['/bin/sh', '-c', `touch ${pidFile.path}`], { stdin: 'x'.repeat(8_000_000) })
    const running = host.run(large, abort.signal)
    abort.abort()
    expect(await running).toMatchObject({ exitCode: null, failure: { kind: 'killed' } })
    expect(existsSync(pidFile.path)).toBe(false)
    expect(await host.run(large)).toMatchObject({ exitCode: 0 })
    expect(existsSync(pidFile.path)).toBe(true)
  })

  test("gives nothing of the gate's environment to its own process", async () => {
    process.env['HOOKGATE_TEST_TOKEN'] = 'a token'
    await start()
    delete process.env['HOOKGATE_TEST_TOKEN']
    const { stdout } = await host.run(
      request(['/bin/sh', '-c', 'ps -E -ww -p $PPID 2>/dev/null; tr "\\0" "\\n" < /proc/$PPID/environ']),
    )
    expect(stdout).not.toContain('HOOKGATE_TEST_TOKEN')
  })

  test('runs no more hooks at once than it may, in order, and counts only their own time', async () => {
    await start({ maxParallel: 2, briefMs: 60_000 })
    const startedAtMs = performance.now()
    const ended: number[] = []
    const results = await Promise.all(
      [0, 1, 2, 3].map(async (index) => {
        const result = await host.run(request([fixture('count-peers.sh'), pidFile.folder]))
        ended.push(index)
        return result
      }),
    )
    expect(Math.min(...ended.slice(2))).toBe(2)
    const peers = results.flatMap(({ stdout }) => stdout.trim().split('\n').map(Number))
    expect(Math.max(...peers)).toBe(2)
    const slotsMs = 2 * (performance.now() - startedAtMs)
    expect(results.reduce((sum, { durationMs }) => sum + durationMs, 0)).toBeLessThanOrEqual(slotsMs)
  })

  test('tells why a program did not start', async () => {
    await start()
    const result = await host.run(request(['/nowhere/hook.sh']))
    expect(result.failure).toMatchObject({
      kind: 'start',
      detail: expect.stringContaining('/nowhere/hook.sh'),
    })
  })

  test("starts as the hooks' user", async () => {
    await start({ user: hooksUser })
    expect((await host.run(request(['/usr/bin/id', '-u']))).stdout).toBe(`${hooksUser.uid}\n`)
    expect((await host.run(request(['/bin/sh', '-c', 'ps -o uid= -p $PPID']))).stdout.trim()).toBe(
      String(hooksUser.uid),
    )
  })

  test('says what is wrong when it cannot be started', async () => {
    await start()
    await expect(startHookHost({ ...quiet, user: { uid: -1, gid: -1 } })).rejects.toThrow(
      /hook host to start, got/,
    )
  })
})

describe('a caller that lost interest', () => {
  test('ends the hook that runs, with its group', async () => {
    await start()
    const controller = new AbortController()
    const run = host.run(stay(), controller.signal)
    const group = await pidFile.read()
    controller.abort()
    expect(await run).toMatchObject({ exitCode: null, failure: { kind: 'killed' } })
    await untilGone(group)
  })

  test('takes a hook out of the queue, and the others move up', async () => {
    await start({ maxParallel: 1, briefMs: 60_000 })
    const controllers = [new AbortController(), new AbortController()]
    const first = host.run(stay(), controllers[0]?.signal)
    const second = host.run(request([fixture('answer.sh')]), controllers[1]?.signal)
    const third = host.run(request([fixture('answer.sh')]))
    controllers[1]?.abort()
    expect(await second).toMatchObject({ failure: { kind: 'killed' }, durationMs: 0 })
    controllers[0]?.abort()
    expect(await first).toMatchObject({ failure: { kind: 'killed' } })
    expect(await third).toMatchObject({ exitCode: 0 })
  })

  test('starts no hook when it was gone before', async () => {
    await start()
    expect(await host.run(stay(), AbortSignal.abort())).toMatchObject({ failure: { kind: 'killed' } })
    await host.run(request([fixture('answer.sh')]))
    expect(existsSync(pidFile.path)).toBe(false)
  })
})

describe('a hook host that dies', () => {
  test.each([{}, { hasNoNamespace: true }] as const)(
    'takes its hooks with it, says so, and comes back (%o)',
    async (options) => {
      const onRestart = vi.fn()
      await start({ onRestart, ...options })
      const before = hostPid()
      const run = host.run(stay())
      const group = await pidFile.read()
      process.kill(before, 'SIGKILL')
      expect(await run).toMatchObject({
        exitCode: null,
        failure: {
          kind: 'host',
          detail: 'The hook host died while this hook ran, and was started again. Try again.',
        },
      })
      await untilGone(group)
      expect(await host.run(request([fixture('answer.sh')]))).toMatchObject({ exitCode: 0 })
      expect(onRestart).toHaveBeenCalledTimes(1)
      expect(hostPid()).not.toBe(before)
    },
  )

  test.each([{}, { hasNoNamespace: true }] as const)(
    'at the moment when a hook begins takes it along as well (%o)',
    async (options) => {
      await start(options)
      if (process.platform !== 'linux') return
      // Which of the two is faster, the hook's kill or the host's report of it, is open: several tries see
      // both.
      for (let round = 0; round < 5; round++) {
        const result = await host.run(
          request(['/bin/sh', '-c', 'echo $$ > "$1"; kill -9 $PPID; sleep 60', 'sh', pidFile.path]),
        )
        expect(result).toMatchObject({ failure: { kind: 'host' } })
        await untilGone(await pidFile.read())
      }
    },
  )

  test('takes along even who left the group of its hook, though no namespace holds them', async ({
    skip,
  }) => {
    await start({ hasNoNamespace: true })
    skip(process.platform !== 'linux', 'needs /proc')
    await host.run(request([fixture('escape.py'), pidFile.path]))
    const group = await pidFile.read()
    expect(survivorsOf(group)).toHaveLength(1)
    await host.stop()
    await untilGone(group)
  })

  test.each([{}, { hasNoNamespace: true }] as const)(
    'takes along who cleared its environment, and the mark with it (%o)',
    async (options) => {
      await start(options)
      const run = host.run(request(['/usr/bin/env', '-i', '/bin/sleep', '61.125']))
      const group = await groupOf('/bin/sleep 61.125')
      // Such a hook can be found by nothing but its report, which is here before what the host does next.
      await host.run(request(['/bin/true']))
      process.kill(hostPid(), 'SIGKILL')
      expect(await run).toMatchObject({ failure: { kind: 'host' } })
      await untilGone(group)
    },
  )

  test.each([{}, { hasNoNamespace: true }] as const)(
    'of another user takes its hooks with it too (%o)',
    async (options) => {
      await start({ user: hooksUser, ...options })
      // That user cannot write where the test reads its process groups from; an odd number of seconds finds
      // it.
      const run = host.run(request(['/bin/sleep', '61.0625']))
      const group = await groupOf('/bin/sleep 61.0625')
      process.kill(hostPid(), 'SIGKILL')
      expect(await run).toMatchObject({ failure: { kind: 'host' } })
      await untilGone(group)
    },
  )

  test('again and again comes back each time', async () => {
    await start()
    for (let round = 0; round < 3; round++) {
      const answer = await host.run(request(['/bin/sh', '-c', 'kill -9 $PPID']))
      expect(answer).toMatchObject({ failure: { kind: 'host' } })
    }
    expect(await host.run(request([fixture('answer.sh')]))).toMatchObject({ exitCode: 0 })
  })

  test("keeps nobody waiting longer than the hook's own time", async () => {
    await start()
    // From the third death on it stays away for half a second.
    for (let round = 0; round < 3; round++) await host.run(request(['/bin/sh', '-c', 'kill -9 $PPID']))
    const startedAtMs = performance.now()
    const results = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(() => host.run(request([fixture('answer.sh')], { timeoutMs: 50 }))),
    )
    for (const result of results) expect(result).toMatchObject({ failure: { kind: 'host' } })
    expect(performance.now() - startedAtMs).toBeLessThan(450)
  })

  test('and comes back in time leaves no bound on who then waits for a slot', async () => {
    await start({ maxParallel: 1, briefMs: 60_000 })
    // From the third death on it stays away for half a second: together with the first hook, longer than the
    // second one's own time.
    for (let round = 0; round < 3; round++) await host.run(request(['/bin/sh', '-c', 'kill -9 $PPID']))
    const slow = host.run(request(['/bin/sleep', '4.6'], { timeoutMs: 20_000 }))
    const next = host.run(request([fixture('answer.sh')], { timeoutMs: 5000 }))
    expect(await slow).toMatchObject({ exitCode: 0 })
    expect(await next).toMatchObject({ exitCode: 0 })
  })

  test('and one that only pretends to live is replaced', async () => {
    await start()
    const before = hostGroup()
    const run = host.run(stay(2000))
    const group = await pidFile.read()
    process.kill(hostPid(), 'SIGSTOP')
    const result = await run
    expect(result).toMatchObject({
      failure: { kind: 'host', detail: expect.stringContaining('did not answer in time') },
    })
    await untilGone(group)
    await untilGone(before)
    expect(await host.run(request([fixture('answer.sh')]))).toMatchObject({ exitCode: 0 })
  })
})

describe('a gate that stops', () => {
  test.each([{}, { hasNoNamespace: true }] as const)(
    'leaves neither host nor hook behind, and tells who waited (%o)',
    async (options) => {
      await start({ maxParallel: 1, ...options })
      const before = hostGroup()
      const running = host.run(stay())
      const waiting = host.run(request([fixture('answer.sh')]))
      const group = await pidFile.read()
      await Promise.all([host.stop(), host.stop()])
      expect(survivorsOf(before)).toEqual([])
      expect(await running).toMatchObject({
        failure: { kind: 'killed', detail: expect.stringContaining('hookgate is stopping') },
      })
      expect(await waiting).toMatchObject({ failure: { kind: 'killed' } })
      expect(await host.run(request([fixture('answer.sh')]))).toMatchObject({ failure: { kind: 'killed' } })
      await untilGone(group)
    },
  )

  test('while its host is down stops all the same', async () => {
    await start()
    for (let round = 0; round < 3; round++) await host.run(request(['/bin/sh', '-c', 'kill -9 $PPID']))
    const waiting = host.run(request([fixture('answer.sh')]))
    await host.stop()
    expect(await waiting).toMatchObject({ failure: { kind: 'killed' } })
    expect(host.pid()).toBeUndefined()
  })

  test('with a host that does not listen stops all the same', async () => {
    await start()
    const before = hostGroup()
    process.kill(hostPid(), 'SIGSTOP')
    await host.stop()
    // What held it is dying, by the kernel's hand.
    await untilGone(before)
  })

  const startGate = async (program: string) => {
    await start()
    const gate = spawn(process.execPath, [fixture('gate.ts'), fixture(program), pidFile.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(createInterface(gate.stdout), 'line')
    return { gate, hostOfGate: Number(line), group: await pidFile.read() }
  }

  test('by kill -9 leaves neither host nor hook behind', async () => {
    const { gate, hostOfGate, group } = await startGate('stay.sh')
    expect(survivorsOf(hostOfGate).length).toBeGreaterThan(0)
    expect(survivorsOf(group).length).toBeGreaterThan(0)
    gate.kill('SIGKILL')
    await untilGone(group)
    await untilGone(hostOfGate)
  })

  test('by kill -9 takes along even who left the group of its hook', async ({ skip }) => {
    const { gate, hostOfGate, group } = await startGate('escape.py')
    gate.kill('SIGKILL')
    await untilGone(hostOfGate)
    skip(process.platform !== 'linux', 'needs /proc')
    await untilGone(group)
  })
})

test('what had to wait for a slot is looked at again before it starts', async () => {
  host = await startHookHost({ maxParallel: 1, log: () => undefined })
  const slow = host.run(request(['/bin/sleep', '0.3']))
  const queued = host.run(request(['/bin/echo', 'ran']), undefined, () => 'guard.sh changed since approval')
  expect(await queued).toMatchObject({
    stdout: '',
    failure: { kind: 'changed', detail: 'guard.sh changed since approval' },
  })
  await slow
})
