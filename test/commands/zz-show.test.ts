import { test } from 'vitest'
import { createDesk } from '/work/main/test/commands/rig.ts'
const yaml = `hooks:
  - {event: pre_tool_call, command: ./examples/block_destructive.sh, on_error: block}
  - {event: on_outbound_message, command: ./examples/block_secrets.py}
  - {event: on_outbound_message, command: ./examples/block_secrets.py, matcher: x, timeout: 5}
  - {event: pre_tol_call, command: ./x.sh}
  - {event: on_stop, command: ./missing.sh}
  - {event: on_permission_decision, command: sh -c "cat x.json"}
`
test('show', async () => {
  const d = await createDesk(yaml)
  const p = async (t: string) => { console.log(`>>> ${t}\n${await d.say(t)}\n`) }
  d.fixture.write('examples/block_destructive.sh', '#!/bin/sh\necho {}\n')
  d.fixture.write('examples/block_secrets.py', '#!/usr/bin/env python3\nprint({})\n')
  await p('/hooks'); await p('/help'); await p('/hooks help'); await p('/hook'); await p('/hooks aprove x'); await p('/hooks test'); await p('/frobnicate')
  await p('/hooks approve'); await p('/hooks approve pre_tool_call'); await p('/hooks approve pre_tol_call ./x.sh'); await p('/hooks approve nonsense ./x'); await p('/hooks approve zzzzz'); await p('/hooks approve something')
  await p('/hooks approve pre_tool_call ./examples/block_destructive.sh'); await p('/hooks approve pre_tool_call ./examples/block_destructive.sh')
  await p('/hooks on'); await p('/hooks on')
  await p('/hooks approve on_outbound_message ./examples/block_secrets.py')
  await p('/hooks approve on_outbound_message ./examples/block_secret.py')
  await p('/hooks approve on_stop ./missing.sh')
  await p('/hooks approve on_permission_decision sh -c “cat x.json”')
  for (const a of d.gatekeeper.state().approvals.keys()) d.fired.set(a, d.fixture.clock.nowMs - 125000)
  await p('/hooks')
  d.fixture.write('examples/block_secrets.py', '#!/usr/bin/env python3\nprint({1})\n')
  await p('/hooks')
  d.fixture.write('examples/block_secrets.py', '#!/usr/bin/env python3\nprint({2})\n')
  await p('/hooks approve on_outbound_message ./examples/block_secrets.py')
  await p('/hooks approve on_outbound_message ./examples/block_secrets.py')
  await p(`/hooks show ${await d.handleOf('./examples/block_destructive.sh')}`)
  await p('/hooks show ./missing.sh'); await p('/hooks show'); await p('/hooks show abcde')
  d.propose('hooks: []\n')
  await p('/hooks')
  await p('/hooks revoke ./examples/block_secrets.py'); await p('/hooks revoke ./examples/block_secrets.py'); await p('/hooks revoke')
  d.propose('hooks: [\n')
  await p('/hooks')
  await p('/hooks off'); await p('/hooks off'); await p('/hooks off 15m'); await p('/hooks')
  await p('/whoami'); await p('/new'); await p('/stop'); await p('/hooks doctor'); await p('/hooks why'); await p('/hooks why nothing'); await p('/hooks recover')
  d.record({ hooks: [{ fingerprint: 'f', label: 'guard', fired: true, why: 'matched', durationMs: 12.3, answer: { kind: 'block', reason: 'rm -rf', notes: [] } }, { fingerprint: 'g', label: 'redact', fired: true, why: 'matched, asked 2 times', durationMs: 30, answer: { kind: 'abstain', rewrite: { tool_input: '…' }, notes: [] } }, { fingerprint: 'h', label: 'x', fired: true, why: 'matched', answer: { kind: 'fault', fault: { kind: 'timeout', detail: 'Expected an answer within 20 s.' }, notes: [] } }], missed: 2, outcome: 'block', reason: 'guard: rm -rf', durationMs: 44, revision: 3 })
  await p('/hooks why'); await p('/hooks log')
  d.gatekeeper.lockDown('the ledger is damaged: line 3')
  await p('/hooks'); await p('/hooks on'); await p('/hooks approve pre_tool_call ./examples/block_destructive.sh'); await p('/hooks revoke ./examples/block_destructive.sh'); await p('/hooks recover'); await p('/hooks'); await p('/hooks on\nthanks')
  await d.stop()
})
