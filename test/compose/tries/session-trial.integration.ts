import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { writeSession } from '../../fixtures/sessions.ts'
import { startPlane, type Plane } from '../../plane.ts'

let home: string
let plane: Plane
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'hookgate-session-trial-'))
  vi.stubEnv('HOME', home)
  plane = await startPlane('hooks:\n  - {event: pre_tool_call, type: builtin, command: guard_commands}\n')
})
afterAll(async () => {
  await plane.stop()
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

test('a fresh gate tries a hook with the sessions that a client kept before it', async () => {
  const commands = ['ls', 'git reset --hard', 'npm test']
  writeSession.copilot(
    home,
    commands.map((command, index) => ({ command, cwd: '/data/shop', atMs: Date.now() - 1000 + index })),
  )
  const text = await plane.ask('/hooks try guard_commands copilot', (answer) =>
    answer.includes('Nothing was decided'),
  )
  expect(text).toContain('with the sessions that copilot keeps')
  expect(text).toContain('Of 3 past events 3 matched: ')
  expect(text).toContain('would ask a person · it was let through just now\n    bash git reset --hard')
  expect(text).not.toContain('/hooks why')
  const refused = await plane.ask('/hooks try guard_commands cursor', (answer) =>
    answer.includes('was not tried'),
  )
  expect(refused).toContain('hookgate cannot read the sessions of cursor.')
})
