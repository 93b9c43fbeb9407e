import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSwitching } from '../../../src/core/gatekeeper/acts.ts'
import type { Gatekeeper } from '../../../src/core/gatekeeper/gatekeeper.ts'
import { createRearm } from '../../../src/core/gatekeeper/rearm.ts'
import { durationWords } from '../../../src/core/model/base/clock.ts'
import { readDuration } from '../../../src/shared/base/duration.ts'
import { prose, proseText } from '../../../src/core/model/chat/prose.ts'
import { createFixture, type Fixture } from './gate-fixture.ts'
import { me } from './ledger-fixture.ts'

let fixture: Fixture
let ticksMs: number
let told: string[]
let face: boolean[]
beforeEach(() => {
  fixture = createFixture()
  ticksMs = 1_000_000
  told = []
  face = []
})
afterEach(() => fixture.remove())

const minute = 60_000
const rearmOf = (gate: Gatekeeper) => {
  const setSwitch = createSwitching({
    gatekeeper: gate,
    record: () => undefined,
    writeSwitchFile: (isOn) => void face.push(isOn),
  })
  return createRearm({
    gatekeeper: gate,
    setSwitch: (isOn, by) => setSwitch(isOn, by, () => by),
    alarm: (_, text) => void told.push(proseText(text)),
    said: (warning) => prose`${warning}`,
    now: () => fixture.clock.nowMs,
    monotonicMs: () => ticksMs,
  })
}

/** Both clocks go on together, and the gate looks each second. */
const live = async (rearm: { look(): Promise<void> }, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 1000) {
    ticksMs += 1000
    fixture.clock.nowMs += 1000
    await rearm.look()
  }
}

test('off for a while ends by itself: on in the ledger, in the file, and told to every owner', async () => {
  const gate = await fixture.open()
  const rearm = rearmOf(gate)
  await gate.setSwitch(false, me, 15 * minute)
  await rearm.look()
  await live(rearm, 15 * minute - 1000)
  expect(gate.state().isOn).toBe(false)
  await live(rearm, 1000)
  expect(gate.state()).toMatchObject({ isOn: true, revision: 3 })
  expect(JSON.parse(fixture.lines()[2] ?? '')).toMatchObject({ act: 'on', by: 'hookgate: off 15m ended' })
  expect(told).toEqual(['Hooks are ON again: the 15m of /hooks off by telegram:7 are over.'])
  expect(face).toEqual([true])
  await live(rearm, minute)
  expect(fixture.lines()).toHaveLength(3)
})

test.each(['on', 'off'])("an owner's %s ends the wait", async (word) => {
  const gate = await fixture.open()
  const rearm = rearmOf(gate)
  await gate.setSwitch(false, me, minute)
  await rearm.look()
  await gate.setSwitch(word === 'on', 'telegram:8')
  await live(rearm, 10 * minute)
  expect(gate.state()).toMatchObject({ isOn: word === 'on', revision: 3 })
  expect(told).toEqual([])
})

test('a second off for a while counts from itself', async () => {
  const gate = await fixture.open()
  const rearm = rearmOf(gate)
  await gate.setSwitch(false, me, 2 * minute)
  await rearm.look()
  await live(rearm, minute)
  await gate.setSwitch(false, me, 5 * minute)
  await live(rearm, 5 * minute - 1000)
  expect(gate.state().isOn).toBe(false)
  await live(rearm, 2000)
  expect(gate.state().isOn).toBe(true)
})

describe('a wall clock that somebody sets', () => {
  test('back: it ends when the time is over all the same', async () => {
    const gate = await fixture.open()
    const rearm = rearmOf(gate)
    await gate.setSwitch(false, me, 15 * minute)
    await rearm.look()
    fixture.clock.nowMs -= 30 * 24 * 60 * minute
    await live(rearm, 15 * minute)
    expect(gate.state().isOn).toBe(true)
  })

  test('forward, or a machine that slept: it ends early', async () => {
    const gate = await fixture.open()
    const rearm = rearmOf(gate)
    await gate.setSwitch(false, me, 15 * minute)
    await rearm.look()
    fixture.clock.nowMs += 16 * minute
    await rearm.look()
    expect(gate.state().isOn).toBe(true)
  })
})

describe('after a restart', () => {
  const restarted = async (
    aheadMs: number,
  ): Promise<{ gate: Gatekeeper; rearm: { look(): Promise<void> } }> => {
    await (await fixture.open()).setSwitch(false, me, 15 * minute)
    fixture.clock.nowMs += aheadMs
    ticksMs = 5
    const gate = await fixture.open()
    const rearm = rearmOf(gate)
    await rearm.look()
    return { gate, rearm }
  }

  test('what is left by the wall clock', async () => {
    const { gate, rearm } = await restarted(10 * minute)
    await live(rearm, 5 * minute - 1000)
    expect(gate.state().isOn).toBe(false)
    await live(rearm, 1000)
    expect(gate.state().isOn).toBe(true)
  })

  test('at once when it is over', async () => {
    expect((await restarted(15 * minute)).gate.state().isOn).toBe(true)
    expect(told).toHaveLength(1)
  })

  test.each([-minute, -24 * 60 * minute])(
    'never longer than was asked for, with a clock that is %d ms back',
    async (aheadMs) => {
      const { gate, rearm } = await restarted(aheadMs)
      await live(rearm, 15 * minute - 1000)
      expect(gate.state().isOn).toBe(false)
      await live(rearm, 1000)
      expect(gate.state().isOn).toBe(true)
    },
  )
})

test('what cannot be written is told once and tried again each minute', async () => {
  const gate = await fixture.open()
  const rearm = rearmOf(gate)
  await gate.setSwitch(false, me, minute)
  await rearm.look()
  fs.mkdirSync(`${fixture.home}/secrets/ledger.head.new/x`, { recursive: true })
  await live(rearm, 3 * minute)
  expect(gate.state().isOn).toBe(false)
  expect(told).toEqual([
    expect.stringMatching(
      /^✗ Hooks are still OFF, although the 1m of \/hooks off by telegram:7 are over\.\nThe ledger cannot be written.*\n→ \/hooks on$/,
    ),
  ])
  fs.rmSync(`${fixture.home}/secrets/ledger.head.new`, { recursive: true })
  await live(rearm, minute)
  expect(gate.state().isOn).toBe(true)
  expect(told).toHaveLength(2)
})

test('in lockdown it waits, and what an owner goes on from is ended then', async () => {
  const gate = await fixture.open()
  const rearm = rearmOf(gate)
  await gate.setSwitch(false, me, minute)
  await rearm.look()
  gate.lockDown('a test')
  await live(rearm, 2 * minute)
  expect(told).toEqual([])
  await gate.recover(me, gate.state().good?.head)
  await live(rearm, 1000)
  expect(gate.state()).toMatchObject({ isOn: true })
})

test('times are read and said as people write them', () => {
  for (const [text, ms] of [
    ['90s', 90_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    [' 1 MIN ', 60_000],
  ] as const)
    expect(readDuration(text)).toBe(ms)
  for (const text of ['', 'm', '0s', '1.5h', '-1m', '1d', '1m1s', '999999s'])
    expect(readDuration(text)).toBeUndefined()
  expect([90_000, 900_000, 7_200_000, 5400_000, 1500].map(durationWords)).toEqual([
    '90s',
    '15m',
    '2h',
    '90m',
    '2s',
  ])
})
