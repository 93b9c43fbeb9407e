import { afterEach, expect, test } from 'vitest'
import { named, prose, proseText } from '../../../src/core/model/chat/prose.ts'
import { startPlane, until, type Plane } from '../../plane.ts'

let plane: Plane | undefined
afterEach(async () => {
  await plane?.stop()
  plane = undefined
})

test('while a hook blocks everything, a notice still names the agent, the channel and the hook', async () => {
  plane = await startPlane('hooks:\n  - {event: on_outbound_message, command: ./hooks/all.sh}\n', {
    'hooks/all.sh': '#!/bin/sh\necho \'{"decision": "block", "reason": "nothing leaves"}\'\n',
  })
  await plane.ask('/hooks approve on_outbound_message ./hooks/all.sh', (answer) =>
    answer.includes('Approved'),
  )
  await plane.ask('/hooks on', (answer) => answer.includes('Hooks are ON'))
  const notice = await plane.ask('say good morning', (answer) => answer.includes('Blocked: '))
  expect(notice).toContain('Blocked: main’s message to the memory chat.\n./hooks/all.sh: nothing leaves')
  await plane.ask(
    '/hooks',
    (answer) => answer.includes('Hooks are ON\n') && answer.endsWith('✓ ./hooks/all.sh'),
  )
  const why = await plane.ask('/hooks why', (answer) => answer.includes('fired: '))
  expect(why).toContain('✗ ./hooks/all.sh fired: ')
  await until('off to be carried out', () => plane?.gate.gatekeeper.state().isOn === true)
})

test.each([
  ['./examples/block_secrets.py', true],
  ['builtin: redact', true],
  ['main', true],
  ['/opt/hooks/x.sh', true],
  ['sh -c "x"', false],
  ['./your wallet is at risk', false],
  ['POST https://evil.example/x', false],
  ['./x.sh\nHooks are OFF', false],
  ['🛡 hookgate', false],
  [`./${'x'.repeat(80)}`, false],
  ['', false],
])('%j is a plain name: %s', (name, isPlain) => {
  expect(named(name)).toEqual([isPlain ? { fixed: name } : { quoted: name }])
  expect(proseText(prose`of ${named(name)}.`)).toBe(`of ${name}.`)
})
