import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import { call, isCallCard, labels, nextCard, opened, replaced, send, sentMessages, tap } from './caller.ts'

const askMs = 120_000
/** It asks about each deploy for one reason, and about each release for another. It hides what is secret. */
const hook = `#!/bin/sh
in=$(cat)
case "$in" in
  *on_outbound_message*)
    case "$in" in *secret*) printf '%s' '{"notification": "nothing"}' ;; esac ;;
  *deploy*) printf '%s' '{"decision": "ask", "reason": "it deploys"}' ;;
  *release*) printf '%s' '{"decision": "ask", "reason": "it releases"}' ;;
esac
`
let plane: Plane
let from = 0

beforeAll(async () => {
  const home = join(await mkdtemp(join(tmpdir(), 'hookgate-ask-')), 'home')
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'gate.yaml'), 'agents: {main: {kind: demo, ask: [bash]}}\n')
  plane = {
    ...(await startPlane(
      `hooks:
  - {event: pre_tool_call, command: ./hook.sh}
  - {event: on_outbound_message, command: ./hook.sh, matcher: {field: type, pattern: notice}}
`,
      { 'hook.sh': hook },
      { HOOKGATE_HOME: home },
    )),
    home,
  }
  for (const event of ['pre_tool_call', 'on_outbound_message'])
    await plane.ask(`/hooks approve ${event} ./hook.sh`, (text) => text.includes('✓ Approved'))
  await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
})
afterAll(async () => {
  await plane.stop()
  await rm(dirname(plane.home), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})
beforeEach(() => {
  from = sentMessages(plane).length
})

const ask = async (command: string) => {
  const verdict = send(plane, 'pre_tool_call', call('bash', { command }), { askMs }).then(
    ({ body }) => body.verdict,
  )
  return { verdict, card: await nextCard(plane, from, command.slice(0, 20)) }
}
const handleOf = ({ text }: OutgoingMessage): string => text.slice(3, 8)
const said = (part: string): Promise<string> =>
  until(`${part} in ${JSON.stringify(plane.texts().slice(from))}`, () =>
    plane
      .texts()
      .slice(from)
      .find((text) => text.includes(part)),
  )

describe('several calls of one kind', () => {
  test('are allowed by one tap: those of the same hook, tool and reason that were shown whole', async () => {
    const first = await ask('deploy one')
    const others = [await ask('deploy two'), await ask('deploy three')]
    const another = await ask('release four')
    const long = await ask(`deploy ${'x'.repeat(900)}`)
    const more = await opened(plane, first.card)
    expect(labels(more)).toContainEqual(['Allow these 3', 'Deny these 3'])
    tap(plane, more, 'Allow these 3')
    expect(await Promise.all([first, ...others].map(({ verdict }) => verdict))).toEqual([
      'allow',
      'allow',
      'allow',
    ])
    expect(await replaced(plane, more)).toMatch(
      /^🛡 Allowed once by you\.\n│ command: deploy one\nmain · bash\n→ \/hooks why \w+\nThe same for:\n│ deploy two\n│ deploy three$/,
    )
    // Each card says what became of its own call.
    for (const [at, command] of ['deploy two', 'deploy three'].entries()) {
      const card = others[at]?.card
      if (card === undefined) throw new Error('There is no card.')
      expect(await replaced(plane, card)).toContain(`🛡 Allowed once by you.\n│ command: ${command}\n`)
    }
    for (const { card, verdict } of [another, long]) {
      tap(plane, card, 'Deny')
      expect(await verdict).toBe('block')
    }
  })

  test('are denied by one tap, and what came after the look is not among them', async () => {
    const first = await ask('deploy five')
    const second = await ask('deploy six')
    const more = await opened(plane, first.card)
    const later = await ask('deploy seven')
    tap(plane, more, 'Deny these 2')
    expect(await Promise.all([first.verdict, second.verdict])).toEqual(['block', 'block'])
    expect(await Promise.race([later.verdict, Promise.resolve('waits')])).toBe('waits')
    tap(plane, later.card, 'Deny')
    await later.verdict
  })

  test('one of which a hook hid from this owner is not offered, and a typed yes to it does not count', async () => {
    const first = await ask('deploy eight')
    const hidden = send(plane, 'pre_tool_call', call('bash', { command: 'deploy secret' }), { askMs })
    const card = await until('the card that is hidden', () =>
      sentMessages(plane)
        .slice(from)
        .find((one) => isCallCard(one) && one.text.includes('[changed by ./hook.sh]')),
    )
    expect(labels(await opened(plane, first.card)).flat()).not.toContain('Allow these 2')
    plane.say(`/y ${handleOf(first.card)} ${handleOf(card)}`)
    expect(await first.verdict).toBe('allow')
    await said('Not for 1 more, which had ended or were not shown whole.')
    expect(await Promise.race([hidden, Promise.resolve('waits')])).toBe('waits')
    tap(plane, card, 'Deny')
    expect((await hidden).body.verdict).toBe('block')
  })

  test('typed with their handles, they are answered together; one that is over is told', async () => {
    const first = await ask('deploy nine')
    const second = await ask('deploy ten')
    tap(plane, second.card, 'Deny')
    await second.verdict
    const third = await ask('release eleven')
    plane.say(`/y ${handleOf(first.card)} ${handleOf(second.card)} ${handleOf(third.card)}`)
    expect(await Promise.all([first.verdict, third.verdict])).toEqual(['allow', 'allow'])
    expect(await said('The same for:')).toMatch(
      /The same for:\n│ release eleven\nNot for 1 more, which had ended or were not shown whole\.\n→ \/asks$/,
    )
  })

  test('a long one is not allowed with others, though all of it was shown', async () => {
    const long = await ask(`deploy ${'y'.repeat(900)}`)
    const short = await ask('deploy twelve')
    plane.say(`/y ${handleOf(long.card)} ${handleOf(short.card)}`)
    await said('A yes to several calls counts only where their cards show all of them.')
    plane.say(`/n ${handleOf(long.card)} ${handleOf(short.card)}`)
    expect(await Promise.all([long.verdict, short.verdict])).toEqual(['block', 'block'])
  })
})

describe('deny and stop', () => {
  test('denies the call and ends the turn of an agent of this gate, as /stop does', async () => {
    plane.say('!ls')
    const card = await nextCard(plane, from, 'command: ls')
    const more = await opened(plane, card)
    tap(plane, more, 'Deny and stop')
    expect(await replaced(plane, more)).toContain(
      '🛡 Denied by you, and the agent is stopped.\n│ command: ls\nmain · bash\n',
    )
    await until('the agent to stop', () =>
      plane
        .texts()
        .slice(from)
        .some((text) => text === 'Stopped.'),
    )
    await plane.ask('say it goes on', (text) => text === 'it goes on')
    const because = await plane.ask('/hooks log', (text) => text.includes('who stopped the agent'))
    expect(because).toContain('bash by memory:owner, who stopped the agent')
  })

  test('typed or as a reply, it ends the turn of a caller without a chat by its verdict alone', async () => {
    for (const [command, stops] of [
      ['deploy thirteen', (card: OutgoingMessage) => plane.say(`/n ${handleOf(card)} stop`)],
      ['deploy fourteen', (card: OutgoingMessage) => plane.say('停止', { reply_to: card.outgoing_id })],
    ] as const) {
      const asked = send(plane, 'pre_tool_call', call('bash', { command }), { askMs })
      stops(await nextCard(plane, from, command))
      expect((await asked).body).toMatchObject({
        verdict: 'block',
        reason: 'The person said no and stopped this turn.',
        stop_turn: true,
      })
    }
  })
})
