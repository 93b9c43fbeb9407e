import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findContainer } from '../../../../src/handlers/host/spawn/containment.ts'
import { startHookHost, type HookHost, type HookHostOptions } from '../../../../src/handlers/host/host.ts'
import { chainOf, countOf, fixture, hooksUser, pidOf, request, untilGone } from '../processes.ts'
import { until } from '../../../until.ts'

const canContain = findContainer(undefined).containment.kind === 'pid namespace'
/** Under CI it has to be possible: there nothing may be left out. */
const mustContain = canContain || (process.platform === 'linux' && process.env['CI'] === 'true')
let host: HookHost
let told: string[]
const start = async (options: Partial<HookHostOptions> = {}): Promise<void> => {
  host = await startHookHost({ log: (_level, what) => void told.push(what), ...options })
}
/** As many seconds, and digits behind them that no other run of these tests on this machine has. */
const odd = (seconds: number): string => `${seconds}${process.pid}`
const sh = (script: string, ...words: readonly string[]) => request(['/bin/sh', '-c', script, 'sh', ...words])
const out = async (script: string, ...words: readonly string[]): Promise<string> =>
  (await host.run(sh(script, ...words))).stdout.trim()
const untilNone = (command: string): Promise<void> =>
  expect.poll(() => countOf(command), { timeout: 3000, interval: 20 }).toBe(0)
/**
 * Who came from outside, or has the namespace's first process as parent: that one and the hook host, and no
 * dead ones.
 */
const eldest = 'ps -A -o ppid=,stat=,args= | grep "^ *[01] "'

beforeEach(() => {
  told = []
})
afterEach(() => host.stop())

test('a hook host says what holds its hooks together', async () => {
  await start({ hasNoNamespace: true })
  expect(host.containment).toEqual({ kind: 'process groups', why: expect.any(String) })
  await host.stop()
  await start()
  expect(host.containment.kind).toBe(canContain ? 'pid namespace' : 'process groups')
})

describe.runIf(mustContain).each([
  ["as the gate's own user", {}],
  ['as another user', { user: hooksUser }],
])('in a PID namespace, %s,', (_who, options: Partial<HookHostOptions>) => {
  beforeEach(() => start(options))

  test('a hook sees nobody of outside, and can signal nobody there', async () => {
    expect((await out(eldest)).split('\n')).toHaveLength(2)
    expect(
      await out('kill -0 "$1" 2>&1 || echo none; [ -e "/proc/$1" ] || echo unseen', String(process.pid)),
    ).toMatch(/none\nunseen$/)
  })

  test('a hook of another user than root gets no rights from anywhere', async () => {
    if ((await out('id -u')) === '0') return
    expect(await out('grep -e CapEff -e CapBnd -e NoNewPrivs /proc/self/status')).toMatch(
      /^CapEff:\s0+\nCapBnd:\s0+\nNoNewPrivs:\s1$/,
    )
  })

  test('a hook cannot end what holds it', async () => {
    const chain = chainOf(host.pid() ?? Number.NaN)
    expect(chain).toHaveLength(3)
    await out('kill -TERM 1; kill -INT 1; kill -STOP 1; kill -9 1; kill -9 -1 2>/dev/null')
    // The last of them took the host along, as its own kill would have.
    await expect.poll(() => out('echo up')).toBe('up')
    expect(chainOf(host.pid() ?? Number.NaN)).not.toEqual(chain)
  })

  test("what left its run's group and session, and cleared its environment, is gone soon after the run, and buried", async () => {
    const seconds = odd(61.21)
    expect(await host.run(request([fixture('vanish.sh'), seconds]))).toMatchObject({
      exitCode: 0,
      stdout: 'answer\n',
    })
    await untilNone(`sleep ${seconds}`)
    await expect.poll(async () => (await out(eldest)).split('\n')).toHaveLength(2)
    expect(told).toEqual([])
  })

  test('it is gone as well when the run is killed', async () => {
    const seconds = odd(61.22)
    const controller = new AbortController()
    const run = host.run(request([fixture('vanish.sh'), seconds, 'stay']), controller.signal)
    await expect.poll(() => countOf(`sleep ${seconds}`)).toBe(2)
    controller.abort()
    expect(await run).toMatchObject({ failure: { kind: 'killed' } })
    await untilNone(`sleep ${seconds}`)
  })

  test('what a run that goes on has in other sessions stays, whatever ends beside it', async () => {
    // A child in a session of its own without an environment, that one's child, and one without a parent that
    // bears the run's mark.
    const sleep = `sleep ${odd(61.23)}`
    const script = `env -i setsid sh -c "setsid ${sleep} & wait" & (setsid ${sleep} &) ; echo '{"async":true}'; ${sleep}`
    const controller = new AbortController()
    await host.run({ ...sh(script), mayGoAsync: true }, controller.signal)
    await expect.poll(() => countOf(`sleep ${odd(61.23)}`)).toBe(3)
    for (let count = 0; count < 10; count++) await host.run(request([fixture('vanish.sh'), odd(61.24)]))
    await untilNone(`sleep ${odd(61.24)}`)
    expect(countOf(`sleep ${odd(61.23)}`)).toBe(3)
    controller.abort()
    await untilNone(`sleep ${odd(61.23)}`)
  })

  test('hooks that are other processes again and again do not win', async () => {
    expect(await host.run(request([fixture('hop.py'), '15.5']))).toMatchObject({ stdout: 'answer\n' })
    // A list of processes does not show them: they are gone when it comes to them. The numbers that they use
    // up do.
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const used = (): Promise<string> =>
      out('first=$(sh -c "echo \\$\\$"); sleep 0.3; last=$(sh -c "echo \\$\\$"); echo $((last - first))')
    // On a slow machine there may have been so many that the host had to go; then it says nothing yet.
    expect(Number(await until('an answer', async () => (await used()) || undefined))).toBeLessThan(10)
  })

  test('a hook that leaves hundreds takes the hook host along, and the next one runs', async () => {
    const controller = new AbortController()
    const run = host.run(
      request([fixture('spread.sh'), '8', odd(20.25)], { timeoutMs: 20_000 }),
      controller.signal,
    )
    await expect.poll(() => countOf(`sleep ${odd(20.25)}`)).toBe(257)
    controller.abort()
    expect(await run).toMatchObject({ failure: { kind: 'killed' } })
    await expect.poll(() => told).toContain('hook host restarted')
    await untilNone(`sleep ${odd(20.25)}`)
    expect(await out('echo next')).toBe('next')
  })

  test('nothing survives a gate that stops', async () => {
    const run = host.run(request([fixture('vanish.sh'), odd(61.25), 'stay']))
    await expect.poll(() => countOf(`sleep ${odd(61.25)}`)).toBe(2)
    await host.stop()
    expect(countOf(`sleep ${odd(61.25)}`)).toBe(0)
    expect(await run).toMatchObject({ failure: { kind: 'killed' } })
  })

  test.each([
    [0, 'what the gate started'],
    [1, "the namespace's first process"],
    [2, 'the hook host'],
  ])('nothing survives a kill -9 of number %i in the row, %s', async (index) => {
    const run = host.run(request([fixture('vanish.sh'), odd(61.26), 'stay']))
    await expect.poll(() => countOf(`sleep ${odd(61.26)}`)).toBe(2)
    process.kill(chainOf(host.pid() ?? Number.NaN)[index] ?? Number.NaN, 'SIGKILL')
    expect(await run).toMatchObject({ failure: { kind: 'host' } })
    await untilNone(`sleep ${odd(61.26)}`)
    expect(await out('echo next')).toBe('next')
  })

  test('a host that was stopped does not keep its hooks alive', async () => {
    const run = host.run({ ...request([fixture('vanish.sh'), odd(61.27), 'stay']), timeoutMs: 3000 })
    await expect.poll(() => countOf(`sleep ${odd(61.27)}`)).toBe(2)
    process.kill(pidOf(host), 'SIGSTOP')
    expect(await run).toMatchObject({ failure: { kind: 'host' } })
    await untilNone(`sleep ${odd(61.27)}`)
  })
})

describe.runIf(mustContain).each([
  ["the gate's own user", {}],
  ['a gate without the rights of root', hooksUser],
])('with %s', (_who, user) => {
  const gateWith = async (...words: readonly string[]) => {
    await start()
    const gate = spawn(process.execPath, [fixture('gate.ts'), ...words], {
      ...user,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(createInterface(gate.stdout), 'line')
    return { gate, group: Number(line) }
  }

  test.each([
    ['as they are', false],
    ['even while the host and what holds it are stopped', true],
  ])('nothing survives a kill -9 of the gate, %s', async (_how, isStopped) => {
    const { gate, group } = await gateWith(fixture('vanish.sh'), odd(61.28), 'stay')
    const chain = chainOf(group)
    expect(chain).toHaveLength(3)
    await expect.poll(() => countOf(`sleep ${odd(61.28)}`)).toBe(2)
    if (isStopped) for (const pid of chain) process.kill(pid, 'SIGSTOP')
    gate.kill('SIGKILL')
    await untilNone(`sleep ${odd(61.28)}`)
    await untilGone(group)
  })

  test("no hook but root's can take over what holds it", async () => {
    // What may be read of a process so is what a debugger may attach to.
    const { gate, group } = await gateWith(
      '/bin/sh',
      '-c',
      '[ "$(id -u)" -ne 0 ] && cat /proc/1/environ > /dev/null && exit; exec sleep "$1"',
      'sh',
      odd(61.29),
    )
    await expect.poll(() => countOf(`sleep ${odd(61.29)}`)).toBe(1)
    gate.kill('SIGKILL')
    await untilGone(group)
  })
})
