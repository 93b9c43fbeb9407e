import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ArmedHook, Entry } from '../../../src/core/model/hooks/entry.ts'
import type { ProcessRow } from '../../process-list.ts'
import { onBash, shellsWith } from '../host/ahead.ts'
import { survivorsOf, untilGone } from '../host/processes.ts'
import { armed, payloadWith, startRig, within, type Rig } from './rig.ts'
import { until } from '../../until.ts'

let rig: Rig
beforeEach(async () => {
  rig = await startRig({ env: (_hook, { session_id }) => ({ SESSION: session_id }) })
})
afterEach(() => rig.stop())

const hookOf = (
  text = 'cat; echo " $HOOKGATE_CHAIN $SESSION $HOOKGATE_RUN"',
  rest: Partial<ArmedHook> = {},
  entry: Partial<Entry> = {},
): ArmedHook => armed(['/bin/sh', '-c', text, rig.folder], entry, { cwd: rig.folder, ...rest })
let events = 0
const ask = (hook: ArmedHook, word = 'word', session = 'one') =>
  rig.command.ask(
    hook,
    { ...payloadWith({ word }), session_id: session },
    within(10_000, { chain: [`pre_tool_call:${++events}`] }),
  )
/** The shells of this test that wait for an event. */
const shells = (): readonly ProcessRow[] => shellsWith(rig.folder)
const untilShells = (count: number): Promise<readonly ProcessRow[]> =>
  until(`${count} shells that wait`, () => {
    const found = shells()
    return found.length === count && found
  })
/** Asks until the hook counts as one that fires often, and gives the shell that waits then. */
const standing = async (hook: ArmedHook): Promise<ProcessRow> => {
  const before = new Set(shells().map(({ pid }) => pid))
  await ask(hook)
  await ask(hook)
  return until('a shell that waits', () =>
    shells().find(
      ({ pid, command }) => !before.has(pid) && command.includes(hook.argv[2] ?? hook.argv[0] ?? ''),
    ),
  )
}
/** The number of a process inside the hook host's namespace. */
const innerPid = (pid: number): number =>
  Number(/^NSpid:.*\s(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

describe('a shell waits', onBash, () => {
  test('for a hook that fires often, and becomes it with the values of its event', async () => {
    const hook = hookOf('echo "$$ $HOOKGATE_CHAIN"; cat')
    for (let round = 0; round < 3; round++) {
      const { pid } = round === 0 ? await standing(hook) : ((await untilShells(1))[0] ?? { pid: 0 })
      const inner = innerPid(pid)
      const { stdout } = await ask(hook, `word ${round}`)
      expect(stdout).toContain(`${inner} pre_tool_call:${events}\n`)
      expect(stdout).toContain(`"word ${round}"`)
    }
  })

  test('not for a hook that fired once', async () => {
    await ask(hookOf())
    const other = hookOf('echo other')
    await standing(other)
    expect(shells()).toHaveLength(1)
  })

  test('learns which variables differ by event, and hands them over', async () => {
    const hook = hookOf()
    await standing(hook)
    // The session is another one for the first time, so this shell is not asked.
    expect((await ask(hook, 'word', 'two')).stdout).toContain(`pre_tool_call:${events} two`)
    const [next] = await untilShells(1)
    expect(next?.command).toContain(' SESSION && ')
    expect((await ask(hook, 'word', '$(exit 1) three')).stdout).toContain(
      `pre_tool_call:${events} $(exit 1) three`,
    )
    await untilGone(next?.group ?? Number.NaN)
  })

  test('for eight hooks at most', async () => {
    const hooks = Array.from({ length: 11 }, (_, index) => hookOf('cat', { fingerprint: `f${index}` }))
    for (const hook of hooks) await Promise.all([ask(hook), ask(hook)])
    for (const hook of hooks) await standing(hook)
    await untilShells(8)
    expect(shells().reduce((sum, { rssMb }) => sum + rssMb, 0)).toBeLessThan(8 * 4)
  })

  test('not for a hook that only doctor asks', async () => {
    rig.live.add('another')
    const quiet = hookOf('echo quiet')
    await ask(quiet)
    await ask(quiet)
    rig.live.add('also')
    await standing(hookOf('cat', { fingerprint: 'also' }))
    expect(shells()).toHaveLength(1)
  })

  test('and never starts the hook without an event', async () => {
    const hook = hookOf(`echo ran >> '${rig.folder}/ran'; cat`)
    const { group } = await standing(hook)
    rig.command.retire?.(new Set(['another']))
    await untilGone(group)
    expect(readFileSync(join(rig.folder, 'ran'), 'utf8')).toBe('ran\nran\n')
  })
})

describe('a shell that waits is ended', onBash, () => {
  test('when its hook is no longer in force, and not with others', async () => {
    const hook = hookOf()
    const { group } = await standing(hook)
    rig.command.retire?.(new Set([hook.fingerprint]))
    await ask(armed(['/bin/echo', 'in order']))
    expect(survivorsOf(group)).toHaveLength(1)
    rig.command.retire?.(new Set(['another']))
    await untilGone(group)
    expect(await ask(hook)).toMatchObject({ exitCode: 0 })
  })

  test('when new bytes of the hook are approved', async () => {
    const hook = hookOf('cat', { fingerprint: 'old' })
    const { group } = await standing(hook)
    const changed = hookOf('echo new', { fingerprint: 'new' })
    rig.command.retire?.(new Set(['new']))
    await untilGone(group)
    expect(await ask(changed)).toMatchObject({ stdout: 'new\n' })
  })

  test('when the gate stops', async () => {
    const { group } = await standing(hookOf())
    await rig.host.stop()
    await untilGone(group)
  })

  test('when its hook host dies', async () => {
    const hook = hookOf()
    const { group } = await standing(hook)
    const before = rig.host.pid()
    process.kill(before ?? Number.NaN, 'SIGKILL')
    await untilGone(group)
    await expect.poll(() => rig.host.pid()).not.toBe(before)
    expect(await ask(hook)).toMatchObject({ exitCode: 0 })
  })
})

describe('no verdict is lost when the shell that waits', onBash, () => {
  test.each([['SIGKILL'], ['SIGSTOP'], ['SIGTERM']] as const)('gets %s', async (signal) => {
    const hook = hookOf()
    for (let round = 0; round < 2; round++) {
      const { pid } = round === 0 ? await standing(hook) : ((await untilShells(1))[0] ?? { pid: 0 })
      process.kill(pid, signal)
      expect(await ask(hook, `after ${signal}`)).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining(`after ${signal}`),
      })
    }
  })

  test('is killed each time, and after three of them no other one is started', async () => {
    const hook = hookOf()
    await standing(hook)
    for (let round = 0; round < 3; round++) {
      const [{ pid, group } = { pid: 0, group: 0 }] = await untilShells(1)
      process.kill(pid, 'SIGKILL')
      await untilGone(group)
      expect(await ask(hook)).toMatchObject({ exitCode: 0 })
    }
    await standing(hookOf('echo other'))
    expect(shells()).toHaveLength(1)
  })

  test('is for a folder that was removed, where the hook runs in its own', async () => {
    const cwd = join(rig.folder, 'cwd')
    mkdirSync(cwd)
    const hook = hookOf('pwd; cat', { cwd, ownFolder: rig.folder })
    await standing(hook)
    rmSync(cwd, { recursive: true })
    expect(await ask(hook)).toMatchObject({
      exitCode: 0,
      inOwnFolder: true,
      stdout: expect.stringContaining(`${rig.folder}\n`),
    })
  })

  test('is for a program that is gone, whose failure is told as usual', async () => {
    const path = join(rig.folder, 'hook.sh')
    writeFileSync(path, '#!/bin/sh\necho done\n')
    chmodSync(path, 0o755)
    const hook = armed([path], {}, { cwd: rig.folder })
    await standing(hook)
    rmSync(path)
    expect(existsSync(path)).toBe(false)
    expect(await ask(hook)).toMatchObject({ failure: { kind: 'start' }, stderr: '' })
  })
})
