import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, send } from '../../../permissions/caller.ts'
import { startPlane, until, type Plane } from '../../../plane.ts'

const guard = `#!/bin/sh
grep -q forbidden && echo '{"decision": "block", "reason": "no"}'
exit 0
`
const hooks = `hooks:
  - {event: pre_tool_call, command: ./guard.sh, matcher: echo}
  - {event: on_user_message, command: ./other.sh}
`

let plane: Plane
beforeAll(async () => {
  plane = await startPlane(hooks, {
    'guard.sh': guard,
    'wide.sh': guard,
    'other.sh': '#!/bin/sh\n',
  })
})
afterAll(() => plane.stop())

const stats = (rest = ''): Promise<string> =>
  plane.ask(`/hooks stats${rest}`, (text) => /events? in|happened|asked|No event|Name/.test(text))
/** The answer with the time and the ids of this run taken out. */
const plain = (text: string): string =>
  text
    .replaceAll(/within [\d.]+ ms, 95 % within [\d.]+ ms/g, 'within T ms, 95 % within T ms')
    .replaceAll(/why \S+/g, 'why ID')
const run = async (command: string): Promise<unknown> =>
  (await send(plane, 'pre_tool_call', call('bash', { command }))).body.verdict

test('an owner sees how often a hook was asked, what it did and how long it took', async () => {
  await plane.ask('/hooks approve pre_tool_call ./guard.sh', (text) => text.includes('Approved'))
  await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
  expect(await stats()).toBe('🛡 Nothing happened in the last 7 days.')
  for (const command of ['echo one', 'ls', 'echo two', 'echo forbidden'])
    expect(await run(command)).toBe(command.includes('forbidden') ? 'block' : 'allow')
  expect(plain(await stats())).toBe(`🛡 4 events in the last 7 days
  3 allowed · 1 blocked
./guard.sh  pre_tool_call
  was asked 3 times · blocked 1
  half within T ms, 95 % within T ms
  the last block → /hooks why ID`)
  const [, id = ''] = /why (\S+)/.exec(await stats()) ?? []
  expect(await plane.ask(`/hooks why ${id}`, (text) => text.includes('pre_tool_call'))).toContain('no')
})

test('an event that no hook matched is in the log, and says which hook did not', async () => {
  await run('ls')
  const log = await plane.ask('/hooks log rest', (text) => text.includes('Times in'))
  const [, id = ''] = /✓ bash │ ls\n.*why (\S+)/.exec(log) ?? []
  const why = await plane.ask(`/hooks why ${id}`, (text) => text.includes(`event ${id}`))
  expect(why).toContain('· allowed\ntool bash\n│ ls\n– ./guard.sh did not fire: did not match\nevent ')
})

const handleOf = async (command: string): Promise<string> => {
  const card = await plane.ask(`/hooks show ${command}`, (text) => text.includes('fingerprint'))
  return /(\w{5}) /.exec(card)?.[1] ?? ''
}

test('a handle and a time name one hook and another span', async () => {
  expect(plain(await stats(` ${await handleOf('./guard.sh')} 2h`)))
    .toBe(`🛡 ./guard.sh  pre_tool_call, in the last 2 hours
  was asked 3 times · blocked 1
  half within T ms, 95 % within T ms
  the last block → /hooks why ID`)
  expect(await stats(` ${await handleOf('./other.sh')}`)).toBe(`🛡 ./other.sh  on_user_message
  is not approved, so it was never asked`)
})

test('of a shadow they say what it would have done', async () => {
  await plane.propose(`${hooks}  - {event: pre_tool_call, command: ./wide.sh, matcher: rm}\n`)
  const shadow = await handleOf('./wide.sh')
  await plane.ask(`/hooks shadow ${shadow}`, (text) => text.includes('✓ Shadow'))
  expect(await stats(` ${shadow}`)).toBe(`🛡 ./wide.sh  pre_tool_call
  was not asked in the last 7 days`)
  for (const command of ['rm one', 'rm forbidden']) expect(await run(command)).toBe('allow')
  const known = await until('the answers of the shadow', async () => {
    const text = await stats(` ${shadow}`)
    return text.includes('2 times') ? text : undefined
  })
  expect(plain(known)).toBe(`🛡 ./wide.sh  pre_tool_call, in the last 7 days
  was asked as a shadow 2 times · would have blocked 1
  half within T ms, 95 % within T ms
  the last event that it would have blocked → /hooks why ID`)
})

test('where gate.yaml keeps no events, the answer says so', async () => {
  const bare = await startPlane('hooks: []\n', {}, {}, 'none', {}, 'history: {days: 0}\n')
  try {
    expect(await bare.ask('/hooks stats', (text) => text.includes('gate.yaml'))).toContain(
      'No event is kept here: gate.yaml says history: {days: 0}.',
    )
  } finally {
    await bare.stop()
  }
})
