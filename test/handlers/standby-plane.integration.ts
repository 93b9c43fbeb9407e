import { actingIn } from '../consent.ts'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Fired } from '../../src/core/model/events/step.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import { onBash, shellsWith } from './host/ahead.ts'
import { untilGone } from './host/processes.ts'

const proposal = 'hooks:\n  - {event: pre_tool_call, command: ./guard.sh}\n'
/** Says in a file that it ran, and blocks with that word. */
const guard = (word: string): string =>
  `#!/bin/sh\necho ${word} >> "$PWD/ran"\necho '{"decision": "block", "reason": "${word}"}'\n`

let plane: Plane
/** Approves the guard with the bytes that it has now. */
const approve = async (): Promise<void> => {
  const entry = plane.gate.rows()[0]?.entry
  if (entry === undefined) throw new Error('Expected the guard to be proposed, got no row.')
  expect(await actingIn(plane.gate.gatekeeper).approve(entry)).toMatchObject({ ok: true })
}
let session = 0
beforeEach(async () => {
  plane = await startPlane(proposal, { 'guard.sh': guard('old') })
  await approve()
  await actingIn(plane.gate.gatekeeper).setSwitch(true)
})
afterEach(() => plane.stop())

const fire = (): Promise<Fired> =>
  plane.gate.dispatcher.fire({
    agentId: 'main',
    event: 'pre_tool_call',
    sessionId: `session ${++session}`,
    cwd: plane.workspace,
    fields: { tool_name: 'bash', tool_input: {} },
  })
const reasonOf = (fired: Fired): string | undefined =>
  fired.kind === 'verdict' ? fired.verdict.reason : undefined
const ran = (): string => readFileSync(join(plane.workspace, 'ran'), 'utf8')
/** The group of the shell that waits for the guard, which has fired three times by then. */
const standing = async (): Promise<number> => {
  for (let count = 0; count < 3; count++) expect(reasonOf(await fire())).toBe('old')
  return until('a shell to wait', () => shellsWith(plane.home)[0]?.group)
}

describe('a shell that waits for a hook', onBash, () => {
  test('is gone when hooks are switched off', async () => {
    const group = await standing()
    await actingIn(plane.gate.gatekeeper).setSwitch(false)
    await untilGone(group)
    expect(shellsWith(plane.home)).toEqual([])
    expect(reasonOf(await fire())).toBeUndefined()
    expect(ran()).toBe('old\nold\nold\n')
  })

  test('is gone when its hook is revoked', async () => {
    const group = await standing()
    const [{ fingerprint } = { fingerprint: '' }] = plane.gate.gatekeeper.armed()
    expect(await actingIn(plane.gate.gatekeeper).revoke(fingerprint)).toBeDefined()
    await untilGone(group)
    expect(shellsWith(plane.home)).toEqual([])
    expect(ran()).toBe('old\nold\nold\n')
  })

  test('is gone when new bytes are approved, which the next event runs', async () => {
    const group = await standing()
    await plane.script('guard.sh', guard('new'))
    await approve()
    await untilGone(group)
    expect(reasonOf(await fire())).toBe('new')
    expect(ran()).toBe('old\nold\nold\nnew\n')
  })

  test('does not run bytes that were changed in the seal while it waited', async () => {
    await standing()
    const seal = join(plane.home, 'seal')
    const file = readdirSync(seal, { recursive: true })
      .map((name) => join(seal, String(name)))
      .find((path) => path.endsWith('guard.sh'))
    if (file === undefined) throw new Error('Expected the sealed guard, got none.')
    chmodSync(file, 0o755)
    writeFileSync(file, guard('forged'))
    const fired = await fire()
    expect(fired).toMatchObject({ kind: 'verdict', verdict: { verdict: 'block' } })
    expect(reasonOf(fired)).toMatch(/tampered seal|LOCKDOWN|lockdown/)
    expect(ran()).toBe('old\nold\nold\n')
  })
})
