import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { goesAsync } from '../../../src/handlers/host/goes-async.ts'
import { startHookHost, type HookHost } from '../../../src/handlers/host/host.ts'
import type { RunRequest } from '../../../src/handlers/host/protocol.ts'
import { noteNamespaces } from './outside.ts'
import { createPidFile, pidOf, request, survivorsOf, untilGone } from './processes.ts'

let host: HookHost
let pidFile: ReturnType<typeof createPidFile>
beforeEach(async () => {
  host = await startHookHost({ log: () => undefined, maxParallel: 2, briefMs: 60_000 })
  noteNamespaces()
  pidFile = createPidFile()
})
afterEach(async () => {
  await host.stop()
  pidFile.remove()
})

const saying = (line: string, after = 'sleep 60', rest: Partial<RunRequest> = {}): RunRequest =>
  request(['/bin/sh', '-c', `echo $$ > "$1"; echo '${line}'; ${after}`, 'sh', pidFile.path], {
    mayGoAsync: true,
    fingerprint: 'f',
    ...rest,
  })

describe('the first line of a hook', () => {
  test.each<[string, ReturnType<typeof goesAsync>]>([
    ['{"async":true}', {}],
    ['{"async": true, "asyncTimeout": 1.5}', { timeoutMs: 1500 }],
    ['{"async":true,"asyncTimeout":100000}', { timeoutMs: 600_000 }],
    ['{"async":true,"asyncTimeout":0}', {}],
    ['{"async":true,"asyncTimeout":"5"}', {}],
    ['{"async":false}', undefined],
    ['{"async":"true"}', undefined],
    ['["async"]', undefined],
    ['{"async":true', undefined],
    ['', undefined],
  ])('%s says whether it runs on', (line, said) => expect(goesAsync(line)).toEqual(said))
})

describe('a hook that goes async', () => {
  test('is answered by its first line, runs on, and nobody hears what it says later', async () => {
    const startedAtMs = performance.now()
    const result = await host.run(saying('{"async":true}', 'echo later; sleep 3; echo too late; exit 3'))
    expect(performance.now() - startedAtMs).toBeLessThan(2500)
    expect(result).toMatchObject({ exitCode: 0, stdout: '{"async":true}\n', isTruncated: false })
    expect(result.failure).toBeUndefined()
    const group = await pidFile.read()
    expect(survivorsOf(group).length).toBeGreaterThan(0)
    await untilGone(group, 10_000)
  })

  test('may not unless it was said that it may', async () => {
    const { mayGoAsync: _, ...plain } = saying('{"async":true}', 'exit 3')
    expect(await host.run(plain)).toMatchObject({ exitCode: 3, stdout: '{"async":true}\n' })
  })

  test('says so in its first line or not at all', async () => {
    expect(await host.run(saying('hello', 'echo \'{"async":true}\'; exit 3'))).toMatchObject({ exitCode: 3 })
    expect(await host.run(saying('{"async":false}', 'exit 3'))).toMatchObject({ exitCode: 3 })
    expect(
      await host.run(request(['/bin/sh', '-c', 'printf \'{"async":true}\'; exit 3'], { mayGoAsync: true })),
    ).toMatchObject({ exitCode: 3 })
  })

  test('whose line comes in pieces is heard all the same', async () => {
    const pieces = request(['/bin/sh', '-c', `printf '{"async"'; sleep 0.1; echo :true}; exec sleep 60`], {
      mayGoAsync: true,
    })
    expect(await host.run(pieces)).toMatchObject({ exitCode: 0, stdout: '{"async":true}\n' })
  })

  test('ends at its own time bound', async () => {
    const result = await host.run(saying('{"async":true}', undefined, { timeoutMs: 3000 }))
    expect(result.failure).toBeUndefined()
    const group = await pidFile.read()
    expect(survivorsOf(group).length).toBeGreaterThan(0)
    await untilGone(group, 8000)
  })

  test('ends at the bound that it names, sooner or later than its own', async () => {
    await host.run(saying('{"async":true,"asyncTimeout":0.3}'))
    await untilGone(await pidFile.read())
    await host.run(saying('{"async":true,"asyncTimeout":30}', 'sleep 5; touch "$1.done"', { timeoutMs: 300 }))
    const group = await pidFile.read()
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(survivorsOf(group).length).toBeGreaterThan(0)
  })

  test('is killed when the gate stops', async () => {
    await host.run(saying('{"async":true}'))
    const group = await pidFile.read()
    await host.stop()
    await untilGone(group)
  })

  test('is killed with its hook host, though it cleared its environment', async () => {
    await host.run(
      request(
        [
          '/usr/bin/env',
          '-i',
          '/bin/sh',
          '-c',
          `echo $$ > '${pidFile.path}'; echo '{"async":true}'; sleep 60`,
        ],
        { mayGoAsync: true },
      ),
    )
    const group = await pidFile.read()
    process.kill(pidOf(host), 'SIGKILL')
    await untilGone(group)
  })

  test('is killed when its caller aborts, answered as it is', async () => {
    const controller = new AbortController()
    await host.run(saying('{"async":true}'), controller.signal)
    controller.abort()
    await untilGone(await pidFile.read())
  })

  test('is killed when its hook is no longer in force, and not when others are not', async () => {
    await host.run(saying('{"async":true}'))
    const group = await pidFile.read()
    host.retire(new Set(['f']))
    await host.run(request(['/bin/true']))
    expect(survivorsOf(group).length).toBeGreaterThan(0)
    host.retire(new Set())
    await untilGone(group)
  })

  test('takes no slot, and the seventeenth is awaited like any other', async () => {
    const going = request(['/bin/sh', '-c', 'echo \'{"async":true}\'; exec sleep 60'], {
      mayGoAsync: true,
      timeoutMs: 20_000,
      fingerprint: 'going',
    })
    const answered: unknown[] = []
    for (let count = 0; count < 16; count++) answered.push((await host.run(going)).failure)
    expect(answered).toEqual(Array.from({ length: 16 }, () => undefined))
    expect(await host.run({ ...going, timeoutMs: 300 })).toMatchObject({
      exitCode: null,
      failure: { kind: 'timeout' },
    })
    // When they leave, others may come. The bound is less than their own time.
    host.retire(new Set(['another']))
    await expect
      .poll(() => host.run({ ...going, timeoutMs: 300 }), { timeout: 5000 })
      .toMatchObject({ exitCode: 0 })
  })
})
