import { expect, test } from 'vitest'
import { banner, claimedText, invitation, isInviting } from '../../../src/commands/cards/banner.ts'

const start = {
  version: '1',
  workspace: '/w',
  telegram: true,
  isOn: false,
  lockdown: undefined,
  rows: [],
  separation: { kind: 'none', why: 'it is a test', fix: 'Do this.' },
} as const

test('a login is printed unasked while no agent runs, where none can read it, and where nothing else leads in', () => {
  const usual = { isClaimed: true, isAgentApart: false, isTerminal: true, hasChatOwner: true }
  expect(isInviting(usual)).toBe(false)
  expect(isInviting({ ...usual, isClaimed: false })).toBe(true)
  expect(isInviting({ ...usual, isAgentApart: true })).toBe(true)
  // As a service: an owner in a chat asks with /login, and without one the log is the only way.
  expect(isInviting({ ...usual, isTerminal: false })).toBe(false)
  expect(isInviting({ ...usual, isTerminal: false, hasChatOwner: false })).toBe(true)
  expect(isInviting({ ...usual, hasChatOwner: false })).toBe(false)
})

test('the first start shows both ways in and what they do; later ones only how to get in', () => {
  expect(invitation({ login: 'http://x/#1', pairing: 'ABC' })).toBe(
    [
      'Open http://x/#1',
      '  (valid once, for 5 minutes; Enter prints a new one)',
      'Or pair a chat: /pair ABC',
      '  The first person who uses one of them owns this gate. The agent starts then.',
    ].join('\n'),
  )
  expect(invitation({ login: 'http://x/#1' })).not.toContain('/pair')
  expect(invitation({ login: 'http://x/#1', pairing: 'ABC' }, 'https://t.me/MiaBot?start=ABC')).toContain(
    '\nOr pair a chat: /pair ABC\n  in Telegram: https://t.me/MiaBot?start=ABC\n',
  )
  const later = banner(start)
  expect(later).toContain('Enter prints a link to the web page; /login in your chat answers with one.')
  expect(later).not.toMatch(/#|\/pair/)
})

test('a console that goes to a file says where both ways in stand, and neither of them', () => {
  expect(invitation({ login: 'http://x/#1', pairing: 'ABC', file: '~/.hookgate/secrets/login' })).toBe(
    [
      'Open the page with the address in ~/.hookgate/secrets/login',
      '  (valid once, for 5 minutes; Enter prints a new one)',
      'Or pair a chat: the /pair line is there too',
      '  The first person who uses one of them owns this gate. The agent starts then.',
    ].join('\n'),
  )
})

test('the console says who came first, and what is dead by that', () => {
  expect(claimedText('telegram:7', 'web:owner')).toBe(
    'telegram:7 owns this gate now. The link and the code above have expired, and the agent starts.\nEnter prints a new link.',
  )
  expect(claimedText('web:owner', 'web:owner')).toBe(
    'You opened the page, so you own this gate now. The code above has expired, and the agent starts.\nTo add a phone, type /pair on the page.',
  )
})
