import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFixture, type Fixture } from './gate-fixture.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

interface Acknowledged {
  readonly revision: number
  readonly head: string
  readonly isOn: boolean
  readonly approvals: readonly string[]
}

/**
 * Runs the program that never stops changing the gate, and kills it so many milliseconds after its first
 * change.
 */
const strike = async (afterMs: number): Promise<readonly Acknowledged[]> => {
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, 'append-forever.ts'), fixture.home, fixture.workspace],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let output = ''
  const began = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      resolve()
    })
  })
  const closed = once(child, 'close')
  await Promise.race([began, closed])
  await delay(afterMs)
  child.kill('SIGKILL')
  await closed
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Acknowledged)
}

test(
  'killed in the middle of its changes, at many points: what was acknowledged stands, and at most the one change under way is more',
  { timeout: 120_000 },
  async () => {
    for (let round = 0; round < 12; round++) {
      const said = await strike(3 + ((round * 37) % 90))
      const last = said.at(-1)
      if (last === undefined) throw new Error('It acknowledged nothing.')
      const state = (await fixture.open()).state()
      expect(state.lockdown).toBeUndefined()
      expect(state.revision - last.revision).toBeLessThanOrEqual(1)
      expect(state.revision).toBeGreaterThanOrEqual(last.revision)
      if (state.revision === last.revision)
        expect([state.head, state.isOn, [...state.approvals.keys()]]).toEqual([
          last.head,
          last.isOn,
          last.approvals,
        ])
      expect(fixture.lines()).toHaveLength(state.revision)
    }
    expect(fixture.lockdowns).toEqual([])
  },
)
