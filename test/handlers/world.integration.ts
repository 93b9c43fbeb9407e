import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startPlane, until, type Plane } from '../plane.ts'

let plane: Plane | undefined
afterEach(async () => {
  await plane?.stop()
  plane = undefined
})

const value = 'https://hooks.example/services/T0/B0/secret'
const tell = `#!/bin/sh
cat > /dev/null
echo "$USER $LOGNAME \${OTHER-unset} $WEBHOOK" >> ~/.claude/log.txt
echo "$WEBHOOK" > "$TMPDIR/last"
set -x
: posting to "$WEBHOOK"
echo '{"decision": "block", "reason": "could not reach '"$WEBHOOK"'"}'
`
const entry = (more: string): string =>
  `hooks:\n  - {event: pre_tool_call, command: ./tell.sh, env: {WEBHOOK: ${more}}}\n`
const start = (proposals: string): Promise<Plane> =>
  startPlane(
    proposals,
    { 'tell.sh': tell },
    { SLACK_WEBHOOK: value, OTHER: 'x' },
    'none',
    {},
    'hooks: {env: [SLACK_WEBHOOK]}\n',
  )

test('a hook writes to a home that lasts, knows the person, and has the variable that gate.yaml lists; its value goes nowhere else', async () => {
  plane = await start(entry('$SLACK_WEBHOOK'))
  await plane.ask('/hooks approve pre_tool_call ./tell.sh', (text) => text.includes('Approved'))
  await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
  const fired = await plane.gate.dispatcher.fire({
    agentId: 'main',
    event: 'pre_tool_call',
    sessionId: 's',
    cwd: plane.workspace,
    fields: { tool_name: 'bash', tool_input: {} },
  })
  expect(JSON.stringify(fired)).toContain('could not reach $SLACK_WEBHOOK')
  const name = process.env['SUDO_USER'] ?? userInfo().username
  expect(await readFile(join(plane.home, 'hooks/home/.claude/log.txt'), 'utf8')).toBe(
    `${name} ${name} unset ${value}\n`,
  )
  expect(await readFile(join(plane.home, 'hooks/tmp/last'), 'utf8')).toBe(`${value}\n`)
  for (const line of ['/hooks list', '/hooks log', '/hooks why', '/hooks show ./tell.sh'])
    await plane.ask(line, () => true)
  const records = await plane.gate.store.records({ limit: 50 })
  expect(
    [...plane.texts(), JSON.stringify(records), JSON.stringify(fired)].filter((text) => text.includes(value)),
  ).toEqual([])
  expect(await readFile(join(plane.home, 'ledger.jsonl'), 'utf8')).not.toContain(value)
})

test('an entry that names a variable which gate.yaml does not list says so on its card, with the fix, and cannot be approved', async () => {
  plane = await start(entry('$OTHER'))
  const { gate } = plane
  await until('the row', () => gate.rows().some(({ status }) => status === 'invalid'))
  expect(await plane.ask('/hooks pending', (text) => text.includes('tell.sh'))).toContain(
    'hooks: {env: [OTHER]}',
  )
  expect(await plane.ask('/hooks approve pre_tool_call ./tell.sh', () => true)).not.toContain('Approved')
})
