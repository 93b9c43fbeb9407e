import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { preferencesOf } from '../../src/commands/cards/preferences.ts'
import { createBridgeService, me, textOf, type BridgeService } from './rig.ts'

let desk: BridgeService
let tools: string
/** The same entry and the same script, and another program that runs it. */
const exchange = (program: string): void => {
  fs.rmSync(path.join(tools, 'python3'), { force: true })
  fs.copyFileSync('/bin/sh', path.join(tools, program))
  fs.symlinkSync(path.join(tools, program), path.join(tools, 'python3'))
}
beforeEach(async () => {
  tools = fs.mkdtempSync(path.join(tmpdir(), 'hookgate-tools-'))
  exchange('one')
  desk = await createBridgeService('hooks:\n  - {event: on_stop, command: python3 ./x.py}\n', { tools })
  desk.fixture.write('x.py', 'print()\n')
})
afterEach(async () => {
  await desk.stop()
  fs.rmSync(tools, { recursive: true })
})

const live = (): number => desk.gatekeeper.state().approvals.size
const row = () => preferencesOf(desk.ports, me, { channel: 'telegram', chat_id: '7' }).rows[0]

test('the handle of a row of the page approves what the row showed, and nothing that runs otherwise by now', async () => {
  const shown = row()
  expect(shown?.details.join('\n')).toContain(`runs with: ${tools}/one`)
  const fingerprint = desk.ports.rows()[0]?.proposed
  exchange('two')
  expect(desk.ports.rows()[0]?.proposed).toBe(fingerprint)
  const answer = await desk.say(`/hooks approve ${shown?.handle}`)
  expect(answer).toMatch(/^Nothing was approved\./)
  expect(answer).toContain(`runs with: ${tools}/two`)
  expect(live()).toBe(0)
  expect(row()?.handle).not.toBe(shown?.handle)
  // What the old handle showed holds again.
  exchange('one')
  expect(await desk.say(`/hooks approve ${shown?.handle}`)).toContain('✓ Approved')
})

test('so does the button of a card', async () => {
  desk.chat.hasButtons = true
  const [card] = await desk.ask('/hooks show python3 ./x.py')
  expect(textOf(card ?? [])).toContain(`runs with: ${tools}/one`)
  exchange('two')
  const stale = await desk.tap(card, 'Approve')
  expect([stale.refused, live()]).toEqual(['stale', 0])
  const { said } = await desk.tap(stale.said, 'Details')
  expect(textOf(said)).toContain(`runs with: ${tools}/two`)
  expect(textOf((await desk.tap(said, 'Approve')).said)).toContain('✓ Approved')
})
