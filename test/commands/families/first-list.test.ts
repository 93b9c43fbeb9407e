import fs from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { packageRoot } from '../../../src/config/first-start.ts'
import { createBridgeService, type BridgeService } from '../rig.ts'

let desk: BridgeService
afterEach(() => desk.stop())

test('what a first start proposes has names of its own, and the list of it is one page in one message', async () => {
  const root = packageRoot()
  desk = await createBridgeService(fs.readFileSync(path.join(root, 'config', 'shell_hooks.yaml'), 'utf8'))
  fs.cpSync(path.join(root, 'examples'), path.join(desk.fixture.workspace, '.hookgate-examples'), {
    recursive: true,
  })
  const rows = desk.ports.rows()
  const names = rows.map(({ entry }) => entry?.name ?? '')
  expect(new Set(names).size).toBe(rows.length)
  for (const { entry, command } of rows) {
    expect(entry?.name?.length ?? 0, command).toBeGreaterThan(0)
    expect(entry?.name?.length ?? 0, entry?.name).toBeLessThanOrEqual(40)
    expect(entry?.description, entry?.name).toMatch(/^It .{10,90}\.$/)
  }
  const list = await desk.say('/hooks')
  expect(list).not.toMatch(/^page \d/m)
  expect(list.length).toBeLessThan(2000)
})
