import { chmod, stat } from 'node:fs/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { needs } from '../needs.ts'
import { startPlane, until, type Plane } from '../plane.ts'

let plane: Plane | undefined
afterEach(async () => {
  if (plane !== undefined) await chmod(plane.workspace, 0o755)
  await plane?.stop()
  plane = undefined
})

const guard = `#!/bin/sh
case "$(cat)" in *forbidden*) echo '{"decision": "block", "reason": "the guard said no"}' ;; esac
`
const proposal = (event: string, more = ''): string =>
  `hooks:\n  - {event: ${event}, command: ./guard.sh${more}}\n`
const armed = async (
  yaml: string,
  source: string,
  event: string,
  separation: 'none' | 'sandbox' = 'none',
): Promise<Plane> => {
  const gate = await startPlane(yaml, { 'guard.sh': source }, {}, separation)
  plane = gate
  await gate.ask(`/hooks approve ${event} ./guard.sh`, (text) => text.includes('Approved'))
  await gate.ask('/hooks on', (text) => text.includes('Hooks are ON'))
  return gate
}
const withheld = (text: string): boolean => /withheld/i.test(text)
const recorded = async ({ gate }: Plane): Promise<string> =>
  JSON.stringify(await gate.store.records({ limit: 50 }))

const close = async (gate: Plane): Promise<void> => {
  gate.say('!chmod 000 .')
  await until('the workspace to be closed', async () => ((await stat(gate.workspace)).mode & 0o777) === 0)
}

describe('an agent that closes its own workspace', needs('bwrap'), () => {
  test('is still judged by the approved guard, which runs in a folder of its own', async () => {
    const gate = await armed(proposal('on_outbound_message'), guard, 'on_outbound_message', 'sandbox')
    await close(gate)
    gate.say('say forbidden words')
    await until('the push to be withheld', () => gate.texts().find(withheld))
    expect(gate.texts()).not.toContain('forbidden words')
    await until('the guard to be heard', async () => (await recorded(gate)).includes('the guard said no'))
    expect(await gate.ask('say harmless words', (text) => text === 'harmless words')).toBe('harmless words')
  })

  test('blocks what a guard would judge that asks for a folder there', async () => {
    const gate = await armed(
      proposal('on_outbound_message', ', cwd: .'),
      guard,
      'on_outbound_message',
      'sandbox',
    )
    await close(gate)
    gate.say('say harmless words')
    await until('the owner to be told', () => gate.texts().find(withheld))
    await until('the reason to be kept', async () =>
      (await recorded(gate)).includes('the agent can bring this about'),
    )
    expect(gate.texts()).not.toContain('harmless words')
  })
})

describe('a guard that does not answer in time', () => {
  const slow = '#!/bin/sh\nsleep 30\n'
  const timed = proposal('pre_tool_call', ', timeout: 1')

  test('lets nothing pass, though on_error is left as it is', async () => {
    const gate = await armed(timed, slow, 'pre_tool_call')
    const told = await gate.ask(
      '!echo passed',
      (text) => text.includes('fails closed') || text.includes('passed'),
    )
    expect(told).toContain('the agent can bring this about')
  })

  test('lets pass where an owner typed open, after a card that says what that means', async () => {
    const gate = await startPlane(timed, { 'guard.sh': slow })
    plane = gate
    const card = await gate.ask('/hooks pending', (text) => text.includes('./guard.sh'))
    const handle = /\b([a-z0-9]{5}) ✗ NOT approved/.exec(card)?.[1] ?? ''
    const whole = await gate.ask(`/hooks show ${handle}`, (text) => text.includes('fingerprint'))
    expect(whole).toContain(
      'if the agent makes it fail (time, load, memory, disk space, its own input): blocks (approved as “open” it would go on)',
    )
    const receipt = await gate.ask(`/hooks approve ${handle} open`, (text) => text.includes('Approved'))
    expect(receipt).toContain(
      'if it fails: goes on and tells you, even where the agent makes it fail (your choice)',
    )
    await gate.ask('/hooks on', (text) => text.includes('Hooks are ON'))
    expect(
      await gate.ask('!echo passed', (text) => text.includes('passed') && !text.startsWith('🛡')),
    ).toContain('passed')
  })
})
