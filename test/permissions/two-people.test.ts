import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createCardButtons } from '../../src/commands/cards/card-buttons.ts'
import { createCommands } from '../../src/commands/table.ts'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import { createBridgeService } from '../commands/rig.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import { call, labels, nextCard, opened, sentMessages, replaced, send, tap } from './caller.ts'

const askMs = 120_000
let plane: Plane
let from = { owner: 0, ben: 0 }
const bens = { chat_id: 'ben', sender_id: 'ben', sender_name: 'Ben' }
const last = (chat: 'owner' | 'ben'): readonly string[] =>
  sentMessages(plane, chat)
    .slice(from[chat])
    .map(({ text }) => text)
const benHears = (holds: (text: string) => boolean): Promise<string> =>
  until(`words for Ben in ${JSON.stringify(last('ben'))}`, () => last('ben').find(holds))
const bash = (command: string): object => call('bash', { command })
const ask = (body: object) => send(plane, 'pre_tool_call', body, { askMs })
const ownersCard = (): Promise<OutgoingMessage> => nextCard(plane, from.owner)
const bensCard = (): Promise<OutgoingMessage> => nextCard(plane, from.ben, '', 'ben')
const yes = { status: 200, body: { verdict: 'allow' } }
const no = { status: 200, body: { verdict: 'block' } }
const ownerSays = (text: string): Promise<string> => plane.ask(text, () => true)
/** The owner says it, and confirms it. */
const confirmed = async (line: string): Promise<string> => {
  const card = await plane.ask(line, (text) => /^🛡 \w{5} /.test(text))
  return ownerSays(`/y ${card.slice(3, 8)}`)
}

beforeAll(async () => {
  plane = await startPlane(
    'hooks: []\n',
    {},
    {},
    'none',
    {},
    'agents: {main: {kind: demo, ask: [bash, write_file]}}\n',
  )
})
afterAll(() => plane.stop())
beforeEach(() => {
  from = { owner: sentMessages(plane).length, ben: sentMessages(plane, 'ben').length }
})

describe('two people', () => {
  test('an approver joins by a code, and the owner is asked', async () => {
    const invited = await ownerSays('/owners add approver agent main tool bash')
    plane.say(/\/pair (\w+)/.exec(invited)?.[0] ?? '', bens)
    const asked = await until('the question', () =>
      last('owner').find((text) => text.includes('typed your code')),
    )
    expect(asked).toContain(
      '“Ben” (memory:ben) typed your code, which makes this person: approver for the agents main and the tools bash.',
    )
    expect(await ownerSays(`/y ${/→ \/y (\w{5})/.exec(asked)?.[1] ?? ''}`)).toContain(
      'Ben is new in this gate',
    )
    await benHears((text) => text.includes('you are now an approver'))
  })

  test('both are asked, the first answer counts, and the other card names who gave it', async () => {
    const asked = ask(bash('ls'))
    const [mine, his] = await Promise.all([ownersCard(), bensCard()])
    expect(labels(his)).toEqual([['Allow once', 'Deny'], ['More…']])
    tap(plane, his, 'More…', { who: 'ben' })
    const other = await until('his other answers', () =>
      sentMessages(plane, 'ben').find(({ replaces }) => replaces === his.outgoing_id),
    )
    expect(labels(other).flat()).toEqual([
      'Allow once',
      'Deny',
      'Allow for this session',
      'Deny with a reason',
      'Back',
    ])
    const { text } = other
    plane.say(`/n ${text.slice(3, 8)} stop`, bens)
    await benHears((answer) => answer.includes('Only an owner stops an agent.'))
    tap(plane, other, 'Allow once', { who: 'ben' })
    expect(await asked).toMatchObject(yes)
    expect(await replaced(plane, mine)).toMatch(/^🛡 Allowed once by Ben\.\n/)
    // An approver reads no record, so no way to one is offered.
    expect(await replaced(plane, other)).not.toContain('/hooks why')
  })

  test('who answers second is told, and the first answer stays', async () => {
    const asked = ask(bash('ls 2'))
    const [mine, his] = await Promise.all([ownersCard(), bensCard()])
    tap(plane, mine, 'Deny')
    tap(plane, his, 'Allow once', { who: 'ben' })
    expect(await asked).toMatchObject(no)
    await benHears((text) => text.includes('Denied by'))
  })

  test('an approver sees and answers no other tool', async () => {
    const asked = ask(call('write_file', { path: 'a.txt', content: 'x' }))
    const card = await ownersCard()
    plane.say('/asks', bens)
    await benHears((text) => text.includes('No tool call waits for your decision'))
    plane.say(`/y ${card.text.slice(3, 8)}`, bens)
    await benHears((text) => text.includes('No tool call that you may answer has this handle'))
    plane.say('yes', bens)
    await benHears((text) => text.includes('Your message did not reach the agent'))
    tap(plane, card, 'Allow once', { who: 'ben', chat: 'ben' })
    await benHears((text) => text.includes('was made for another owner'))
    expect(plane.gate.gatekeeper.state().grants.size).toBe(0)
    tap(plane, card, 'Deny')
    expect(await asked).toMatchObject(no)
  })

  test('an approver gives no grant', async () => {
    const asked = ask(bash('git log -5'))
    const [mine, his] = await Promise.all([ownersCard(), bensCard()])
    plane.say(`/y ${his.text.slice(3, 8)} always exact 1h`, bens)
    await benHears((text) => text.includes('Only an owner gives a grant'))
    expect(plane.gate.gatekeeper.state().grants.size).toBe(0)
    tap(plane, mine, 'Deny')
    await asked
  })

  test('a role that changes while a card waits counts at once', async () => {
    const asked = ask(bash('ls 3'))
    const [mine, his] = await Promise.all([ownersCard(), bensCard()])
    expect(await ownerSays('/owners role Ben approver tool write_file')).toContain('has another role now')
    tap(plane, his, 'Allow once', { who: 'ben' })
    await benHears((text) => text.includes('No tool call that you may answer has this handle'))
    plane.say(`/y ${his.text.slice(3, 8)}`, bens)
    expect(plane.gate.gatekeeper.person('memory:ben')).toMatchObject({ tools: ['write_file'] })
    tap(plane, mine, 'Allow once')
    expect(await asked).toMatchObject(yes)
  })

  test('an approver can do nothing else, and a viewer only reads', async () => {
    const desk = await createBridgeService()
    const commands = createCommands(desk.ports, createCardButtons(desk.ports))
    await desk.stop()
    const { revision } = plane.gate.gatekeeper.state()
    const open = {
      approver: ['y', 'n', 'answer', 'asks'],
      viewer: ['hooks list', 'hooks why', 'hooks log', 'hooks stats'],
    }
    const ofAll = ['help', 'hooks help', 'whoami', 'lang', 'tz']
    for (const role of ['approver', 'viewer'] as const) {
      if (role === 'viewer') await confirmed('/owners role Ben viewer')
      const before = plane.gate.gatekeeper.state()
      for (const { path } of commands) {
        from.ben = sentMessages(plane, 'ben').length
        const line = path === 'hooks list' ? '/hooks' : `/${path} off all owner`
        // With a word behind them, they are the lines of somebody who wants to join.
        plane.say(['pair', 'start'].includes(path) ? `/${path}` : line, bens)
        const answer = await benHears(() => true)
        const isOpen = open[role].includes(path) || ofAll.includes(path)
        expect(`${path}: ${answer.includes(`was not carried out: You are a`)}`).toBe(`${path}: ${!isOpen}`)
      }
      expect(plane.gate.gatekeeper.state()).toEqual(before)
    }
    expect(plane.gate.gatekeeper.state().revision).toBe(revision + 1)
    from.ben = sentMessages(plane, 'ben').length
    const asked = ask(bash('ls 4'))
    tap(plane, await ownersCard(), 'Allow once')
    await asked
    expect(last('ben')).toEqual([])
  })

  test('a removed person is a stranger again', async () => {
    expect(await confirmed('/owners remove Ben')).toContain('has no role in this gate any more')
    await benHears((text) => text.includes('You have no role in this gate any more'))
    const heard = last('ben').length
    plane.say('/hooks', bens)
    await ownerSays('/whoami')
    expect(last('ben')).toHaveLength(heard)
  })
})

describe('a grant', () => {
  const listed = async (): Promise<OutgoingMessage> => {
    from.owner = sentMessages(plane).length
    await plane.ask('/grants', (text) => text.includes('1 grant'))
    return until('the list', () =>
      sentMessages(plane)
        .slice(from.owner)
        .find(({ text }) => text.includes('1 grant')),
    )
  }
  test('is given by two taps, answers such calls, is listed with its end, and ends by a tap', async () => {
    const first = ask(bash('git log -5'))
    const options = await opened(plane, await opened(plane, await ownersCard()), 'Allow always…')
    expect(options.text.replace(/[a-z0-9]{5} Allow/, '….. Allow')).toBe(
      [
        '🛡 ….. Allow without a question from now on?',
        'bash of main in /w',
        '│ command: git log -5',
        'This call: exactly these arguments',
        'Pattern: calls like this one',
        String.raw`│ command matches as a whole: git log( [\w./:=@%+,-]+)*`,
        'with any description, timeout',
      ].join('\n'),
    )
    expect(labels(options)).toEqual([
      ['This call: 1 hour', 'This call: today'],
      ['This call: 30 days', 'This call: 10 uses'],
      ['Pattern: 1 hour', 'Pattern: today'],
      ['Pattern: 30 days', 'Pattern: 10 uses'],
      ['Back'],
    ])
    tap(plane, options, 'Pattern: 10 uses')
    expect(await first).toMatchObject(yes)
    expect(await replaced(plane, options)).toContain(
      'Allowed, and from now on without a question for 10 uses:',
    )
    from.owner = sentMessages(plane).length
    const covered = await ask(bash('git log --oneline src'))
    expect(covered).toMatchObject(yes)
    expect(last('owner')).toEqual([])
    const log = await plane.ask('/hooks log', (text) => text.includes('git log --oneline'))
    const [, id = ''] =
      /✓ bash │ git log --oneline s…\n {3}asked, then allowed: bash by the grant (\w{5}) of/.exec(log) ?? []
    expect(
      await plane.ask(`/hooks why ${covered.body.event_id}`, (text) => text.includes('by the grant')),
    ).toMatch(
      new RegExp(`· asked, then allowed\\n[^]*\\nallowed because bash by the grant ${id} of memory:owner\\n`),
    )
    expect((await listed()).text).toMatch(
      new RegExp(
        `^🛡 1 grant\\n${id} bash of main in /w\\n│ command matches as a whole: git log.*\\nwith any description, timeout\\n  for 10 uses, 9 left, by memory:owner$`,
      ),
    )
    from.owner = sentMessages(plane).length
    const other = ask(bash('git log; rm -rf /'))
    tap(plane, await ownersCard(), 'Deny')
    expect(await other).toMatchObject(no)
    const list = await listed()
    tap(plane, list, list.buttons?.flat()[0]?.label ?? '')
    await until('the end', () => last('owner').find((text) => text.includes('The grant has ended.')))
    from.owner = sentMessages(plane).length
    const again = ask(bash('git log -5'))
    tap(plane, await ownersCard(), 'Deny')
    expect(await again).toMatchObject(no)
  })

  test.each([
    ['always exact 2h', 'Allowed, and from now on without a question until '],
    ['always pattern 3 git (log|show)( [a-z-]+)*', 'for 3 uses'],
    ['always', 'Allow without a question from now on?'],
    ['always pattern 1h .*', 'matches any text'],
    ['always pattern 1h [a-z]+ log.*', 'matches any text'],
    ['always pattern 1h git log( -x)?|(?=a)b', 'lookaround'],
    ['always exact 5000', 'A grant has 1 to 1000 uses'],
    ['always exact 999d', 'within the next 365 days'],
    ['always sometimes', 'neither a shape nor an end'],
  ])('typed as /y %s: %s', async (words, said) => {
    const asked = ask(bash('git log'))
    const card = await ownersCard()
    const answer = await plane.ask(`/y ${card.text.slice(3, 8)} ${words}`, (text) => text.includes(said))
    if (!answer.includes('Allowed')) plane.say(`/n ${card.text.slice(3, 8)}`)
    expect((await asked).body.verdict).toBe(answer.includes('Allowed') ? 'allow' : 'block')
    await plane.ask('/grants revoke all', (text) => /ended|No grant/.test(text))
    expect(plane.gate.gatekeeper.state().grants.size).toBe(0)
  })

  test('for today ends at midnight of the owner who gives it', async () => {
    // Its clock is 14 hours ahead of UTC.
    await plane.ask('/tz Pacific/Kiritimati', (text) => text.includes('Kiritimati'))
    const asked = ask(bash('git log'))
    const card = await ownersCard()
    await plane.ask(`/y ${card.text.slice(3, 8)} always exact today`, (text) =>
      / until \d{4}-\d\d-\d\d 00:00 \(/.test(text),
    )
    expect(await asked).toMatchObject(yes)
    const [grant] = plane.gate.gatekeeper.state().grants.values()
    expect(((grant?.untilMs ?? 0) / 3_600_000 + 14) % 24).toBe(0)
    await plane.ask('/tz machine', (text) => text.includes('machine'))
    await plane.ask('/grants revoke all', (text) => text.includes('ended'))
  })

  test('for a question that is over is given by nobody', async () => {
    const asked = ask(bash('git log'))
    const card = await ownersCard()
    tap(plane, card, 'Deny')
    await asked
    await plane.ask(`/y ${card.text.slice(3, 8)} always exact 1h`, (text) =>
      text.includes('it was already answered'),
    )
    expect(plane.gate.gatekeeper.state().grants.size).toBe(0)
  })
})
