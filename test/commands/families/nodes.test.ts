import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBridgeService, type BridgeService } from '../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService()
})
afterEach(() => desk.stop())

test('the answer to /nodes add is the line for the other machine, and its code lets that machine in', async () => {
  expect(await desk.say('/nodes')).toContain('There are no nodes yet.')
  const answer = await desk.say('/nodes add Lab-2')
  const code = /hookgate node --gate https:\/\/gate\.example\.org --code (\S+)/.exec(answer)?.[1] ?? ''
  expect(await desk.gatekeeper.nodes.enrol(code, 'k'.repeat(43))).toMatchObject({ node: { name: 'lab-2' } })
  expect(await desk.say('/nodes')).toContain('lab-2\n  not connected')
})

test('a node is removed by its name, the other owners are told, and nothing else is understood', async () => {
  await desk.gatekeeper.addOwner({ id: 'telegram:8', chat_id: '8' }, 'telegram:7')
  const { code } = desk.gatekeeper.nodes.invite('lab', 'telegram:7') as { code: string }
  await desk.gatekeeper.nodes.enrol(code, 'k'.repeat(43))
  expect(await desk.say('/nodes add lab')).toContain('is a node already')
  expect(await desk.say('/nodes remove LAB')).toContain('The node lab is removed.')
  expect(desk.others.join('\n')).toContain('The node lab was removed by telegram:7')
  expect(await desk.say('/nodes remove lab')).toContain('Nothing changed.')
  for (const line of ['/nodes add', '/nodes remove', '/nodes rename lab'])
    expect(await desk.say(line)).toContain('Type /nodes, /nodes add <name>')
})
