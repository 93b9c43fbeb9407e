import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ClientName } from '../../src/shared/gate/client.ts'
import { labels, nextCard, sentMessages, tap } from '../permissions/caller.ts'
import { startPlane, type Plane } from '../plane.ts'

/**
 * One hook makes a push of its own words of any "publish" and says no more; the other one consents to what it
 * knows.
 */
const rewriter = `#!/bin/sh
case "$(cat)" in *'"publish'*) printf '%s' '{"tool_input": {"command": "git push --dry-run"}}' ;; esac
`
const consenter = `#!/bin/sh
case "$(cat)" in *'"publish known'*|*'"status'*) printf '%s' '{"decision": "allow"}' ;; esac
`

let plane: Plane
let from = 0

beforeAll(async () => {
  plane = await startPlane(
    'hooks:\n  - {event: pre_tool_call, command: ./consenter.sh}\n  - {event: pre_tool_call, command: ./rewriter.sh}\n',
    { 'rewriter.sh': rewriter, 'consenter.sh': consenter },
  )
  for (const name of ['consenter', 'rewriter']) {
    await plane.ask(`/hooks approve pre_tool_call ./${name}.sh`, (answer) => answer.includes('✓ Approved'))
  }
  await plane.ask('/hooks on', (answer) => answer.includes('Hooks are ON'))
})
afterAll(() => plane.stop())
beforeEach(() => {
  from = sentMessages(plane).length
})

/** What the gate prints for a client. */
const asked = (client: ClientName, event: string, stdin: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        socketPath: join(plane.home, 'run', 'bridge.sock'),
        method: 'POST',
        path: `/v1/bridge/${client}/${event}`,
        headers: { 'content-type': 'application/json', 'x-hookgate-ask-ms': '60000' },
      },
      (response) =>
        void text(response).then((body) => resolve(body === '' ? undefined : JSON.parse(body)), reject),
    )
    sent.on('error', reject)
    sent.end(JSON.stringify({ session_id: 's', cwd: plane.workspace, ...stdin }))
  })

const bash = (command: string, permission_mode = 'default'): object => ({
  tool_name: 'Bash',
  tool_input: { command, description: 'run' },
  tool_use_id: 't',
  permission_mode,
})
const rewritten = { command: 'git push --dry-run', description: 'run' }
const specific = (hookEventName: string, fields: object): object => ({
  hookSpecificOutput: { hookEventName, ...fields },
})

test.each(['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions'])(
  'Claude Code in mode %s: a rewrite that no hook consented to is no permission',
  async (mode) => {
    const answer = await asked('claude-code', 'PreToolUse', bash('publish', mode))
    expect(answer).toEqual(specific('PreToolUse', { updatedInput: rewritten }))
  },
)

test('what Claude Code asks about a rewritten call reaches the owner as it was rewritten', async () => {
  const { tool_use_id: _, ...request } = { tool_use_id: '', ...bash('publish'), tool_input: rewritten }
  const permission = asked('claude-code', 'PermissionRequest', request)
  const card = await nextCard(plane, from)
  expect(card.text).toContain('command: git push --dry-run')
  expect(labels(card).flat()).toContain('Allow once')
  tap(plane, card, 'Allow once')
  // Without arguments of its own, so that exactly what was asked about runs.
  expect(await permission).toEqual(specific('PermissionRequest', { decision: { behavior: 'allow' } }))
})

test('consent to a call is none to what another hook made of it', async () => {
  expect(await asked('claude-code', 'PreToolUse', bash('status'))).toEqual(
    specific('PreToolUse', { permissionDecision: 'allow' }),
  )
  const answer = await asked('claude-code', 'PreToolUse', bash('publish known'))
  expect(answer).toEqual(specific('PreToolUse', { updatedInput: rewritten }))
})

test('Cursor has no word for a rewrite without consent: the call is refused, with the one that is wanted', async () => {
  const answer = await asked('cursor', 'preToolUse', {
    conversation_id: 's',
    tool_name: 'Shell',
    tool_input: { command: 'publish' },
  })
  expect(answer).toMatchObject({
    permission: 'deny',
    agent_message: expect.stringContaining('git push --dry-run'),
  })
})

test('a question that Claude Code asks in its own way brings no card that asks for a yes to it', async () => {
  const call = { tool_name: 'AskUserQuestion', tool_input: { questions: [{ question: 'Which?' }] } }
  expect(await asked('claude-code', 'PermissionRequest', call)).toBeUndefined()
  expect(sentMessages(plane).slice(from)).toEqual([])
})
