import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { plain } from '../../src/core/model/chat/content.ts'
import { startPlane, until, type Plane } from '../plane.ts'

let plane: Plane | undefined
afterEach(async () => {
  await plane?.stop()
  plane = undefined
})

/** Blocks every push with the word, adds a note and a context, and says in a file that it was asked. */
const wide = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs')
const { notification } = JSON.parse(readFileSync(0, 'utf8'))
appendFileSync('asked', notification + '\\n')
if (notification.includes('plan')) console.log(JSON.stringify({ decision: 'block', reason: 'no plans', note: 'a note' }))
`
const yaml = 'hooks:\n  - {event: on_outbound_message, command: ./wide.sh}\n'
const handle = async (gate: Plane): Promise<string> =>
  /^🛡 ([a-z0-9]{5}) /u.exec(
    await gate.ask('/hooks show ./wide.sh', (text) => text.includes('fingerprint')),
  )?.[1] ?? ''

const draft = async (gate: Plane): Promise<string> => {
  const place = { channel: 'memory', chat_id: 'owner', agent_id: 'main', session_id: 's', cwd: '/' }
  const done = await gate.gate.dispatcher.push({
    ...place,
    ...plain('draft', 'half'),
    type: 'draft',
    push_id: randomUUID(),
    files: [],
  })
  return 'outcome' in done ? done.outcome : done.refused
}

test('a guard that is too wide is a shadow for twenty events and blocks none; promoted, it blocks', async () => {
  const gate = (plane = await startPlane(yaml, { 'wide.sh': wide }))
  // The agent runs before the shadow is there.
  await gate.ask('say hello', (text) => text === 'hello')
  await gate.ask(`/hooks shadow ${await handle(gate)}`, (text) => text.includes('✓ Shadow:'))
  await gate.ask('/hooks on', (text) => text.includes('Only shadows are asked'))
  // A hook that judges what leaves would end the drafts. A shadow does not.
  expect(await draft(gate)).toBe('delivered')
  const before = gate.texts().length
  const said: string[] = []
  for (let event = 1; event <= 20; event++) {
    const words = event % 4 === 0 ? `plan ${event}` : `word ${event}`
    said.push(await gate.ask(`say ${words}`, (text) => text.includes(words)))
  }
  // Nothing but the twenty answers arrived: no note, no warning, no notice of a block.
  const arrived = gate.texts().slice(before)
  expect(arrived.filter((text) => !text.includes('checkpoint'))).toEqual(said)
  expect(said).toContain('plan 4')
  await until('the shadow to have been asked about all of them', async () => {
    const text = await gate.ask('/hooks', (answer) => answer.includes('~ ./wide.sh: since the start'))
    return text.includes('would have blocked 5')
  })

  const blocks = await until('the records', async () => {
    const records = await gate.gate.store.records({ limit: 100, kinds: ['shadow'] })
    const would = records.filter(({ outcome }) => outcome === 'would block')
    return would.length === 5 ? would : undefined
  })
  const why = await gate.ask(`/hooks why ${blocks[0]?.event_id}`, (text) => text.includes('a shadow would'))
  expect(why).toContain('is a shadow and did not decide')
  expect(why).toContain('no plans')
  expect(why).toContain('· allowed')

  await gate.ask(`/hooks promote ${await handle(gate)}`, (text) => text.includes('✓ Promoted:'))
  expect(await draft(gate)).toBe('withheld')
  gate.say('say plan 21')
  const blocked = await until('the block', async () => {
    const records = await gate.gate.store.records({ limit: 100, kinds: ['event'], ofClass: 'blocked' })
    return records.length > 0 ? records : undefined
  })
  expect(blocked[0]).toMatchObject({ subject: 'on_outbound_message', reason: './wide.sh: no plans' })
  expect(gate.texts()).not.toContain('plan 21')
})

test('with the switch off no shadow is asked', async () => {
  const gate = (plane = await startPlane(yaml, { 'wide.sh': wide }))
  await gate.ask(`/hooks shadow ${await handle(gate)}`, (text) => text.includes('✓ Shadow:'))
  await gate.ask('say plan one', (text) => text === 'plan one')
  await gate.ask('/hooks on', (text) => text.includes('Only shadows are asked'))
  await gate.ask('say plan two', (text) => text === 'plan two')
  const asked = await until('the shadow', () => gate.read('asked').catch(() => undefined))
  expect(asked).not.toContain('plan one')
})
